// Package ask is the broker between calls that wait and people who answer.
//
// A call whose decision is "ask" becomes an [Ask]. It is stored before anybody
// sees it, shown when its turn comes (one at a time for each session and
// agent), and ends exactly once: by the first valid answer, by its clock, or
// because the call went away. Every end but an approval is a denial. What was
// decided is written to the [Store] by compare-and-set before any waiter or
// surface hears of it, so two surfaces can never both win and a restart loses
// nothing.
//
// The package knows no surface and no rule language: surfaces (terminal, HTTP,
// Discord) subscribe to events and hand in answers; the Gate stores the rules
// that an answer accepted. Source: design section 8 and the Discord seed.
package ask
