// Package workbench loads one tool module outside of the daemon and asks it the host's
// questions: for a module's author to see, try, test and measure it before others depend on it.
//
// [Bench.Load] returns the failing [Step] of a module, with everything known by then.
// Package trial puts the questions.
//
// Nothing here grants anything: a module's allow and read_only are shown as it gives them. The
// texts of modules are untrusted; those of [Module.Description] and of errors are clean, raw
// outputs are not.
package workbench
