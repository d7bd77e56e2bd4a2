// Package conformance tries every promise of the tool ABI on one module, and says
// what a person can do about each that is broken.
//
// A [Rule] is one promise, with an id that stays. [Check] makes calls of what the
// module declares (its rule examples, its input schemas, the cases that its author
// wrote), tries the rules on them and returns a [Report]. [Fuzz] makes calls without
// end and tries those rules that speak of one call; what it finds it makes small.
//
// Both do the same for the same seed. Modules are untrusted: what they answer is
// shown, never believed, and each call of one is bounded by the sandbox.
package conformance
