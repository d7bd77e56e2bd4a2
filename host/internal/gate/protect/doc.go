// Package protect keeps tool calls away from the gate itself: from its configuration, rules,
// store, modules, program, process, endpoint, and from the settings of its hooks (threat T06).
//
// A [Guard] looks at the true targets of a call: those resolved by the host, in every form, and
// the marks of a module for programs, processes, services, terminals and network addresses
// (docs/abi.md). For a call without targets, it looks at every text of the input. It only ever
// denies. Real places count, not names: work on another project called callgate is like any
// other.
//
// It judges tool calls. The effects of an allowed call's program are beyond it;
// docs/security.md lists them.
package protect
