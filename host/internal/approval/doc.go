// Package approval is the room of asks: the broker between waiting calls and the people who
// answer (ask), the card they read (card), the approvers and granters (approvers), the callers
// and their rights (authority), the PIN as proof of a person's presence (pin), and two ways
// to answer: at a terminal and through a program (terminal, webhook). Its parts import engine
// and, of ours, the store; authority the configuration and gate/describe as well, webhook the
// gate. The gate asks through it; admin, the API, Discord and the CLI show the waiting asks and
// check rights with it.
package approval
