package pin_test

import (
	"slices"
	"testing"

	"github.com/callgate/callgate/host/pin"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	const was = `{"name":"deploy","tools":[{"name":"Deploy","aliases":["deploy"],"read_only":false},{"name":"Old"}]}`
	for name, tc := range map[string]struct {
		will string
		want []pin.Change
	}{
		"nothing":           {`{"tools":[{"aliases":["deploy"],"read_only":false,"name":"Deploy"},{"name":"Old"}],"name":"deploy"}`, nil},
		"order of tools":    {`{"name":"deploy","tools":[{"name":"Old"},{"name":"Deploy","aliases":["deploy"],"read_only":false}]}`, nil},
		"a member":          {`{"name":"deploy","tools":[{"name":"Deploy","aliases":["deploy"],"read_only":true},{"name":"Old"}]}`, []pin.Change{{"tools.Deploy.read_only", "false", "true"}}},
		"a name more":       {`{"name":"deploy","tools":[{"name":"Deploy","aliases":["deploy","Bash"],"read_only":false},{"name":"Old"}]}`, []pin.Change{{"tools.Deploy.aliases", `["deploy"]`, `["deploy","Bash"]`}}},
		"a tool for a tool": {`{"name":"deploy","tools":[{"name":"Deploy","aliases":["deploy"],"read_only":false},{"name":"New"}]}`, []pin.Change{{"tools.New", "", `{"name":"New"}`}, {"tools.Old", `{"name":"Old"}`, ""}}},
		"names twice":       {`{"name":"deploy","tools":[{"name":"A"},{"name":"A"}]}`, []pin.Change{{"tools", `[{"aliases":["deploy"],"name":"Deploy","read_only":false},{"name":"Old"}]`, `[{"name":"A"},{"name":"A"}]`}}},
		"no JSON":           {`x`, []pin.Change{{"", `{"name":"deploy","tools":[{"aliases":["deploy"],"name":"Deploy","read_only":false},{"name":"Old"}]}`, "x"}}},
	} {
		if got := pin.Changes([]byte(was), []byte(tc.will)); !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func FuzzChanges(f *testing.F) {
	f.Add([]byte(`{"a":[{"name":"x"}]}`), []byte(`{"a":[{"name":"y"}]}`))
	f.Add([]byte(`x`), []byte(``))
	f.Fuzz(func(t *testing.T, was, will []byte) {
		if got := pin.Changes(was, was); got != nil {
			t.Errorf("%q differs from itself: %q", was, got)
		}
		if there, back := pin.Changes(was, will), pin.Changes(will, was); len(there) != len(back) {
			t.Errorf("%q and %q: %d changes one way, %d the other", was, will, len(there), len(back))
		}
	})
}
