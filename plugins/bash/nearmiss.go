package bash

import (
	"encoding/json"
	"strings"
)

// otherCommand is the command a near miss adds to a line: no suggested rule is about it.
const otherCommand = "curl https://other.example"

// nearMisses are inputs close to the call's outside a suggested rule: the line with one more
// command, and the rule's own words with another sub-command or, for an exact text, with one
// more argument. RATIONALE.md, "What are near misses for?".
func (c *call) nearMisses(content string) []json.RawMessage {
	text := strings.TrimSpace(c.line.Text)
	lines := []string{text + " && " + otherCommand}
	r := parseRule(content)
	switch n := len(r.words) - 1; {
	case len(r.without) > 0:
		lines = append(lines, strings.Join(r.words, " ")+" "+r.without[0])
	case r.bare:
		lines = append(lines, text+" other")
	case r.kind == postRule:
		lines = append(lines, "gh api -X DELETE "+strings.ReplaceAll(r.post.path, "*", "1"))
	case r.kind == editRule:
		lines = append(lines, "cp /etc/hosts /etc/hosts.other")
	case r.kind == requestRule:
		lines = append(lines, "curl --data-raw other "+r.request.scheme+"://"+r.request.host+"/")
	case r.kind == prefixRule && n > 0:
		last, _, _ := strings.Cut(strings.TrimPrefix(r.words[n], "{"), ",")
		lines = append(lines, strings.Join(r.words[:n], " ")+" other-than-"+last)
	default:
		lines = append(lines, text+" --other")
	}
	lines = append(lines, text+"\n"+otherCommand)
	out := make([]json.RawMessage, len(lines))
	for i, line := range lines {
		out[i] = quoteCommand(line)
	}
	return out
}
