package bash

import (
	"encoding/json"
	"strings"
)

// otherCommand is what a near miss adds to a line: a command that no suggested rule
// is about.
const otherCommand = "curl https://example.com"

// nearMisses are inputs close to the call's that a suggested rule must not cover:
// the line with one more command, and the rule's own words with another
// sub-command or, for an exact text, with one more argument.
func (c *call) nearMisses(content string) []json.RawMessage {
	text := strings.TrimSpace(c.line.Text)
	lines := []string{text + " && " + otherCommand}
	if r := parseRule(content); r.kind == prefixRule && len(r.words) > 1 {
		lines = append(lines, strings.Join(r.words[:len(r.words)-1], " ")+" other-than-"+r.words[len(r.words)-1])
	} else {
		lines = append(lines, text+" --other")
	}
	lines = append(lines, text+"\n"+otherCommand)
	out := make([]json.RawMessage, len(lines))
	for i, line := range lines {
		out[i] = quoteCommand(line)
	}
	return out
}
