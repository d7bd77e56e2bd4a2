// Package card renders an ask for the person who answers it.
//
// A card is the host's own rendering of the call: the person reads the same values that were
// parsed and judged. The tool module's words appear second and are marked as its words. Nothing
// can hide: every text on a card went through [Visible] or [Line], which show control,
// bidirectional, zero-width and look-alike characters instead of obeying them, and two
// different texts never look the same. A long input is never silently cut. Source: threat T28.
//
// Besides Card there is [Entry], an ask on one line of a card of several, and [Edit], an input as
// a text to be changed.
//
// The package is pure: it reads no clock, writes nothing and knows no surface. [Render]
// makes the one model of a card, [Terminal] draws it for a terminal; other surfaces draw the
// same [Card] in the same order.
package card
