package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// FuzzDecodeRequest: whatever is taken is strict JSON that says the same when it
// is written and read again; whatever is not is a 4xx with a message.
func FuzzDecodeRequest(f *testing.F) {
	for _, tc := range badInputs {
		if len(tc.body) < 1<<16 {
			f.Add([]byte(tc.body))
		}
	}
	f.Add([]byte(`{"call_id":"c","tool":"Bash","input":{"command":"ls"},"context":{"agent":"a","session":"s","mode":"plan","cwd":"/","working_directories":["/"],"active_skills":{"x":["Read"],"y":null},"annotations":{"a":1e400}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := api.DecodeRequest(body)
		if err != nil {
			var e *api.Error
			if !errors.As(err, &e) || e.Status < 400 || e.Status > 499 || e.Message == "" || e.Code == "" {
				t.Fatalf("%q: got error %#v, want a 4xx that tells why", body, err)
			}
			return
		}
		if !utf8.Valid(body) || !json.Valid(body) {
			t.Fatalf("%q was taken", body)
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatalf("%q cannot be written again: %v", body, err)
		}
		second, err := api.DecodeRequest(again)
		if err != nil {
			t.Fatalf("%q, written again as %q: %v", body, again, err)
		}
		if second.Tool != r.Tool || second.CallID != r.CallID || second.Context.Mode != r.Context.Mode {
			t.Fatalf("%q reads differently as %q", body, again)
		}
		one, err1 := gate.StrictObject(r.Input)
		two, err2 := gate.StrictObject(second.Input)
		if (err1 == nil) != (err2 == nil) || !bytes.Equal(one, two) {
			t.Fatalf("input %q (%v) reads differently as %q (%v)", r.Input, err1, second.Input, err2)
		}
	})
}

// FuzzReadStream: an allow comes only out of one audited result on the last line.
func FuzzReadStream(f *testing.F) {
	f.Add([]byte(`{"progress":{"state":"shown"}}` + "\n" + `{"result":` + soundResult + "}\n"))
	f.Add([]byte(`{"result":` + soundResult + "}"))
	f.Add([]byte(`{"problem":{"error":{"code":"internal","message":"x"}}}` + "\n"))
	f.Add([]byte(strings.Repeat(`{"result":`+soundResult+"}\n", 2)))
	f.Fuzz(func(t *testing.T, text []byte) {
		res, err := api.ReadStream(bytes.NewReader(text))
		if err != nil && res.Decision.Behavior != engine.Deny {
			t.Fatalf("%q: an error with %s", text, res.Decision.Behavior)
		}
		if res.Decision.Behavior != engine.Allow {
			return
		}
		if res.AuditSeq <= 0 || res.Outcome != store.Allowed && res.Outcome != store.AskApproved {
			t.Fatalf("%q was taken for an allow: %+v", text, res)
		}
		if text[len(text)-1] != '\n' || bytes.Count(text, []byte(`"result"`)) == 0 && !bytes.Contains(text, []byte(`\u`)) {
			t.Fatalf("%q was taken for an allow", text)
		}
	})
}
