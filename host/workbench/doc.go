// Package workbench loads one tool module outside of the daemon and asks it what
// the host would ask: for the author of a module, who wants to see, try, test and
// measure it before anybody depends on it.
//
// [Bench.Load] says at which [Step] a module fails, with all that is known by then.
// [Module.Run] puts raw bytes to one export. [Module.Ask] puts a call to all of
// them, as the host does: described first, its targets resolved in an imaginary
// file system, then judged; each answer is read as strictly as the host reads it.
//
// Nothing here grants anything: a module's allow and read_only are shown as it
// gives them. The texts of modules are untrusted; those of [Module.Description] and
// of errors are clean, raw outputs are not.
package workbench
