// Package builder puts a rule together from a person's choices: a tool, a kind of pattern, a
// text. It knows tools only by their own description of their rules; it asks no person and
// stores nothing. Source: docs/seeds.md, "Permission Builder UI" and "3. Visual Pattern
// Builder".
package builder

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/wire"
)

// Kind is a kind of pattern.
type Kind string

// The kinds.
const (
	Whole  Kind = "whole"
	Exact  Kind = "exact"
	Prefix Kind = "prefix"
	Glob   Kind = "glob"
	Domain Kind = "domain"
	Member Kind = "member"
)

// labels are the kinds for people.
var labels = map[Kind]string{
	Whole:  "every call of the tool",
	Exact:  "one text, exactly",
	Prefix: "what begins with these words",
	Glob:   "a pattern of paths: * stays in a directory, ** crosses them",
	Domain: "a host, or *. and a domain for its subdomains",
	Member: "one member of the input, name:value with * for any text, or the whole input as JSON",
}

// Label is the kind for people.
func (k Kind) Label() string { return labels[k] }

var (
	hostName = regexp.MustCompile(`^(\*\.)?([a-z0-9-]+\.)+[a-z]{2,}$`)
	member   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*:.`)
)

// Kinds are the kinds a tool reads: those of the contents in its own rule examples, and the whole
// tool.
func Kinds(info wire.Tool) []Kind {
	seen := map[Kind]bool{Whole: true}
	for _, e := range info.RuleExamples {
		seen[kindOf(e.Content)] = true
	}
	var out []Kind
	for _, k := range []Kind{Whole, Exact, Prefix, Glob, Domain, Member} {
		if seen[k] {
			out = append(out, k)
		}
	}
	return out
}

func kindOf(content string) Kind {
	switch {
	case content == "" || content == "*":
		return Whole
	case strings.HasSuffix(content, ":*") || strings.HasSuffix(content, " *"):
		return Prefix
	case hostName.MatchString(strings.TrimPrefix(content, "domain:")):
		return Domain
	case strings.HasPrefix(content, "{") || member.MatchString(content) && !strings.ContainsAny(content, " /"):
		return Member
	case strings.Contains(content, "*"):
		return Glob
	}
	return Exact
}

// Rule is the text form of a rule. The error describes a mistake in the text; only the tool knows
// whether it can read it.
func Rule(tool string, k Kind, text string) (string, error) {
	trimmed := strings.TrimSpace(text)
	switch {
	case k == Whole:
		return tool, nil
	case trimmed == "":
		return "", errors.New("type a pattern, or go back and choose the whole tool")
	case strings.ContainsAny(text, "\n\r\x00"):
		return "", errors.New("a pattern is one line")
	case trimmed == "*":
		return "", errors.New("* alone is the whole tool: go back and choose that")
	case k == Exact && strings.Contains(text, "*"):
		return "", errors.New("a * is no exact text: go back and choose a kind of pattern")
	case k == Prefix:
		words := strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(trimmed, "*"), ":"))
		if words == "" || strings.Contains(words, "*") {
			return "", errors.New("type the words that it begins with, such as git commit")
		}
		trimmed = words + ":*"
	case k == Domain && strings.Contains(trimmed, "://"):
		return "", errors.New("type the host alone, such as github.com")
	}
	return tool + "(" + trimmed + ")", nil
}

// Dangers are the dangers of a broad allow rule, one sentence each; none for a tightening rule.
func Dangers(r engine.Rule) []string {
	if r.Behavior != engine.Allow {
		return nil
	}
	var out []string
	if strings.ContainsAny(r.Tool, "*?") {
		out = append(out, "it holds for every tool whose name matches "+r.Tool+", also for those to come")
	}
	switch {
	case r.WholeTool():
		out = append(out, "it allows every call of "+r.Tool+", whatever the call says")
	case strings.Trim(*r.Content, "*?/.~:{} ") == "":
		out = append(out, "its pattern matches nearly everything")
	case strings.Contains(*r.Content, "**"):
		out = append(out, "** crosses directories: all that lies below is meant")
	case kindOf(*r.Content) == Prefix && len(strings.Fields(*r.Content)) == 1:
		out = append(out, "it allows every command that begins with "+strings.TrimRight(*r.Content, ":*")+", with all its sub-commands and options")
	}
	if r.Scope == engine.Global {
		out = append(out, "it holds for every agent and every project")
	}
	return out
}

// Preview describes a rule before it is stored: the rule with its scope and duration, whether it
// exists already, its dangers, and notes on earlier rules. One line each, not yet made visible;
// times are of this machine.
func Preview(r engine.Rule, exists bool, notes []string) []string {
	until := "for good"
	if !r.ExpiresAt.IsZero() {
		until = "until " + r.ExpiresAt.Local().Format(time.DateTime)
	}
	out := []string{fmt.Sprintf("%s %s (%s, %s)", r.Behavior, r, strings.TrimSpace(string(r.Scope)+" "+r.ScopeKey), until)}
	if exists {
		out = append(out, "it is there already: storing it changes nothing but a later end")
	}
	for _, danger := range Dangers(r) {
		out = append(out, "DANGER: "+danger)
	}
	for _, note := range notes {
		out = append(out, "note: "+note)
	}
	return out
}

// Call is one of the last calls of a tool.
type Call struct {
	// Input is the call's input as the audit has it, and Text how a person reads it.
	Input, Text string
	// Masked reports whether secrets were removed from it, so a rule's effect on it is unknown.
	Masked bool
}

// Report lists the latest calls and marks those a pattern matches. matched answers for one of them,
// as an allow rule and as a deny or ask rule.
func Report(calls []Call, matched func(Call) (allow, deny bool, err error)) string {
	if len(calls) == 0 {
		return "there are no calls of this tool yet to try it on"
	}
	var allow, deny []string
	masked, tried := 0, 0
	for _, c := range calls {
		if c.Masked {
			masked++
			continue
		}
		a, d, err := matched(c)
		if err != nil {
			return "not a pattern yet: " + err.Error()
		}
		tried++
		if a {
			allow = append(allow, c.Text)
		}
		if d {
			deny = append(deny, c.Text)
		}
	}
	text := fmt.Sprintf("of your last %d calls it would allow %s; as deny or ask it would hit %s", tried, some(allow), some(deny))
	if masked > 0 {
		text += fmt.Sprintf("; %d more hold masked secrets and cannot be tried", masked)
	}
	return text
}

// maxNamed is how many calls a report names.
const maxNamed = 3

// some is a number with the first few texts.
func some(texts []string) string {
	if len(texts) == 0 {
		return "none"
	}
	named := texts[:min(len(texts), maxNamed)]
	out := fmt.Sprintf("%d (%s", len(texts), strings.Join(named, ", "))
	if len(texts) > maxNamed {
		out += ", ..."
	}
	return out + ")"
}
