package convert

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/recipe"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
	"github.com/callgate/callgate/host/internal/text/yamltext"
)

// exported are the keys of a configuration with influence on decisions. The others are about one
// machine, or hold addresses and secrets.
var exported = []string{"defaults", "agents", "profiles", "people", "permission_grants", "rules", "tools", "paths", "asks", "sub_agents"}

// Selection restricts an export; the zero value exports everything.
type Selection struct {
	// Rules is for rules only, without settings.
	Rules bool
	// Agent restricts it to one agent; empty for all.
	Agent string
	// Scope is for rules of one scope; empty for all.
	Scope engine.Scope
}

// Export is a configuration made of an existing one and of stored rules.
type Export struct {
	// YAML is a configuration file.
	YAML string `json:"yaml"`
	// Stored are the included stored rules, LeftOut the others.
	Stored  []engine.Rule `json:"stored,omitempty"`
	LeftOut []Missing     `json:"left_out,omitempty"`
	// Keys are the omitted keys of the configuration: they are about this machine.
	Keys []string `json:"left_out_keys,omitempty"`
}

// Missing is a stored rule without a form in a configuration.
type Missing struct {
	Rule engine.Rule `json:"rule"`
	Why  string      `json:"why"`
}

// NewExport writes the configuration file named file, with content data, and the stored rules as
// one configuration: read into an empty one it decides the same. Omitted parts allow nothing; an
// omitted deny or ask rule is named.
func NewExport(file string, data []byte, stored []engine.Rule, s Selection) (*Export, error) {
	out := &Export{}
	text, err := out.cut(file, data, s)
	if err != nil {
		return nil, err
	}
	var carried []engine.Rule
	for _, r := range stored {
		switch why := whyNot(r); {
		case s.Scope != "" && r.Scope != s.Scope, s.Agent != "" && r.Scope == engine.Agent && r.ScopeKey != s.Agent:
		case why != "":
			out.LeftOut = append(out.LeftOut, Missing{r, why})
		default:
			carried = append(carried, r)
		}
	}
	out.Stored = carried
	merged, _, err := recipe.Merge(file, []byte(text), []byte(storedYAML(carried)), "what is stored")
	if err != nil {
		return nil, err
	}
	out.YAML = out.head(string(merged)) + string(merged)
	if _, err := config.Parse(file, []byte(out.YAML), anywhere); err != nil {
		return nil, fmt.Errorf("the export would be no configuration: %w", err)
	}
	return out, nil
}

// anywhere stands for the account's own directories: only the shape matters here.
var anywhere = config.Dirs{Home: "/", Config: "/", State: "/", Cache: "/"}

// whyNot tells why a stored rule cannot stand in a configuration; "" when it can.
func whyNot(r engine.Rule) string {
	switch {
	case r.Scope == engine.Session:
		return "it ends with its session"
	case r.Scope == engine.Project && r.Behavior == engine.Allow:
		return "it holds in one project only: callgate rules add there, with --scope project"
	case r.Scope == engine.Project:
		return "it holds in one project only: it can stand in the project's .callgate.yaml"
	case r.Server != "" && r.Behavior == engine.Allow:
		return "it holds for the one MCP server that it was accepted for: accept it again on a card"
	}
	return ""
}

func storedYAML(rules []engine.Rule) string {
	byAgent := map[string][]engine.Rule{}
	for _, r := range rules {
		byAgent[r.ScopeKey] = append(byAgent[r.ScopeKey], r)
	}
	var w strings.Builder
	names := make([]string, 0, len(byAgent))
	for name := range byAgent {
		if name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) > 0 {
		w.WriteString("agents:\n")
	}
	for _, name := range names {
		fmt.Fprintf(&w, "  %s:\n    rules:\n", yamltext.Key(name))
		for _, r := range byAgent[name] {
			storedRule(&w, "      ", r)
		}
	}
	if len(byAgent[""]) > 0 {
		w.WriteString("rules:\n")
		for _, r := range byAgent[""] {
			storedRule(&w, "  ", r)
		}
	}
	return w.String()
}

func storedRule(w *strings.Builder, indent string, r engine.Rule) {
	from := "stored"
	if r.Source != "" && r.Source != "user" {
		from += ", " + card.Line(r.Source)
	}
	if r.CreatedBy != "" {
		from += ", by " + card.Line(r.CreatedBy)
	}
	if !r.CreatedAt.IsZero() {
		from += ", " + r.CreatedAt.UTC().Format(time.DateOnly)
	}
	fmt.Fprintf(w, "%s- %s: %s # %s\n", indent, r.Behavior, yamltext.Quote(r.String()), from)
	indent += "  "
	if r.Reason != "" {
		fmt.Fprintf(w, "%sreason: %s\n", indent, yamltext.Quote(r.Reason))
	}
	if !r.ExpiresAt.IsZero() {
		fmt.Fprintf(w, "%sexpires_at: %s\n", indent, yamltext.Quote(r.ExpiresAt.UTC().Format(time.RFC3339Nano)))
	}
	if len(r.Match) > 0 {
		fmt.Fprintf(w, "%smatch: %s\n", indent, yamltext.Flow(r.Match))
	}
	if len(r.NotMatch) > 0 {
		fmt.Fprintf(w, "%snot_match: %s\n", indent, yamltext.Flow(r.NotMatch))
	}
}

