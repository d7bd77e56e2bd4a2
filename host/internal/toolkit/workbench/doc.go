// Package workbench loads one tool module outside of the daemon and asks it the host's
// questions: for a module's author to see, try, test and measure it before others depend on it.
//
// [Bench.Load] returns the failing [Step] of a module, with everything known by then.
// [Module.Run] puts raw bytes to one export. [Module.Ask] puts a call to all of them, as the
// host does: described first, its targets resolved in an imaginary file system, then judged;
// each answer is read as strictly as the host reads it.
//
// Nothing here grants anything: a module's allow and read_only are shown as it gives them. The
// texts of modules are untrusted; those of [Module.Description] and of errors are clean, raw
// outputs are not.
package workbench
