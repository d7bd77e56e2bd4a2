package convert

import (
	"strings"

	"github.com/callgate/callgate/engine"
)

// crossing turns a path pattern with * crossing directories into globs. With classes, [ab] is a
// class there, and not three characters. For allow the globs match no more than the pattern, for
// deny and ask no less.
func crossing(b engine.Behavior, pattern string, classes bool) string {
	special := `\{}`
	if !classes {
		special += "[]"
	}
	var quoted strings.Builder
	for _, r := range pattern {
		if strings.ContainsRune(special, r) {
			quoted.WriteByte('\\')
		}
		quoted.WriteRune(r)
	}
	if strings.Trim(pattern, "*") == "" {
		return "" // the whole tool
	}
	parts := strings.Split(quoted.String(), "/")
	for i, p := range parts {
		parts[i] = crossingPart(b, p, i == len(parts)-1)
	}
	out := strings.Join(parts, "/")
	for strings.Contains(out, "**/**/") {
		out = strings.ReplaceAll(out, "**/**/", "**/")
	}
	switch {
	case !strings.HasPrefix(out, "**"):
	case b == engine.Allow:
		return "./" + out
	case !strings.HasPrefix(out, "**/"):
		return "**/" + out // anywhere, not only where relative patterns start
	}
	return out
}

// crossingPart turns one part between slashes.
func crossingPart(b engine.Behavior, p string, last bool) string {
	stars := strings.Contains(p, "*")
	switch {
	case !stars:
		return p
	case strings.Trim(p, "*") == "" && b == engine.Allow && !last:
		return "**/*" // the slash behind it must be there, and so must a directory
	case strings.Trim(p, "*") == "":
		return "**"
	case b != engine.Allow:
		for strings.Contains(p, "**") {
			p = strings.ReplaceAll(p, "**", "*")
		}
		return strings.ReplaceAll(p, "*", "**")
	}
	for strings.Contains(p, "**") {
		p = strings.ReplaceAll(p, "**", "*")
	}
	if last && strings.HasPrefix(p, "*") && strings.Count(p, "*") == 1 {
		return "**/" + p
	}
	return p
}

// ignoring turns a pattern as in .gitignore, relative to the agent's directory, into the contents
// of rules. dir is the start of a pattern with a slash in front, "" when unknown. Without a result,
// why says the reason.
func ignoring(b engine.Behavior, pattern, dir string) (contents []string, why string) {
	allow := b == engine.Allow
	p := strings.ReplaceAll(pattern, `\`, `\\`)
	directory := strings.TrimSuffix(p, "/")
	slashed := strings.Contains(directory, "/")
	switch {
	case directory == p || directory == "":
	case allow:
		p += "**"
	default:
		p = directory // a deny or ask rule for a directory holds for everything in it
	}
	switch {
	case p == "" || strings.HasPrefix(p, "!") || strings.HasPrefix(p, "#"):
		return nil, "a negated or empty pattern has no counterpart: write a rule for what it should match"
	case strings.HasPrefix(p, "//"):
		p = p[1:]
	case strings.HasPrefix(p, "/"):
		if dir == "" && allow {
			return nil, "it starts where the settings file belongs: say where with --dir, or write a relative or a //absolute pattern"
		}
		p = dir + p
		if dir == "" {
			p = "." + p
		}
	case strings.HasPrefix(p, "~/"):
	case allow && strings.HasPrefix(p, "**/"), allow && !slashed && !strings.HasPrefix(p, "./"):
		p = "./**/" + strings.TrimPrefix(p, "**/")
	}
	braces := strings.NewReplacer("{", `\{`, "}", `\}`).Replace(p)
	if allow || braces == p {
		return []string{braces}, ""
	}
	return []string{braces, p}, ""
}
