package bash

import (
	"slices"
	"strings"
)

// begunBy returns the exact rule with the beginning of the line as its text, up to an &&, where
// every command behind only reads; -1 without one. The text begins with cd: elsewhere its parts have
// rules of their own, and a part that stands alone would belong to no directory.
func (l *Line) begunBy(rules []rule, world surroundings) int {
	text := strings.TrimSpace(l.Text)
	if !strings.HasPrefix(text, "cd ") || l.Opaque != "" || l.Hidden != "" {
		return -1
	}
	return slices.IndexFunc(rules, func(r rule) bool {
		rest, begins := strings.CutPrefix(text, r.text)
		return r.kind == exactRule && !r.lines && begins && strings.HasPrefix(strings.TrimLeft(rest, " \t"), "&&") && l.readsBehind(r.text, world)
	})
}

// readsBehind reports whether the commands of the line behind those of its beginning only read, and
// the beginning leaves them the shell as it was, but for its directory.
func (l *Line) readsBehind(beginning string, world surroundings) bool {
	head := Analyze(beginning, l.Setting)
	n := len(head.Commands)
	if head.Opaque != "" || head.Hidden != "" || head.assigns || n == 0 || n > len(l.Commands) {
		return false
	}
	for i, cmd := range head.Commands {
		same := l.Commands[i]
		if cmd.Source != same.Source || !slices.Equal(texts(cmd.Words), texts(same.Words)) || !slices.Equal(cmd.Dirs, same.Dirs) || len(cmd.Assigns) > 0 || len(cmd.Words) == 0 || same.Input != nil {
			return false
		}
		if name := cmd.Name(); !changesDir(name) && slices.Contains(builtins, name) || strings.Trim(name, ".") == "" {
			return false
		}
	}
	return !slices.ContainsFunc(l.Commands[n:], func(cmd *Command) bool {
		ok, _ := l.readOnly(cmd, world)
		return !ok || l.heedsPlaced(cmd)
	})
}

// beginning proposes the shortest such text for the line; none where nothing may be left out.
func (c *call) beginning() suggestion {
	text := c.line.Text
	for at := strings.Index(text, "&&"); at >= 0; {
		head := strings.TrimSpace(text[:at])
		if len(head) <= maxExactText && !strings.Contains(head, "\n") {
			if r := parseRule(escapeRule(head)); c.line.begunBy([]rule{r}, c) == 0 {
				return suggestion{escapeRule(head), "exactly this, and reading behind it", quotable(strings.TrimSpace(text))}
			}
		}
		next := strings.Index(text[at+2:], "&&")
		if next < 0 {
			break
		}
		at += 2 + next
	}
	return suggestion{}
}
