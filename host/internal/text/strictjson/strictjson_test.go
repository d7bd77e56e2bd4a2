package strictjson_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/text/strictjson"
)

func TestExplain(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text, want      string
		unknown, syntax bool
	}{
		"unknown":    {`{"foo":1}`, "foo: there is no such member", true, false},
		"wrong type": {`{"list":[{"n":"x"}]}`, "list.0.n: got a JSON string, want a JSON number in range", false, false},
		"duplicate":  {`{"n":1,"n":2}`, "n: not strict JSON at byte 7: duplicate object member name", false, true},
		"rubbish":    {`not json`, "not strict JSON at byte 1: invalid character 'o' in literal null (expecting 'u')", false, true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var into struct {
				N    int              `json:"n"`
				List []map[string]int `json:"list"`
			}
			err := strictjson.Explain(json.Unmarshal([]byte(c.text), &into, json.RejectUnknownMembers(true)))
			var f *strictjson.Fault
			if !errors.As(err, &f) {
				t.Fatalf("got %v, want a *Fault", err)
			}
			if f.Error() != c.want || f.Unknown != c.unknown || f.Syntax != c.syntax {
				t.Errorf("got  %q unknown %t syntax %t\nwant %q unknown %t syntax %t", f, f.Unknown, f.Syntax, c.want, c.unknown, c.syntax)
			}
		})
	}
}

func TestExplainLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	other := errors.New("the disk is full")
	if got := strictjson.Explain(other); got != other {
		t.Errorf("got %v, want the error itself", got)
	}
}
