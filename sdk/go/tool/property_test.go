package tool_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/sdk/go/tool"
)

// value draws any JSON value.
func value(depth int) *rapid.Generator[any] {
	leaves := []*rapid.Generator[any]{rapid.String().AsAny(), rapid.Int64().AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil)}
	if depth == 0 {
		return rapid.OneOf(leaves...)
	}
	inner := value(depth - 1)
	return rapid.OneOf(append(leaves, rapid.MapOfN(rapid.StringN(0, 5, -1), inner, 0, 4).AsAny(), rapid.SliceOfN(inner, 0, 4).AsAny())...)
}

// TestTheExactInputIsARule: a default suggestion matches its own call, in any spelling of the
// same JSON, and no other.
func TestTheExactInputIsARule(t *testing.T) {
	t.Parallel()
	objects := rapid.MapOfN(rapid.StringN(0, 5, -1), value(2), 0, 4)
	rapid.Check(t, func(rt *rapid.T) {
		call, err := json.MarshalIndent(objects.Draw(rt, "call"), "", " ")
		if err != nil {
			rt.Skip("not JSON")
		}
		exact, err := tool.Canonical(call)
		if err != nil {
			rt.Fatalf("%s: %v", call, err)
		}
		rules := []tool.Rule{{Content: exact}}
		if again, err := tool.Canonical(json.RawMessage(exact)); err != nil || again != exact {
			rt.Fatalf("%q is not its own canonical form: %q, %v", exact, again, err)
		}
		if len(tool.MatchParameters(call, tool.Allow, rules)) != 1 {
			rt.Fatalf("%q does not match %s", exact, call)
		}
		other, err := json.Marshal(objects.Draw(rt, "other"))
		if err != nil {
			rt.Skip("not JSON")
		}
		if canonical, err := tool.Canonical(other); err == nil && canonical != exact && len(tool.MatchParameters(other, tool.Allow, rules)) != 0 {
			rt.Fatalf("%q matches %s", exact, other)
		}
	})
}
