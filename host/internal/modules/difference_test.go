package modules_test

import (
	"slices"
	"testing"

	"github.com/callgate/callgate/host/internal/modules"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	const was = `{"name":"deploy","tools":[{"name":"Deploy","aliases":["deploy"],"read_only":false},{"name":"Old"}]}`
	for name, tc := range map[string]struct {
		will string
		want [][3]string // where, was, will
	}{
		"nothing":           {`{"tools":[{"aliases":["deploy"],"read_only":false,"name":"Deploy"},{"name":"Old"}],"name":"deploy"}`, nil},
		"order of tools":    {`{"name":"deploy","tools":[{"name":"Old"},{"name":"Deploy","aliases":["deploy"],"read_only":false}]}`, nil},
		"a member":          {`{"name":"deploy","tools":[{"name":"Deploy","aliases":["deploy"],"read_only":true},{"name":"Old"}]}`, [][3]string{{"tools.Deploy.read_only", "false", "true"}}},
		"a name more":       {`{"name":"deploy","tools":[{"name":"Deploy","aliases":["deploy","Bash"],"read_only":false},{"name":"Old"}]}`, [][3]string{{"tools.Deploy.aliases", `["deploy"]`, `["deploy","Bash"]`}}},
		"a tool for a tool": {`{"name":"deploy","tools":[{"name":"Deploy","aliases":["deploy"],"read_only":false},{"name":"New"}]}`, [][3]string{{"tools.New", "", `{"name":"New"}`}, {"tools.Old", `{"name":"Old"}`, ""}}},
		"names twice":       {`{"name":"deploy","tools":[{"name":"A"},{"name":"A"}]}`, [][3]string{{"tools", `[{"aliases":["deploy"],"name":"Deploy","read_only":false},{"name":"Old"}]`, `[{"name":"A"},{"name":"A"}]`}}},
		"no JSON":           {`x`, [][3]string{{"", `{"name":"deploy","tools":[{"aliases":["deploy"],"name":"Deploy","read_only":false},{"name":"Old"}]}`, "x"}}},
	} {
		var got [][3]string
		for _, c := range modules.Changes([]byte(was), []byte(tc.will)) {
			got = append(got, [3]string{c.Where, c.Was, c.Will})
		}
		if !slices.Equal(got, tc.want) {
			t.Errorf("%s: got %q, want %q", name, got, tc.want)
		}
	}
}

func FuzzChanges(f *testing.F) {
	f.Add([]byte(`{"a":[{"name":"x"}]}`), []byte(`{"a":[{"name":"y"}]}`))
	f.Add([]byte(`x`), []byte(``))
	f.Fuzz(func(t *testing.T, was, will []byte) {
		if got := modules.Changes(was, was); got != nil {
			t.Errorf("%q differs from itself: %q", was, got)
		}
		if there, back := modules.Changes(was, will), modules.Changes(will, was); len(there) != len(back) {
			t.Errorf("%q and %q: %d changes one way, %d the other", was, will, len(there), len(back))
		}
	})
}
