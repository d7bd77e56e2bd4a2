package conformance

import (
	"errors"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// abiRules are about the file.
var abiRules = []trials{
	{Rule: Rule{"abi.file", "the file is a WebAssembly module that the sandbox runs", Failed, "Transport",
		"Build one core WebAssembly 2.0 module (no component) without threads, tail calls, exceptions or relaxed SIMD."}, module: loading("abi.file")},
	{Rule: Rule{"abi.imports", "it imports functions of extism:host/env and wasi_snapshot_preview1 only, each with its signature", Failed, "Transport",
		"Leave out what brings the import (a library that prints, reads files or opens sockets), or call the function by the signature that the ABI document names."}, module: loading("abi.imports")},
	{Rule: Rule{"abi.exports", "it exports the verbs as its own functions that take nothing and return one i32", Failed, "Exports",
		"Export describe, check_permissions, check_read_only, match_rule and generate_suggestions as () -> i32, and mind what your compiler strips."}, module: loading("abi.exports")},
	{Rule: Rule{"abi.limits", "it fits the sizes that hold unless an operator sets others", Failed, "Transport",
		"Make the module smaller: build for size, without debugging information, with fewer libraries."}, module: loading("abi.limits")},
	{Rule: Rule{"abi.network", "it does not ask for the network, which ends the call", Advice, "Transport",
		"Leave http_request out: a call that reaches it gives no answer."}, module: noNetwork},
	{Rule: Rule{"abi.start", "it needs no _start, which the host never runs", Advice, "Transport",
		"Build a library (a reactor) instead of a program, or do in _initialize what main does."}, module: noStart},
}

// loading is a rule broken by a module that does not load for its reason.
func loading(id string) func(*run) {
	return func(r *run) {
		r.try()
		var step *workbench.StepError
		if errors.As(r.subject.Problem, &step) && (step.Step == workbench.StepLoad || step.Step == workbench.StepRead) && loadRule(step.Err) == id {
			r.fail(Finding{Tried: "load the file", Came: step.Err.Error()})
		}
	}
}

// loadRule is the rule behind an error of loading.
func loadRule(err error) string {
	text := err.Error()
	if sandbox.LimitOf(err) != "" {
		return "abi.limits"
	}
	// The sandbox's own sentences begin, behind the file's name, with their subject.
	for _, word := range []string{"import", "export", "limit"} {
		if strings.HasPrefix(text, word+" ") || strings.Contains(text, ": "+word+" ") {
			return "abi." + word + "s"
		}
	}
	return "abi.file"
}

func noNetwork(r *run) {
	if r.subject.Imports == nil {
		return
	}
	r.try()
	if slices.Contains(r.subject.Imports, "extism:host/env.http_request") {
		r.fail(Finding{Tried: "look at the imports", Came: "it imports http_request"})
	}
}

func noStart(r *run) {
	if r.subject.Exports == nil {
		return
	}
	r.try()
	has := func(name string) bool { return slices.Contains(r.subject.Exports, name) }
	if has("_start") && !has("_initialize") && !has("__wasm_call_ctors") {
		r.fail(Finding{Tried: "look at the exports", Came: "it exports _start, and neither _initialize nor __wasm_call_ctors"})
	}
}
