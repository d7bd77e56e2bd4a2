package runner

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/callgate/callgate/host/wire"
)

// Definition is one definition of an MCP server in a client's files: the source in the client's
// word (user, project), and the text that a change of the server changes.
type Definition struct{ Source, Text string }

// Identify are the facts about the MCP server of a name: all its definitions, and in said the
// client's own description of it in the call; empty for none.
func Identify(name string, found []Definition, said string) *wire.Server {
	s := &wire.Server{Name: name, Source: "unknown"}
	var texts []string
	for _, d := range found {
		texts = append(texts, d.Text)
	}
	switch {
	case len(found) > 1:
		s.Doubt = wire.DoubtClaimedTwice
		fallthrough
	case len(found) == 1:
		s.Source = found[0].Source
	case said == "":
		s.Doubt = wire.DoubtNotFound
	}
	if said != "" {
		texts = append(texts, said)
	}
	if len(texts) > 0 {
		sum := sha256.Sum256([]byte(strings.Join(texts, "\n")))
		s.Definition = hex.EncodeToString(sum[:16])
	}
	return s
}

// Tool is a tool's name for the gate: that of one of the client's own tools as it is, any other
// behind the client's name, so that a tool of a server or a plugin is not taken for a first-party
// one of the same name. No module knows such a name, and the call asks.
func Tool(client, name string, own map[string]bool) string {
	if own[name] {
		return name
	}
	return client + "__" + cmp.Or(InToolName(name), "_")
}

// InToolName is a server's name as the client writes it into a tool's: characters other than a
// letter, a digit, "_" or "-" become "_".
func InToolName(name string) string {
	var out strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			out.WriteRune(r)
		case r > 0xFFFF: // the client counts in UTF-16
			out.WriteString("__")
		default:
			out.WriteByte('_')
		}
	}
	return out.String()
}
