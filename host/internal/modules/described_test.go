package modules_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules"
)

func TestDescriptionDigest(t *testing.T) {
	t.Parallel()
	const base = `{"abi":1,"name":"a","version":"1","tools":[{"name":"A","input_schema":{"x":9007199254740993}}]}`
	digest := func(raw string) string {
		d, err := modules.DescriptionDigest([]byte(raw))
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		return d
	}
	want := digest(base)
	for _, same := range []string{
		strings.Replace(base, `"version":"1"`, `"version":"2.0.0-rc1"`, 1),
		`{ "version":"1", "name":"\u0061", "tools": [ {"input_schema":{"x":9007199254740993},"name":"A"} ], "abi":1 }`,
	} {
		if got := digest(same); got != want {
			t.Errorf("%s: got another digest; want that of %s", same, base)
		}
	}
	for _, other := range []string{
		strings.Replace(base, `"name":"A"`, `"name":"B"`, 1),
		strings.Replace(base, `"name":"A"`, `"name":"A","aliases":["b"]`, 1),
		strings.Replace(base, `"name":"A"`, `"name":"A","read_only":true`, 1),
		strings.Replace(base, `9007199254740993`, `9007199254740992`, 1), // the same as a double
		strings.Replace(base, `"abi":1`, `"abi":1,"summary":"x"`, 1),
	} {
		if digest(other) == want {
			t.Errorf("%s: got the digest of %s; want another", other, base)
		}
	}
	for _, bad := range []string{"", "null", `{"abi":1}`, base + base, `{"abi":1,"abi":1,"name":"a","version":"1","tools":[{"name":"A"}]}`} {
		if d, err := modules.DescriptionDigest([]byte(bad)); err == nil {
			t.Errorf("%q: got %s; want an error", bad, d)
		}
	}
}

func TestCheckAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		export, answer string
		ok             bool
	}{
		{"describe", `{"abi":1,"name":"a","version":"1","tools":[{"name":"A"}]}`, true},
		{"describe", `{"abi":2,"name":"a","version":"1","tools":[{"name":"A"}]}`, false},
		{"check_permissions", `{"behavior":"allow"}`, true},
		{"check_permissions", `{"behavior":"allow","x":1}`, false},
		{"check_read_only", `{"read_only":true}`, true},
		{"check_read_only", `{}`, false},
		{"match_rule", `{"matched":[0,1]}`, true},
		{"match_rule", `{"matched":[2]}`, false},
		{"generate_suggestions", `{"rules":[]}`, true},
		{"generate_suggestions", `{"rules":[],"rules":[]}`, false},
		{"describe_call", `{"targets":[]}`, true},
		{"describe_call", `{"targets":[{"kind":"x"}]}`, false},
		{"malloc", `{}`, false},
	} {
		if err := modules.CheckAnswer(tt.export, []byte(tt.answer), 2); (err == nil) != tt.ok {
			t.Errorf("%s %s: got %v; want ok %t", tt.export, tt.answer, err, tt.ok)
		}
	}
}
