// Package conformance tries every promise of the tool ABI on one module, and gives a fix for
// each broken one.
//
// A [Rule] is one promise, with a lasting id. [Check] makes calls from the module's
// declarations (its rule examples, its input schemas, its author's cases), tries the rules on
// them and returns a [Report]. [Fuzz] makes calls without end, tries the rules about one call,
// and minimises its findings.
//
// Both do the same for the same seed. Modules are untrusted: their answers are shown, never
// believed, and each call of one is bounded by the sandbox. RATIONALE.md, "Which inputs must a
// module find unreadable?".
package conformance
