package engine

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"
)

// Rule is one standing answer. Its Content is the tool's language; the engine
// reads nothing in it but "no content", which means the whole tool.
type Rule struct {
	ID string `json:"id,omitempty"`
	// Tool is a tool's name or alias, or a glob over names ("mcp__github__*").
	Tool string `json:"tool"`
	// Content nil, "" or "*" means the whole tool.
	Content  *string  `json:"content"`
	Behavior Behavior `json:"behavior"`
	// Source tells where the rule was written ("userSettings", "project_file");
	// it changes nothing, except that ProjectFile may only tighten.
	Source string `json:"source,omitempty"`
	Scope  Scope  `json:"scope,omitempty"`
	// ScopeKey is the project root, agent or session the rule belongs to; empty
	// for global rules.
	ScopeKey  string    `json:"scope_key,omitempty"`
	CreatedBy string    `json:"created_by,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Reason    string    `json:"reason,omitempty"`
	// Server is the identity of the MCP server for which an allow rule was accepted;
	// the rule holds for no other one. Empty means that the name in Tool is all that
	// is known.
	Server string `json:"server,omitempty"`
	// Match and NotMatch are inputs (command text, path, or a JSON object) that
	// the rule must, or must not, match; checked when it is loaded.
	Match    []string `json:"match,omitempty"`
	NotMatch []string `json:"not_match,omitempty"`
	// OnlyTightens tells that the rule, like one of a project's file, may take the
	// place of an allow or an ask, and never of a denial: it is of one of two
	// configurations between which a person has yet to decide.
	OnlyTightens bool `json:"-"`
}

// onlyTightens reports whether the rule may not decide by itself.
func (r *Rule) onlyTightens() bool { return r.OnlyTightens || r.Source == SourceProjectFile }

// Scope tells to which calls a rule applies.
type Scope string

// The scopes. Grants are allow rules of scope Session.
const (
	Global  Scope = "global"
	Project Scope = "project"
	Agent   Scope = "agent"
	Session Scope = "session"
)

// SourceProjectFile is the Source of rules read from a project's
// .callgate.yaml. They may only tighten.
const SourceProjectFile = "project_file"

// ParseScope reads a scope by its word.
func ParseScope(s string) (Scope, error) {
	switch sc := Scope(s); sc {
	case Global, Project, Agent, Session:
		return sc, nil
	}
	return "", fmt.Errorf("unknown scope %q: want global, project, agent or session", s)
}

// WholeTool reports whether the rule speaks of every call of its tool.
func (r Rule) WholeTool() bool {
	return r.Content == nil || *r.Content == "" || *r.Content == "*"
}

func (r *Rule) wholeTool() bool { return r.WholeTool() }

// clone lets a decision keep the rule whatever becomes of the request.
func (r *Rule) clone() *Rule {
	c := *r
	return &c
}

// String returns the text form, "Tool" or "Tool(content)".
func (r Rule) String() string {
	if r.WholeTool() {
		return r.Tool
	}
	return r.Tool + "(" + *r.Content + ")"
}

// ParseRule reads the text form "Tool" or "Tool(content)". The content runs to
// the last parenthesis, so it may hold parentheses itself. The result is a
// deny rule until the caller sets its Behavior.
func ParseRule(text string) (Rule, error) {
	name, rest, hasContent := strings.Cut(text, "(")
	if strings.TrimSpace(name) == "" {
		return Rule{}, fmt.Errorf("rule %q: no tool name before the content", text)
	}
	if name != strings.TrimSpace(name) {
		return Rule{}, fmt.Errorf("rule %q: blanks around the tool name", text)
	}
	if !IsToolName(name) {
		return Rule{}, fmt.Errorf("rule %q: %q is not a tool name: want one, such as Bash or mcp__github__*", text, name)
	}
	if !hasContent {
		return Rule{Tool: name}, nil
	}
	content, closed := strings.CutSuffix(rest, ")")
	if !closed {
		return Rule{}, fmt.Errorf("rule %q: the content is not closed: want Tool(content)", text)
	}
	r := Rule{Tool: name, Content: &content}
	if r.WholeTool() {
		r.Content = nil
	}
	return r, nil
}

// IsToolName reports whether a text can be a tool's name or a glob over names: it
// has no blanks, nothing that cannot be seen, and none of the signs with which
// lists, classes and contents are written. A rule for such a name would never match.
func IsToolName(name string) bool {
	return name != "" && !strings.ContainsAny(name, "(),;|{}[]\"'`") && !strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) })
}

// ErrBareStar refuses a name that is only stars.
var ErrBareStar = errors.New("a tool name of only stars matches every tool: name the tools, or use a mode")

// MatchName reports whether pattern, a tool name or a glob over names with "*"
// and "?", names one of names.
func MatchName(pattern string, names ...string) bool {
	for _, name := range names {
		if pattern == name {
			return true
		}
		if !strings.ContainsAny(pattern, "*?") {
			continue
		}
		if ok, err := path.Match(escapeClasses(pattern), strings.ReplaceAll(name, "/", "\x00")); err == nil && ok {
			return true
		}
	}
	return false
}

// meansName reports whether a name or glob that a person typed, in any case, means
// one of names. It is for what tightens: a deny rule must not be void by a slip.
func meansName(pattern string, names []string) bool {
	if MatchName(pattern, names...) {
		return true
	}
	wild := strings.ContainsAny(pattern, "*?")
	for _, name := range names {
		if strings.EqualFold(pattern, name) || wild && MatchName(strings.ToLower(pattern), strings.ToLower(name)) {
			return true
		}
	}
	return false
}

// escapeClasses leaves "*" and "?" their meaning and takes it from the rest of
// path.Match's syntax, which tool names do not use.
func escapeClasses(pattern string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `/`, "\x00").Replace(pattern)
}
