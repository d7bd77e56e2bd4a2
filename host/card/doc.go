// Package card renders an ask for the person who answers it.
//
// A card is the host's own rendering of the call: what the person reads is what
// was parsed and judged. The tool module's words appear second and are marked
// as its words. Nothing can hide: every text on a card went through [Visible] or
// [Line], which show control, bidirectional, zero-width and look-alike
// characters instead of obeying them, and two different texts never look the
// same. A long input is never silently cut. Source: design section 8, threat
// T28.
//
// The package is pure: it reads no clock, writes nothing and knows no surface.
// [Terminal] is the rendering for a terminal; other surfaces lay out the same
// [Card] their way.
package card
