package main

import "github.com/extism/go-pdk"

// Calls begin in the state after the init functions, each of them anew: JSON's preparation for the
// types is done here, once. None of these functions keeps anything.
func init() {
	for _, verb := range []string{"check_permissions", "match_rule", "generate_suggestions", "describe_call"} {
		_, _ = answer(verb, []byte(`{"tool":"Deploy","input":{"operation":"status","target":"a/b"},"context":{"targets":[{"kind":"path"}]},"behavior":"deny","rules":[{"content":"x"}]}`))
	}
}

// export answers one export: 0 with an output, or 1 with an error; an error never lets a call run.
func export(verb string) int32 {
	output, err := answer(verb, pdk.Input())
	if err != nil {
		pdk.SetError(err)
		return 1
	}
	pdk.Output(output)
	return 0
}

//go:wasmexport describe
func exportDescribe() int32 { return export("describe") }

//go:wasmexport check_permissions
func exportCheck() int32 { return export("check_permissions") }

//go:wasmexport check_read_only
func exportReadOnly() int32 { return export("check_read_only") }

//go:wasmexport match_rule
func exportMatch() int32 { return export("match_rule") }

//go:wasmexport generate_suggestions
func exportSuggest() int32 { return export("generate_suggestions") }

//go:wasmexport describe_call
func exportDescribeCall() int32 { return export("describe_call") }
