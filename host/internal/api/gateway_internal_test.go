package api

import (
	"encoding/json"
	"strings"
	"testing"
)

var messages = map[string]struct {
	body string
	// tool is the called one; "-" for none, empty for a refusal.
	tool string
}{
	"call":                 {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"path":"a"},"_meta":{"progressToken":1}}}`, "read"},
	"call without input":   {`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"read"}}`, "read"},
	"initialize":           {`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`, "-"},
	"notification":         {`{"jsonrpc":"2.0","method":"notifications/initialized"}`, "-"},
	"answer":               {`{"jsonrpc":"2.0","id":1,"result":{}}`, "-"},
	"failed answer":        {`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}`, "-"},
	"other case":           {`{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"rm"}}`, ""},
	"twice":                {`{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"rm"}}`, ""},
	"name in another case": {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","Name":"rm"}}`, ""},
	"input twice":          {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{},"arguments":{"a":1}}}`, ""},
	"input twice, inside":  {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"a":1,"a":2}}}`, ""},
	"input is a list":      {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":[]}}`, ""},
	"no name":              {`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}`, ""},
	"no params":            {`{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, ""},
	"unknown method":       {`{"jsonrpc":"2.0","id":1,"method":"tools/run","params":{"name":"rm"}}`, ""},
	"method and answer":    {`{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{},"params":{"name":"rm"}}`, ""},
	"ping and answer":      {`{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, ""},
	"batch":                {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, ""},
	"two messages":         {`{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"rm"}}`, ""},
	"old version":          {`{"jsonrpc":"1.0","id":1,"method":"ping"}`, ""},
	"id is an object":      {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, ""},
	"nothing":              {``, ""},
	"no message":           {`{"jsonrpc":"2.0"}`, ""},
}

func TestReadMCP(t *testing.T) {
	t.Parallel()
	for name, k := range messages {
		m, err := readMCP([]byte(k.body))
		got := "-"
		switch {
		case err != nil:
			got = ""
		case m.call != nil:
			got = m.call.Name
		}
		if got != k.tool {
			t.Errorf("%s: got %q (%v), want %q", name, got, err, k.tool)
		}
	}
}

// FuzzReadMCP: a body that a lenient parser reads as a call never passes as something else.
func FuzzReadMCP(f *testing.F) {
	for _, k := range messages {
		f.Add([]byte(k.body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		m, err := readMCP(body)
		if err != nil {
			return
		}
		var lenient struct {
			Method string
			Params struct{ Name string }
		}
		if json.Unmarshal(body, &lenient) != nil {
			return // such a server takes no call from it
		}
		called := strings.EqualFold(lenient.Method, "tools/call")
		if called != (m.call != nil) || called && m.call.Name != lenient.Params.Name {
			t.Errorf("%s: a lenient parser reads %q %q, we %+v", body, lenient.Method, lenient.Params.Name, m.call)
		}
	})
}
