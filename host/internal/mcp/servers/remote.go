package servers

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/mcp"
)

// upstreamVariable holds, for the proxy, the client's own entry of a server over HTTP: so no secret
// of it stands among arguments, which every account of the machine can read.
const upstreamVariable = "CALLGATE_MCP_UPSTREAM"

// UpstreamArg is the value of --upstream that names the variable.
const UpstreamArg = "env:" + upstreamVariable

// remote reads a server that is reached over HTTP; why says why it is left alone. The text of the
// entry is kept whole within the new one, so that undoing is exact.
func (c Client) remote(text []byte, n *node) (e entry, why string) {
	address, kind := n.member("url"), ""
	if t := n.member("type"); t != nil && t.kind == '"' {
		kind = t.str(text)
	}
	switch {
	case n.member("httpUrl") != nil:
		address = n.member("httpUrl")
	case address == nil:
		return e, "it has neither a command nor a url"
	case c.joined && kind != "remote", !c.joined && kind != "http" && kind != "streamable-http":
		return e, "its url may be of the older transport (sse), which the proxy does not speak"
	}
	if address.kind != '"' {
		return e, "its url is no string"
	}
	for _, name := range []string{"oauth", "headersHelper", "authProviderType", "auth"} {
		if m := n.member(name); m != nil && string(text[m.start:m.end]) != "false" {
			return e, "the client signs in to it (" + name + ")"
		}
	}
	for _, name := range []string{"args", "env", "environment", "cwd"} {
		if n.member(name) != nil {
			return e, "it has " + name + " beside its url"
		}
	}
	if at := address.str(text); !strings.Contains(at, "$") && !strings.Contains(at, "{") { // else the client fills it in
		if _, err := mcp.ParseUpstream(at); err != nil {
			return e, err.Error()
		}
	}
	return entry{text: text, whole: n}, ""
}

// transport are the members of an entry that say how the server is reached.
var transport = []string{"type", "url", "httpUrl", "headers"}

// bridge is the entry that starts the proxy with the whole entry of a server over HTTP. Members that
// do not say how it is reached stay.
func (c Client) bridge(e entry, binary string, args []string) []splice {
	words := append(slices.Clone(args), "--upstream", UpstreamArg)
	original := quote(string(e.text[e.whole.start:e.whole.end]))
	var out []byte
	if c.joined {
		out = slices.Concat([]byte(`{"type": "local", "command": [`), quoted(append([]string{binary}, words...)), []byte(`], "environment": {`))
	} else {
		kind := ""
		if c.Name == "claude-code" {
			kind = `"type": "stdio", `
		}
		out = slices.Concat([]byte("{"+kind+`"command": `), quote(binary), []byte(`, "args": [`), quoted(words), []byte(`], "env": {`))
	}
	out = slices.Concat(out, quote(upstreamVariable), []byte(": "), original, []byte("}"))
	for _, it := range e.whole.items {
		if !slices.Contains(transport, it.name) {
			out = slices.Concat(out, []byte(", "), e.text[it.start:it.value.end])
		}
	}
	return []splice{{e.whole.start, e.whole.end, append(out, '}')}}
}

// bridged is the original entry within one of bridge; nil for another.
func (c Client) bridged(text []byte, n *node) []byte {
	variables := "env"
	if c.joined {
		variables = "environment"
	}
	v := n.member(variables).member(upstreamVariable)
	if v == nil || v.kind != '"' {
		return nil
	}
	return []byte(v.str(text))
}
