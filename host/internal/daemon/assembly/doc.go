// Package assembly opens a whole gate: the store, the sandbox and its tool modules, the ask broker
// and the [gate.Gate] wiring them; it applies changed configurations and swaps modules. The daemon
// puts an API before it; package host gives it to other programs.
package assembly
