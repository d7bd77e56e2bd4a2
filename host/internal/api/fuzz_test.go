package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
	"unicode/utf8"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// FuzzDecodeRequest: an accepted request is strict JSON with the same meaning when written and
// read again; any other is a 4xx with a message.
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
			var e *protocol.Error
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
		one, err1 := strictjson.Object(r.Input)
		two, err2 := strictjson.Object(second.Input)
		if (err1 == nil) != (err2 == nil) || !bytes.Equal(one, two) {
			t.Fatalf("input %q (%v) reads differently as %q (%v)", r.Input, err1, second.Input, err2)
		}
	})
}
