package servers

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

var proxy = Proxy{Binary: "/opt/callgate", Args: func(server string) []string { return []string{"mcp", "--server", server} }}

func client(t testing.TB, name string) Client {
	t.Helper()
	for _, c := range Clients() {
		if c.Name == name {
			return c
		}
	}
	t.Fatal("no client", name)
	return Client{}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ client, before, after string }{
		"arguments":   {"claude-code", `{"x":1, "mcpServers": {"fs": {"command": "npx", "args": [ "-y", "fs" ], "env": {"K": "s"}}}}`, `{"x":1, "mcpServers": {"fs": {"command": "/opt/callgate", "args": [ "mcp", "--server", "fs", "--", "npx", "-y", "fs" ], "env": {"K": "s"}}}}`},
		"empty":       {"gemini-cli", `{"mcpServers":{"fs":{"args":[ ],"command":"\u0066s"}}}`, `{"mcpServers":{"fs":{"args":[ "mcp", "--server", "fs", "--", "\u0066s" ],"command":"/opt/callgate"}}}`},
		"none":        {"claude-desktop", "{\"mcpServers\":{\"fs\":{\n  \"command\":\"fs\"}}}", "{\"mcpServers\":{\"fs\":{\n  \"args\": [\"mcp\", \"--server\", \"fs\", \"--\", \"fs\"], \"command\":\"/opt/callgate\"}}}"},
		"one array":   {"opencode", `{"mcp":{"fs":{"type":"local","command":["npx", "-y"]},},} /* c */`, `{"mcp":{"fs":{"type":"local","command":["/opt/callgate", "mcp", "--server", "fs", "--", "npx", "-y"]},},} /* c */`},
		"other lines": {"gemini-cli", "{ // a\n\"mcpServers\": {\"a\": {\"url\": \"https://x\"}, \"b__c\": {\"command\": \"x\"}, \"d\": {\"command\": 1}}}", "{ // a\n\"mcpServers\": {\"a\": {\"url\": \"https://x\"}, \"b__c\": {\"command\": \"x\"}, \"d\": {\"command\": 1}}}"},
		"over HTTP": {
			"claude-code", `{"mcpServers":{"t":{ "type":"http", /* c */ "url":"https://x/mcp","headers":{"Authorization":"Bearer s3cret"}, "timeout": 5 }}}`,
			`{"mcpServers":{"t":{"type": "stdio", "command": "/opt/callgate", "args": ["mcp", "--server", "t", "--upstream", "env:CALLGATE_MCP_UPSTREAM"], "env": {"CALLGATE_MCP_UPSTREAM": "{ \"type\":\"http\", /* c */ \"url\":\"https://x/mcp\",\"headers\":{\"Authorization\":\"Bearer s3cret\"}, \"timeout\": 5 }"}, "timeout": 5}}}`,
		},
		"over HTTP, Gemini": {
			"gemini-cli", `{"mcpServers":{"t":{"httpUrl":"https://x/mcp?k=$K","trust":true}, "u":{"url":"https://x/sse"}, "v":{"httpUrl":"https://x","oauth":{"enabled":true}}, "w":{"httpUrl":"http://x/mcp"}}}`,
			`{"mcpServers":{"t":{"command": "/opt/callgate", "args": ["mcp", "--server", "t", "--upstream", "env:CALLGATE_MCP_UPSTREAM"], "env": {"CALLGATE_MCP_UPSTREAM": "{\"httpUrl\":\"https://x/mcp?k=$K\",\"trust\":true}"}, "trust":true}, "u":{"url":"https://x/sse"}, "v":{"httpUrl":"https://x","oauth":{"enabled":true}}, "w":{"httpUrl":"http://x/mcp"}}}`,
		},
		"over HTTP, opencode": {
			"opencode", `{"mcp":{"t":{"type":"remote","url":"https://x/mcp","oauth":false,"enabled":true}}}`,
			`{"mcp":{"t":{"type": "local", "command": ["/opt/callgate", "mcp", "--server", "t", "--upstream", "env:CALLGATE_MCP_UPSTREAM"], "environment": {"CALLGATE_MCP_UPSTREAM": "{\"type\":\"remote\",\"url\":\"https://x/mcp\",\"oauth\":false,\"enabled\":true}"}, "oauth":false, "enabled":true}}}`,
		},
		"no servers": {"claude-code", `{"a":{}}`, `{"a":{}}`},
	} {
		c := client(t, tc.client)
		got, err := c.Wrap([]byte(tc.before), proxy)
		if err != nil || string(got.Text) != tc.after {
			t.Errorf("%s: got %s, %v, want %s", name, got.Text, err, tc.after)
		}
		again, err := c.Wrap(got.Text, proxy)
		if err != nil || string(again.Text) != tc.after || len(again.Changed) > 0 {
			t.Errorf("%s, twice: got %s, %v", name, again.Text, err)
		}
		back, err := c.Unwrap(got.Text)
		if err != nil || string(back.Text) != tc.before || len(back.Changed) != len(got.Changed) {
			t.Errorf("%s, undone: got %s, %v, want %s", name, back.Text, err, tc.before)
		}
	}
}

