package modules

import "regexp"

// form is a form of names: a pattern, and how many bytes at most. RATIONALE.md, "Why do patterns not
// count?".
type form struct {
	pattern *regexp.Regexp
	most    int
}

// MatchString reports whether a text has the form.
func (f form) MatchString(s string) bool { return len(s) <= f.most && f.pattern.MatchString(s) }
