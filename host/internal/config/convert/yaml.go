package convert

import (
	"fmt"
	"strings"

	"github.com/callgate/callgate/host/internal/text/yamltext"
)

// YAML returns the settings to store as they look in an empty configuration file; empty when there
// are none.
func (r *Report) YAML() string {
	var w strings.Builder
	var agents []Block
	for _, block := range r.Blocks {
		if block.Agent != "" {
			agents = append(agents, block)
			continue
		}
		if settings := block.settings("  "); settings != "" {
			w.WriteString("defaults:\n" + settings)
		}
	}
	if len(agents) > 0 {
		w.WriteString("agents:\n")
	}
	for _, block := range agents {
		fmt.Fprintf(&w, "  %s:\n%s", yamltext.Key(block.Agent), block.settings("    "))
		writeRules(&w, "    ", block.Rules)
	}
	for _, block := range r.Blocks {
		if block.Agent == "" {
			writeRules(&w, "", block.Rules)
		}
	}
	if len(r.Profiles) > 0 {
		w.WriteString("profiles:\n")
	}
	for _, p := range r.Profiles {
		fmt.Fprintf(&w, "  %s:\n", yamltext.Key(p.Name))
		p.write(&w, "    ")
	}
	if len(r.Grants) > 0 {
		w.WriteString("permission_grants:\n")
	}
	for _, g := range r.Grants {
		fmt.Fprintf(&w, "  %s: %s\n", yamltext.Key(g.Role), yamltext.Flow(g.Gives))
	}
	return w.String()
}

func (b Block) settings(indent string) string {
	var w strings.Builder
	if b.Mode != "" {
		fmt.Fprintf(&w, "%smode: %s\n", indent, b.Mode)
	}
	if len(b.WorkingDirectories) > 0 {
		fmt.Fprintf(&w, "%sworking_directories: %s\n", indent, yamltext.Flow(b.WorkingDirectories))
	}
	if b.AllowedTools != nil {
		fmt.Fprintf(&w, "%sallowed_tools: %s\n", indent, yamltext.Flow(*b.AllowedTools))
	}
	if len(b.DisallowedTools) > 0 {
		// One per line: such a list can be joined with an existing one.
		fmt.Fprintf(&w, "%sdisallowed_tools:\n", indent)
		for _, tool := range b.DisallowedTools {
			fmt.Fprintf(&w, "%s  - %s\n", indent, yamltext.Quote(tool))
		}
	}
	if b.Profile != "" {
		fmt.Fprintf(&w, "%sprofile: %s\n", indent, yamltext.Quote(b.Profile))
	}
	if b.Inline != nil {
		fmt.Fprintf(&w, "%sprofile:\n", indent)
		b.Inline.write(&w, indent+"  ")
	}
	return w.String()
}

func (p Profile) write(w *strings.Builder, indent string) {
	fmt.Fprintf(w, "%sallow: %s\n%sask: %s\n", indent, yamltext.Flow(p.Allow), indent, yamltext.Flow(p.Ask))
	if len(p.Deny) > 0 {
		fmt.Fprintf(w, "%sdeny: %s\n", indent, yamltext.Flow(p.Deny))
	}
}

func writeRules(w *strings.Builder, indent string, rules []Rule) {
	if len(rules) == 0 {
		return
	}
	fmt.Fprintf(w, "%srules:\n", indent)
	for _, r := range rules {
		fmt.Fprintf(w, "%s  - %s: %s\n", indent, r.Behavior, yamltext.Quote(r.Text))
		if r.Reason != "" {
			fmt.Fprintf(w, "%s    reason: %s\n", indent, yamltext.Quote(r.Reason))
		}
		if len(r.Match) > 0 {
			fmt.Fprintf(w, "%s    match: %s\n", indent, yamltext.Flow(r.Match))
		}
		if len(r.NotMatch) > 0 {
			fmt.Fprintf(w, "%s    not_match: %s\n", indent, yamltext.Flow(r.NotMatch))
		}
	}
}
