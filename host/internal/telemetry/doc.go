// Package telemetry counts what the daemon does, in the text format of Prometheus ([Metrics]), and
// serves the numbers beside its health ([Handler]).
//
// It owns the names of the metrics, the dashboard and the alert rules over them (docs/monitoring),
// and the traces of checks ([Traces]) with the steps that the gate notes (package stage).
// No metric has a label from a call: no input, no path, no tool, no session. A label is a word of
// ours, the file of a module, or an agent with a token of its own.
//
// It imports no other room; daemon calls it.
//
// RATIONALE.md, "Why client_golang v1.23.2 and not the newest?".
package telemetry