// TestUnwrap_byHand: servers put behind the proxy by a person.
func TestUnwrap_byHand(t *testing.T) {
	t.Parallel()
	for before, after := range map[string]string{
		`{"mcpServers":{"a":{"command":"callgate","args":["mcp","--server","a","--","x"]}}}`:         `{"mcpServers":{"a":{"command":"x","args":[]}}}`,
		`{"mcpServers":{"a":{"args":["mcp","--server","a","--","x","-y"],"command":"/b/callgate"}}}`: `{"mcpServers":{"a":{"args":["-y"],"command":"x"}}}`,
		`{"mcpServers":{"a":{"command":"callgate","args":["mcp","--server","a","--"]}}}`:             `{"mcpServers":{"a":{"command":"callgate","args":["mcp","--server","a","--"]}}}`,
		`{"mcpServers":{"a":{"command":"other","args":["mcp","--server","a","--","x"]}}}`:            `{"mcpServers":{"a":{"command":"other","args":["mcp","--server","a","--","x"]}}}`,
	} {
		got, err := client(t, "claude-code").Unwrap([]byte(before))
		if err != nil || string(got.Text) != after {
			t.Errorf("%s: got %s, %v, want %s", before, got.Text, err, after)
		}
	}
}

func TestWrap_unreadable(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", "{", `{"mcpServers":{}} x`, `{"mcpServers":{},"mcpServers":{}}`, `{"mcpServers":[]}`, strings.Repeat("[", 1000)} {
		if got, err := client(t, "claude-code").Wrap([]byte(text), proxy); err == nil || len(got.Changed) > 0 {
			t.Errorf("%q: got %+v, want an error", text, got)
		}
	}
}

// TestWrap_property: undoing restores any text to the byte, and the servers between are started by
// the proxy with the whole original command.
func TestWrap_property(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		blank := func(name string) string { return rapid.StringMatching(`[ \n]{0,2}(// c\n)?`).Draw(t, name) }
		word := rapid.Map(rapid.String(), func(s string) string { text, _ := json.Marshal(s); return string(text) })
		var list []string
		commands := map[string]string{}
		for i := range rapid.IntRange(0, 4).Draw(t, "servers") {
			name := fmt.Sprintf("s%d", i)
			commands[name] = word.Draw(t, "command")
			members := []string{`"command":` + blank("b") + commands[name]}
			if rapid.Bool().Draw(t, "has args") {
				args := rapid.SliceOfN(word, 0, 3).Draw(t, "args")
				members = append(members, `"args":`+blank("b")+"["+blank("b")+strings.Join(args, blank("b")+",")+blank("b")+"]")
			}
			if rapid.Bool().Draw(t, "turned") {
				members[0], members[len(members)-1] = members[len(members)-1], members[0]
			}
			list = append(list, fmt.Sprintf("%q:{%s%s}", name, blank("b"), strings.Join(members, ","+blank("b"))))
		}
		before := "{" + blank("b") + `"mcpServers":{` + strings.Join(list, ",") + blank("b") + "}}"
		c := Clients()[0]
		got, err := c.Wrap([]byte(before), proxy)
		if err != nil {
			t.Fatalf("%s: %v", before, err)
		}
		plain, err := hujson.Standardize([]byte(string(got.Text)))
		if err != nil {
			t.Fatalf("%s: %v", got.Text, err)
		}
		var read struct {
			Servers map[string]struct {
				Command string
				Args    []string
			} `json:"mcpServers"`
		}
		if err := json.Unmarshal(plain, &read); err != nil {
			t.Fatalf("%s: %v", plain, err)
		}
		for name, s := range read.Servers {
			var command string
			_ = json.Unmarshal([]byte(commands[name]), &command) // it was marshalled
			if s.Command != proxy.Binary || len(s.Args) < 5 || s.Args[4] != command {
				t.Fatalf("%s: got %+v, want it behind the proxy", name, s)
			}
		}
		back, err := c.Unwrap(got.Text)
		if err != nil || string(back.Text) != before {
			t.Fatalf("undone: got %s, %v, want %s", back.Text, err, before)
		}
	})
}
