package mcp

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzRead: a message that is read means the same to another reader of JSON, and every answer to
// one is strict JSON.
func FuzzRead(f *testing.F) {
	for _, s := range []string{call("1", "read", `{"a":1}`), `{"id":"\u0061","method":"tools\/call","params":{"name":"x","_meta":{"progressToken":1}}}`, `{"id":1,"result":{"tools":[{"name":"a"}]}}`, "[]", "{", `{"id":1,"error":null,"result":0}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		_ = looseID(raw)
		m, err := read(raw)
		if err != nil {
			return
		}
		var other map[string]json.RawMessage
		if err := json.Unmarshal(raw, &other); err != nil {
			t.Fatalf("%q is read, and not by another reader: %v", raw, err)
		}
		var method string
		if text, ok := other["method"]; ok {
			_ = json.Unmarshal(text, &method) // it stays empty for no string
		}
		if method != m.method || !bytes.Equal(bytes.TrimSpace(other["params"]), m.params) {
			t.Fatalf("%q: got method %q, params %q; another reader has %q, %q", raw, m.method, m.params, method, other["params"])
		}
		if m.result.value != nil {
			_, _ = readList(m.result.value) // it may be no list
		}
		if !m.isRequest() {
			return
		}
		c, _ := readCall(m) // its answer must be sound in any case
		answers := [][]byte{c.denial("why\xff\n"), problem(m.id, codeInvalid, "x\"y")}
		if c.progress != nil {
			answers = append(answers, c.progressNote(7, "waiting"))
		}
		for _, a := range answers {
			if !jsontext.Value(a).IsValid() || bytes.ContainsAny(a, "\n") {
				t.Fatalf("%q: the answer %q is no line of strict JSON", raw, a)
			}
		}
	})
}
