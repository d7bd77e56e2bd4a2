// Package terminal asks a person at a terminal: it shows the card of an ask and
// takes one key for the answer.
package terminal
