// Package ask is the broker between waiting calls and the people who answer.
//
// A call with the decision "ask" becomes an [Ask]. It is stored before any surface shows it,
// shown when its turn comes (one at a time for each session and agent), and ends exactly once:
// by the first valid answer, by its clock, or because the call went away. Every end but an
// approval is a denial. The end is written to the [Store] by compare-and-set before any waiter
// or surface hears of it, so two surfaces can never both win and a restart loses nothing.
//
// The package knows no surface and no rule language: surfaces (terminal, HTTP, Discord)
// subscribe to events and hand in answers; the Gate stores the rules accepted in an answer.
package ask
