package bash

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

// absolute returns p, as written on the line, as a cleaned absolute path where the setting
// allows it. The host follows links, not absolute.
func (s Setting) absolute(p string) string {
	switch {
	case p == "~" || strings.HasPrefix(p, "~/"):
		if s.Home == "" {
			return p
		}
		p = s.Home + p[1:]
	case !strings.HasPrefix(p, "/"):
		p = s.CWD + "/" + p
		if s.CWD == "" {
			return path.Clean(p[1:])
		}
	}
	return path.Clean(p)
}

// secret implements surroundings.secret.
func (c *call) secret(t touch) bool {
	return !c.line.harmless(t.path) && (slices.ContainsFunc(c.forms(t), c.policy.SecretPath) || c.searches(t))
}

// seeks implements surroundings.seeks.
func (c *call) seeks(glob string) bool { return c.policy.SeeksSecret(glob) }

// searches reports whether the command looks into all files below the path, and
// secrets are known to be there.
func (c *call) searches(t touch) bool {
	d := &tool.Description{}
	m := &marker{d: d, line: c.line, cmd: t.cmd}
	m.trees()
	tree := tool.Mark{Kind: tool.Tree, Value: cmp.Or(strings.TrimSuffix(t.path, "/"), "/"), Access: tool.Read}
	hidden := slices.Contains(d.Marks, tree)
	tree.Value = strings.TrimSuffix(tree.Value, "/") + "/**/" + plainNames
	return (hidden || slices.Contains(d.Marks, tree)) && slices.ContainsFunc(c.forms(t), func(p string) bool {
		return c.policy.SecretBelow(paths.Place{Lexical: p, Resolved: p}, hidden)
	})
}

// protects says why the changes of t are protected, by any form of its path; empty when they
// are not.
func (c *call) protects(t touch) string {
	if t.path == "" {
		if t.word.Text == "" {
			return ""
		}
		return c.policy.ProtectedPath(t.word.Text) // an unknown part does not hide a known name
	}
	if c.line.harmless(t.path) {
		return ""
	}
	for _, p := range c.forms(t) {
		if t.spreads && (p == "/" || c.set.Home != "" && within(c.set.Home, p)) {
			return "where files of any name would lie"
		}
		if why := c.policy.ProtectedPath(p); why != "" {
			return why
		}
	}
	for _, found := range c.found(t) {
		if place, err := paths.Found(found); err == nil {
			if why := c.policy.Protected(place); why != "" {
				return why
			}
		}
	}
	return ""
}

// expandBraces returns the alternatives of an unquoted brace word; nil when
// there are too many to name.
func expandBraces(s string) []string {
	if strings.Count(s, "{") > 6 || strings.Count(s, ",") > 64 || len(s) > 4096 {
		return nil
	}
	out := alternatives(s)
	if len(out) > 64 {
		return nil
	}
	return out
}

func alternatives(s string) []string {
	open := strings.IndexByte(s, '{')
	if open < 0 {
		return []string{s}
	}
	depth, start := 0, open+1
	var parts []string
	for i := open; i < len(s); i++ {
		switch s[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth > 0 {
				continue
			}
			parts = append(parts, s[start:i])
			var out []string
			for _, part := range parts {
				for _, alternative := range alternatives(part) {
					for _, rest := range alternatives(s[i+1:]) {
						if out = append(out, s[:open]+alternative+rest); len(out) > 64 {
							return out
						}
					}
				}
			}
			return out
		case ',':
			if depth == 1 {
				parts = append(parts, s[start:i])
				start = i + 1
			}
		}
	}
	return []string{s}
}
