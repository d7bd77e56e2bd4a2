package caller_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/wire"
)

// soundResult is an allow as the gate gives it.
const soundResult = `{"decision":{"behavior":"allow","stage":"allow_rule","code":"rule_matched"},"outcome":"allow","digest":"` +
	`0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef","audit_seq":7,"micros":12}`

// FuzzReadStream: an allow comes only out of one audited result on the last line.
func FuzzReadStream(f *testing.F) {
	f.Add([]byte(`{"progress":{"state":"shown"}}` + "\n" + `{"result":` + soundResult + "}\n"))
	f.Add([]byte(`{"result":` + soundResult + "}"))
	f.Add([]byte(`{"problem":{"error":{"code":"internal","message":"x"}}}` + "\n"))
	f.Add([]byte(strings.Repeat(`{"result":`+soundResult+"}\n", 2)))
	f.Fuzz(func(t *testing.T, text []byte) {
		res, err := caller.ReadStream(bytes.NewReader(text))
		if err != nil && res.Decision.Behavior != engine.Deny {
			t.Fatalf("%q: an error with %s", text, res.Decision.Behavior)
		}
		if res.Decision.Behavior != engine.Allow {
			return
		}
		if res.AuditSeq <= 0 || res.Outcome != wire.Allowed && res.Outcome != wire.AskApproved {
			t.Fatalf("%q was taken for an allow: %+v", text, res)
		}
		if text[len(text)-1] != '\n' || bytes.Count(text, []byte(`"result"`)) == 0 && !bytes.Contains(text, []byte(`\u`)) {
			t.Fatalf("%q was taken for an allow", text)
		}
	})
}
