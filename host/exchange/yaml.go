package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// YAML returns what would be stored as it stands in an empty configuration file;
// empty when there is nothing.
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
		fmt.Fprintf(&w, "  %s:\n%s", key(block.Agent), block.settings("    "))
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
		fmt.Fprintf(&w, "  %s:\n", key(p.Name))
		p.write(&w, "    ")
	}
	if len(r.Grants) > 0 {
		w.WriteString("permission_grants:\n")
	}
	for _, g := range r.Grants {
		fmt.Fprintf(&w, "  %s: %s\n", key(g.Role), flow(g.Gives))
	}
	return w.String()
}

func (b Block) settings(indent string) string {
	var w strings.Builder
	if b.Mode != "" {
		fmt.Fprintf(&w, "%smode: %s\n", indent, b.Mode)
	}
	if len(b.WorkingDirectories) > 0 {
		fmt.Fprintf(&w, "%sworking_directories: %s\n", indent, flow(b.WorkingDirectories))
	}
	if b.AllowedTools != nil {
		fmt.Fprintf(&w, "%sallowed_tools: %s\n", indent, flow(*b.AllowedTools))
	}
	if len(b.DisallowedTools) > 0 {
		// One a line: such a list can be joined with one that is there.
		fmt.Fprintf(&w, "%sdisallowed_tools:\n", indent)
		for _, tool := range b.DisallowedTools {
			fmt.Fprintf(&w, "%s  - %s\n", indent, quote(tool))
		}
	}
	if b.Profile != "" {
		fmt.Fprintf(&w, "%sprofile: %s\n", indent, quote(b.Profile))
	}
	if b.Inline != nil {
		fmt.Fprintf(&w, "%sprofile:\n", indent)
		b.Inline.write(&w, indent+"  ")
	}
	return w.String()
}

func (p Profile) write(w *strings.Builder, indent string) {
	fmt.Fprintf(w, "%sallow: %s\n%sask: %s\n", indent, flow(p.Allow), indent, flow(p.Ask))
	if len(p.Deny) > 0 {
		fmt.Fprintf(w, "%sdeny: %s\n", indent, flow(p.Deny))
	}
}

func writeRules(w *strings.Builder, indent string, rules []Rule) {
	if len(rules) == 0 {
		return
	}
	fmt.Fprintf(w, "%srules:\n", indent)
	for _, r := range rules {
		fmt.Fprintf(w, "%s  - %s: %s\n", indent, r.Behavior, quote(r.Text))
		if r.Reason != "" {
			fmt.Fprintf(w, "%s    reason: %s\n", indent, quote(r.Reason))
		}
		if len(r.Match) > 0 {
			fmt.Fprintf(w, "%s    match: %s\n", indent, flow(r.Match))
		}
		if len(r.NotMatch) > 0 {
			fmt.Fprintf(w, "%s    not_match: %s\n", indent, flow(r.NotMatch))
		}
	}
}

// plainKey is what needs no quotes as a key; words that YAML reads as something
// else are quoted as well.
var (
	plainKey = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`)
	reserved = regexp.MustCompile(`(?i)^(true|false|null|yes|no|on|off|y|n)$`)
)

func key(name string) string {
	if plainKey.MatchString(name) && !reserved.MatchString(name) {
		return name
	}
	return quote(name)
}

// quote writes a text in double quotes; JSON's escapes are YAML's.
func quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		panic(fmt.Sprintf("exchange: a text is not JSON: %v", err)) // any text is
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func flow(items []string) string {
	quoted := make([]string, len(items))
	for i, s := range items {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
