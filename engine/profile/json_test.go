package profile_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine/profile"
)

func TestProfileJSON(t *testing.T) {
	t.Parallel()
	var p profile.Profile
	if err := json.Unmarshal([]byte(`{"allow": ["tool:.*"], "ask": [], "name": "ci", "deny": ["x"]}`), &p); err != nil {
		t.Fatal(err)
	}
	if want := (profile.Profile{Name: "ci", Allow: []string{"tool:.*"}, Ask: []string{}, Deny: []string{"x"}}); !reflect.DeepEqual(p, want) {
		t.Errorf("got  %+v\nwant %+v", p, want)
	}
	for text, says := range map[string]string{
		`{"allow": [null]}`:       "allow[0]: null: a pattern must be a string",
		`{"ask": ["a", true]}`:    "ask: want a list of patterns",
		`{"deny": "tool:.*"}`:     "deny: want a list of patterns",
		`{"allow": [{"p": "x"}]}`: "allow: want a list of patterns",
		`{"Allow": []}`:           `unknown member "Allow"`,
		`{"name": 1}`:             "profile: ",
		`["tool:.*"]`:             "want an object with the lists",
	} {
		kept := profile.Profile{Name: "kept"}
		if err := json.Unmarshal([]byte(text), &kept); err == nil || !strings.Contains(err.Error(), says) || kept.Name != "kept" {
			t.Errorf("%s: got %v and %+v, want an error saying %q and nothing changed", text, err, kept, says)
		}
	}
}
