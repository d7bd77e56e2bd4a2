package describe

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/modules"
)

// Shapes are the forms of a tool's actions for a profile.
func Shapes(entry modules.Entry) []profile.Shape {
	if entry.NamesActions() {
		return []profile.Shape{profile.ShapeOf(entry.Name)}
	}
	shapes := []profile.Shape{{Text: "tool:" + entry.Name + ":"}}
	for _, alias := range entry.Aliases {
		shapes = append(shapes, profile.Shape{Text: "tool:" + alias + ":"})
	}
	return shapes
}

// Offers reports whether a profile leaves some call of a tool.
func Offers(p *config.AgentProfile, entry modules.Entry) bool {
	if entry.Err != nil {
		answer := p.DecideUnknown(entry.Err.Error())
		return answer == nil || answer.Behavior != engine.Deny
	}
	return p.Offers(Shapes(entry)...)
}

// Vocabulary are the names in the actions of the tools, tool:NAME:.
func Vocabulary(c Catalog) []string {
	var names []string
	for _, i := range c.Tools() {
		for _, s := range Shapes(c.Lookup(i.Name)) {
			name, _, _ := strings.Cut(strings.TrimPrefix(s.Text, "tool:"), ":")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
