package engine

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"
)

// Rule is one standing answer. Its Content is in the tool's language; the engine knows only "no
// content", for the whole tool.
type Rule struct {
	ID string `json:"id,omitempty"`
	// Tool is a tool's name or alias, a glob over names ("mcp__github__*"), or an effect
	// ("effect:publishes"); Content is then a pattern over its value.
	Tool string `json:"tool"`
	// Content nil, "" or "*" means the whole tool.
	Content  *string  `json:"content"`
	Behavior Behavior `json:"behavior"`
	// Source is the rule's origin ("userSettings", "project_file"); it changes nothing, except that
	// ProjectFile may only tighten.
	Source string `json:"source,omitempty"`
	Scope  Scope  `json:"scope,omitempty"`
	// ScopeKey is the project root, agent or session the rule belongs to; empty
	// for global rules.
	ScopeKey  string    `json:"scope_key,omitempty"`
	CreatedBy string    `json:"created_by,omitempty"`
	CreatedAt time.Time `json:"created_at,omitzero"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
	Reason    string    `json:"reason,omitempty"`
	// Server is the identity of the MCP server an allow rule was accepted for; the rule holds for
	// no other one. Empty means only the name in Tool is known.
	Server string `json:"server,omitempty"`
	// Match and NotMatch are inputs (command text, path, or a JSON object) the rule must, or must
	// not, match; checked at load time. RATIONALE.md, "Why does every admitted suggestion keep its
	// call as an example?".
	Match    []string `json:"match,omitempty"`
	NotMatch []string `json:"not_match,omitempty"`
	// OnlyTightens means the rule, like one of a project's file, may replace an allow or an ask,
	// and never a denial: it is in one of two configurations, and a person has yet to choose.
	OnlyTightens bool `json:"-"`
}

// onlyTightens reports whether the rule may not decide by itself.
func (r *Rule) onlyTightens() bool { return r.OnlyTightens || r.Source == SourceProjectFile }

// Scope says for which calls a rule holds.
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

// WholeTool reports whether the rule speaks of every call of its tool. RATIONALE.md,
// "Why does the engine, and not the tool, match whole-tool rules?".
func (r Rule) WholeTool() bool {
	return r.Content == nil || *r.Content == "" || *r.Content == "*"
}

func (r *Rule) wholeTool() bool { return r.WholeTool() }

// clone lets a decision keep the rule independently of the request. RATIONALE.md, "Why is the
// compiled form of rules not copied?".
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
		r := Rule{Tool: name}
		return r, r.CheckEffect()
	}
	content, closed := strings.CutSuffix(rest, ")")
	if !closed {
		return Rule{}, fmt.Errorf("rule %q: the content is not closed: want Tool(content)", text)
	}
	r := Rule{Tool: name, Content: &content}
	if r.WholeTool() {
		r.Content = nil
	}
	return r, r.CheckEffect()
}

// IsToolName reports whether a text can be a tool's name or a glob over names: without blanks,
// invisible characters, and the signs of lists, classes and contents. A rule for such a name would
// never match.
func IsToolName(name string) bool {
	return name != "" && !strings.ContainsAny(name, "(),;|{}[]\"'`") && !strings.ContainsFunc(name, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) })
}

// ErrBareStar refuses a name of only stars.
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

// meansName reports whether a name or glob typed by a person, in any case, means one of names. It
// is for tightening: a slip must not void a deny rule.
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

// escapeClasses leaves "*" and "?" their meaning and escapes the rest of path.Match's syntax,
// because tool names do not use it.
func escapeClasses(pattern string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `/`, "\x00").Replace(pattern)
}
