package gate_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

func digestOf(t *testing.T, input string) string {
	t.Helper()
	strict, err := strictjson.Object([]byte(input))
	if err != nil {
		t.Fatalf("%s: %v", input, err)
	}
	return gate.Digest("x", strict, "")
}

// TestT08_EqualMeaning: an input rewritten by a client without a change of meaning is the
// judged call; any other is not.
func TestT08_EqualMeaning(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{`{"n":1}`, `{"n":1.0}`, `{"n":1e0}`, `{"n":10e-1}`, `{"n":0.1E+1}`, `{ "n" : 1 }`},
		{`{"n":1000}`, `{"n":1e3}`, `{"n":1.000e3}`, `{"n":100000e-2}`},
		{`{"n":0}`, `{"n":-0}`, `{"n":0.0}`, `{"n":-0.0e5}`, `{"n":0e99999}`},
		{`{"n":0.1}`, `{"n":0.10}`, `{"n":1e-1}`, `{"n":10E-2}`},
		{`{"n":-2.50}`, `{"n":-25e-1}`},
		{`{"a":[1.0,{"b":2e0}],"c":"1.0"}`, `{"c":"1.0","a":[1,{"b":2}]}`},
		{`{"c":"\"\\","n":[true,1.0]}`, `{"c":"\"\\","n":[true,1]}`},
		{`{"n":9007199254740993}`, `{"n":9007199254740993.0}`},
		{`{"s":"a\u0062/\u003c"}`, `{"s":"ab\/<"}`},
		{`{"n":1e400}`, `{"n":10e399}`},
		{`{"n":1e300}`, `{"n":1` + strings.Repeat("0", 300) + `}`},
	} {
		for _, other := range same[1:] {
			if digestOf(t, same[0]) != digestOf(t, other) {
				t.Errorf("%.80s and %.80s: got two digests, want one", same[0], other)
			}
		}
	}
	seen := map[string]string{}
	for _, input := range []string{
		`{"n":1}`, `{"n":"1"}`, `{"n":"1.0"}`, `{"n":-1}`, `{"n":10}`, `{"n":1.5}`, `{"n":15}`, `{"n":0.15}`, `{"n":9007199254740993}`, `{"n":9007199254740992}`, `{"n":[1]}`, `{"n":[1,0]}`, `{"n":[10]}`, `{"n":null}`,
		`{"n":0}`, `{}`, `{"n":1,"m":1}`, `{"m":1}`, `{"n":1e401}`, `{"n":1e402}`, `{"n":1e-401}`, `{"N":1}`, `{"n":true}`, `{"n":"e\u0301"}`, `{"n":"\u00e9"}`,
	} {
		d := digestOf(t, input)
		if before, ok := seen[d]; ok {
			t.Errorf("%s and %s: got one digest, want two", before, input)
		}
		seen[d] = input
	}
}
