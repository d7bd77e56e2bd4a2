package paths

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// The bounds of a pattern. Beyond them it is an error and allows nothing.
const (
	maxPattern      = 4096
	maxAlternatives = 64
	maxSegments     = 128
)

// Glob is a compiled path pattern. In it "*" stands for any run of characters within a directory,
// "**" for any run of directories (also none), "?" for one character, "[ab]" and "[!ab]" for a
// class, "{a,b}" for alternatives, and a backslash takes the meaning of the next character. A path
// spelled exactly as the pattern always matches.
type Glob struct {
	literal      string
	alternatives [][]string
}

// Anchor makes a rule's content absolute: "~/" is the home directory, a leading
// "**/" means anywhere, "/" is the root, and anything else lies below root, or
// beside it after a leading "../".
func Anchor(content, root, home string) (string, error) {
	switch {
	case content == "":
		return "", errors.New("the pattern is empty")
	case content == "~" || strings.HasPrefix(content, "~/"):
		if home == "" {
			return "", fmt.Errorf("pattern %q: the home directory is unknown", content)
		}
		return Escape(home) + content[1:], nil
	case strings.HasPrefix(content, "/"):
		return content, nil
	case content == "**" || strings.HasPrefix(content, "**/"):
		return "/" + content, nil
	case root == "":
		return "", fmt.Errorf("pattern %q is relative, and there is no directory to anchor it at", content)
	}
	for content == ".." || strings.HasPrefix(content, "../") {
		root, content = path.Dir(root), strings.TrimPrefix(content[2:], "/")
	}
	return Escape(strings.TrimSuffix(root, "/")) + "/" + content, nil
}

// Compile compiles an absolute pattern. Its "." and empty segments are dropped; ".." is an error,
// because its meaning behind a "**" is unclear.
func Compile(pattern string) (Glob, error) {
	texts, err := expandBraces(pattern)
	if err != nil {
		return Glob{}, err
	}
	g := Glob{literal: path.Clean(pattern)}
	for _, text := range texts {
		segments, err := splitPattern(text)
		if err != nil {
			return Glob{}, err
		}
		g.alternatives = append(g.alternatives, segments...)
		if len(g.alternatives) > maxAlternatives {
			return Glob{}, fmt.Errorf("the pattern has more than %d alternatives", maxAlternatives)
		}
	}
	return g, nil
}

// splitPattern cuts a pattern without braces into its segments. A "**" as a part of its segment, as
// in "src/**.ts" and "**secrets**", crosses directories too and gives a second alternative.
func splitPattern(text string) ([][]string, error) {
	forms := [][]string{nil}
	for _, segment := range strings.Split(text, "/") {
		switch segment {
		case "", ".":
			continue
		case "..":
			return nil, errors.New(`the pattern has a ".." segment`)
		}
		if !doublestar.ValidatePattern(segment) {
			return nil, fmt.Errorf("the pattern's part %q is not a glob", segment)
		}
		if segment == "**" {
			forms = appendEach(forms, segment)
			continue
		}
		var whole [][]string
		for _, way := range crossings(segment) {
			whole = append(whole, appendEach(cloneEach(forms), way...)...)
			if len(whole) > maxAlternatives {
				break
			}
		}
		forms = whole
		if len(forms) > maxAlternatives {
			return nil, fmt.Errorf("the pattern has more than %d alternatives", maxAlternatives)
		}
	}
	for _, form := range forms {
		if len(form) > maxSegments {
			return nil, fmt.Errorf("the pattern has more than %d segments", maxSegments)
		}
	}
	return forms, nil
}

// crossings are the meanings of one segment, each as segments: with every "**" in it as a star, and
// as any directories between two names.
func crossings(segment string) [][]string {
	at := doubleStar(segment)
	if at < 0 {
		return [][]string{{segment}}
	}
	before := segment[:at]
	var list [][]string
	for _, rest := range crossings(strings.TrimLeft(segment[at:], "*")) {
		list = append(list,
			append([]string{before + "*" + rest[0]}, rest[1:]...),
			append([]string{before + "*", "**", "*" + rest[0]}, rest[1:]...))
		if len(list) > maxAlternatives {
			break
		}
	}
	return list
}

// doubleStar finds the first "**" outside escapes and classes; -1 without one.
func doubleStar(segment string) int {
	for i := 0; i+1 < len(segment); i++ {
		switch segment[i] {
		case '\\':
			i++
		case '[':
			if n := strings.IndexByte(segment[i:], ']'); n > 1 {
				i += n
			}
		case '*':
			if segment[i+1] == '*' {
				return i
			}
		}
	}
	return -1
}

func appendEach(forms [][]string, segments ...string) [][]string {
	for i := range forms {
		forms[i] = append(forms[i], segments...)
	}
	return forms
}

