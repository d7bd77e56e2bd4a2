//go:build wasip1

package tool

import (
	"runtime/debug"
	"slices"

	"github.com/extism/go-pdk"
)

// A call begins with the module's heap after its initialisation, and ends with the whole of it. At
// the usual pace of the collector this heap is about due, so every call would pay for a useless
// collection. At this one the first comes after 16 MiB, of a call's 64.
func init() { debug.SetGCPercent(400) }

// served is the module behind the exports.
var served Module

// Serve makes m the module behind the exports, and prepares the SDK for calls of its tools. None of
// the author's functions runs.
func Serve(m Module) {
	served = m
	m.Tools = slices.Clone(m.Tools)
	m.rehearse()
}

// answer runs one verb over the Extism ABI: 0 with an output, or 1 with an error.
func answer(verb string) int32 {
	output, err := Handle(served, verb, pdk.Input())
	if err != nil {
		pdk.SetError(err)
		return 1
	}
	pdk.Output(output)
	return 0
}

//go:wasmexport describe
func exportDescribe() int32 { return answer(verbModule) }

//go:wasmexport check_permissions
func exportCheckPermissions() int32 { return answer(verbCheck) }

//go:wasmexport check_read_only
func exportCheckReadOnly() int32 { return answer(verbReadOnly) }

//go:wasmexport match_rule
func exportMatchRule() int32 { return answer(verbMatch) }

//go:wasmexport generate_suggestions
func exportGenerateSuggestions() int32 { return answer(verbSuggest) }

//go:wasmexport describe_call
func exportDescribeCall() int32 { return answer(verbDescribe) }