// head lists the omissions above the configuration.
func (x *Export) head(body string) string {
	var w strings.Builder
	w.WriteString("# Exported by callgate export. Read it with: callgate --config FILE config check\n")
	if len(x.Keys) > 0 {
		fmt.Fprintf(&w, "# Left out, because they are about one machine: %s\n", strings.Join(x.Keys, ", "))
	}
	for _, l := range x.LeftOut {
		fmt.Fprintf(&w, "# Left out: %s %s (%s): %s\n", l.Rule.Behavior, card.Line(l.Rule.String()), card.Line(strings.TrimSpace(string(l.Rule.Scope)+" "+l.Rule.ScopeKey)), l.Why)
	}
	if strings.TrimSpace(body) == "" {
		w.WriteString("# There are no rules and no settings.\n")
	}
	return w.String()
}

// cutter takes lines out of a configuration.
type cutter struct {
	file  string
	lines []string
	drop  []bool
	sel   Selection
	keys  []string
}

// cut returns the wanted part of the configuration, with its comments.
func (x *Export) cut(file string, data []byte, s Selection) (string, error) {
	if _, err := config.Parse(file, data, anywhere); err != nil {
		return "", fmt.Errorf("the configuration has errors: %w", err)
	}
	tree, err := strictyaml.Parse(file, data)
	if err != nil {
		return "", err
	}
	c := &cutter{file: file, lines: slices.Collect(strings.Lines(string(data))), sel: s}
	c.drop = make([]bool, len(c.lines))
	for _, doc := range tree.Docs {
		if doc.Body == nil {
			continue
		}
		if _, err := c.mapping(nil, doc.Body, 0, len(c.lines)); err != nil {
			return "", err
		}
	}
	x.Keys = c.keys
	var w strings.Builder
	for i, line := range c.lines {
		if !c.drop[i] {
			w.WriteString(line)
		}
	}
	return w.String(), nil
}

// mapping drops the unwanted keys of a mapping on the lines from up to to. kept reports whether any
// remains.
func (c *cutter) mapping(path []string, n ast.Node, from, to int) (kept bool, err error) {
	values := yamltext.Pairs(n)
	starts := make([]int, len(values)+1)
	for i, v := range values {
		starts[i] = v.Key.GetToken().Position.Line - 1
		for starts[i] > from && (i == 0 || starts[i] > starts[i-1]+1) && strings.HasPrefix(strings.TrimSpace(c.lines[starts[i]-1]), "#") && c.follows(values, i, starts[i]-1) {
			starts[i]--
		}
	}
	starts[len(values)] = to
	for i, v := range values {
		here := append(slices.Clone(path), yamltext.KeyText(v))
		keep, into := c.wanted(here)
		if into {
			if keep, err = c.into(here, v.Value, v.Key.GetToken().Position.Line, starts[i+1]); err != nil {
				return false, err
			}
		}
		kept = kept || keep
		if keep {
			continue
		}
		if m, ok := n.(*ast.MappingNode); ok && m.IsFlowStyle {
			return false, &strictyaml.Error{File: c.file, Position: strictyaml.Position{Line: v.Key.GetToken().Position.Line, Column: 1}, Field: strings.Join(path, "."), Msg: "is written in one pair of brackets, and only a part of it is wanted: write each entry on its own line first"}
		}
		for line := starts[i]; line < starts[i+1]; line++ {
			c.drop[line] = true
		}
	}
	return kept, nil
}

// follows keeps the comments of a key's own values with it: a comment above a key belongs to it
// when it is not indented deeper.
func (c *cutter) follows(values []*ast.MappingValueNode, i, line int) bool {
	column := values[i].Key.GetToken().Position.Column
	return len(c.lines[line])-len(strings.TrimLeft(c.lines[line], " ")) < column
}

func (c *cutter) into(path []string, value ast.Node, from, to int) (bool, error) {
	if len(yamltext.Pairs(value)) == 0 {
		return true, nil
	}
	return c.mapping(path, value, from, to)
}

// wanted reports whether a key is kept, or looked into. path are the keys leading to it, itself
// last.
func (c *cutter) wanted(path []string) (keep, into bool) {
	last, settings := path[len(path)-1], !c.sel.Rules && c.sel.Scope == ""
	switch {
	case len(path) == 1 && !has(exported, last):
		c.keys = append(c.keys, last)
		return false, false
	case len(path) == 1 && last == "rules":
		return c.sel.Scope == "" || c.sel.Scope == engine.Global, false
	case len(path) == 1 && last == "agents":
		return true, true
	case len(path) == 2:
		mine := c.sel.Agent == "" || c.sel.Agent == last
		return mine, mine
	case len(path) == 3 && last == "rules":
		return c.sel.Scope == "" || c.sel.Scope == engine.Agent, false
	}
	return settings, false
}