func cloneEach(forms [][]string) [][]string {
	clones := make([][]string, len(forms))
	for i, form := range forms {
		clones[i] = append([]string(nil), form...)
	}
	return clones
}

// expandBraces returns the texts of a pattern's "{a,b}" groups. A brace without its partner is
// literal.
func expandBraces(pattern string) ([]string, error) {
	if len(pattern) > maxPattern {
		return nil, fmt.Errorf("the pattern is longer than %d bytes", maxPattern)
	}
	open, comma, end := findGroup(pattern)
	if open < 0 {
		return []string{escapeBraces(pattern)}, nil
	}
	var texts []string
	starts := append([]int{open}, comma...)
	for i, start := range starts {
		stop := end
		if i < len(comma) {
			stop = comma[i]
		}
		expanded, err := expandBraces(pattern[:open] + pattern[start+1:stop] + pattern[end+1:])
		if err != nil {
			return nil, err
		}
		if texts = append(texts, expanded...); len(texts) > maxAlternatives {
			return nil, fmt.Errorf("the pattern has more than %d alternatives", maxAlternatives)
		}
	}
	return texts, nil
}

// Alternatives returns a glob's alternatives without braces. Braces without a partner are escaped
// in them.
func Alternatives(glob string) ([]string, error) { return expandBraces(glob) }

// Beginnings returns the beginning of each alternative of a file glob before its first wildcard,
// whole names only: "{src,secrets}/*.go" begins with src and with secrets. Alternatives with a
// wildcard in front give nothing.
func Beginnings(glob string) ([]string, error) {
	texts, err := expandBraces(glob)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, text := range texts {
		if meta := strings.IndexAny(text, `*?[\`); meta >= 0 {
			text = text[:strings.LastIndexByte(text[:meta], '/')+1]
		}
		if text = strings.TrimRight(text, "/"); text != "" && !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list, nil
}

// escapeBraces escapes the braces without a partner.
func escapeBraces(pattern string) string {
	if !strings.ContainsAny(pattern, "{}") {
		return pattern
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			b.WriteByte('\\')
			if i++; i == len(pattern) {
				return b.String()
			}
		case '{', '}':
			b.WriteByte('\\')
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// findGroup finds the first "{...}" with its commas; open is -1 without one.
// Escaped characters and those in a class are no braces.
func findGroup(pattern string) (open int, commas []int, end int) {
	open = -1
	depth := 0
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '[':
			if n := strings.IndexByte(pattern[i:], ']'); n > 1 {
				i += n
			}
		case '{':
			if depth == 0 {
				open, commas = i, nil
			}
			depth++
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		case '}':
			if depth == 1 {
				return open, commas, i
			}
			if depth > 0 {
				depth--
			}
		}
	}
	return -1, nil, 0
}

// Match reports whether the glob names p, a clean absolute path. With self a pattern ending in
// "/**" or "/*" also names the directory itself.
func (g Glob) Match(p string, self bool) bool {
	if p == g.literal {
		return true
	}
	var names []string
	if p != "/" {
		names = strings.Split(strings.TrimPrefix(p, "/"), "/")
	}
	for _, segments := range g.alternatives {
		if last := len(segments) - 1; self && last > 0 && segments[last] == "*" && matchSegments(segments[:last], names, false) {
			return true
		}
		if matchSegments(segments, names, self) {
			return true
		}
	}
	return false
}

// matchSegments matches segment by segment, so no class or "?" crosses a slash. reach[j] means the
// segments so far can have matched names[:j].
func matchSegments(segments, names []string, self bool) bool {
	reach := make([]bool, len(names)+1)
	reach[0] = true
	for i, segment := range segments {
		next := make([]bool, len(names)+1)
		any := false
		for j := range next {
			switch {
			case segment != "**":
				next[j] = j > 0 && reach[j-1] && matchName(segment, names[j-1])
			case i == len(segments)-1 && !self: // "dir/**" is everything in dir
				next[j] = j > 0 && (reach[j-1] || next[j-1])
			default:
				next[j] = reach[j] || j > 0 && next[j-1]
			}
			any = any || next[j]
		}
		if !any {
			return false
		}
		reach = next
	}
	return reach[len(names)]
}

func matchName(segment, name string) bool {
	if !strings.ContainsAny(segment, `*?[\{`) {
		return segment == name
	}
	return doublestar.MatchUnvalidated(segment, name)
}

// Escape returns a pattern naming exactly p.
func Escape(p string) string {
	if !strings.ContainsAny(p, `*?[]{}\`) {
		return p
	}
	var b strings.Builder
	for i := range len(p) {
		if strings.IndexByte(`*?[]{}\`, p[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(p[i])
	}
	return b.String()
}
