// Package protect keeps tool calls away from the gate that judges them: from
// its configuration, rules, store, modules, program, process, endpoint, and
// from the settings that hook it in (threat T06, design section 8, level A).
//
// A [Guard] looks at what a call really touches: the targets that the host
// resolved, in every form, and the marks by which a module names programs,
// processes, services, terminals and network addresses (docs/abi.md). Of a call
// that names nothing of itself, it looks at every text of the input. It only
// ever denies. Real places count, not names: work on a project that is called
// callgate is like any other.
//
// It judges tool calls. What a program does that an allowed call runs is beyond
// it; docs/security.md lists that.
package protect
