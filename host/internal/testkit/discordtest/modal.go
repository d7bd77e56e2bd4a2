package discordtest

import (
	"fmt"
	"strconv"
)

// Modal is a form sent by the bot to a person.
type Modal struct {
	CustomID   string      `json:"custom_id"`
	Title      string      `json:"title"`
	Components []Component `json:"components"`
}

func checkModal(m *Modal) problems {
	var p problems
	checkCustomID(&p, m.CustomID)
	p.add(m.Title == "" || units(m.Title) > 45, "title: %d characters, of 1 to 45", units(m.Title))
	p.add(len(m.Components) < 1 || len(m.Components) > 5, "components: %d, of 1 to 5", len(m.Components))
	ids := map[string]bool{}
	for i := range m.Components {
		c := &m.Components[i]
		switch c.Type {
		case ActionRow:
			p.add(len(c.Components) != 1 || c.Components[0].Type != TextInput, "components: a row of a form holds one text input")
			for j := range c.Components {
				input := &c.Components[j]
				p.add(input.Label == "" || units(input.Label) > 45, "components: an input's label of %d characters, of 1 to 45", units(input.Label))
				checkInput(&p, input, ids)
			}
		case Label:
			p.add(c.Label == "" || units(c.Label) > 45, "components: a label of %d characters, of 1 to 45", units(c.Label))
			p.add(c.Component == nil, "components: a label without a component")
			if c.Component != nil && c.Component.Type == TextInput {
				checkInput(&p, c.Component, ids)
			}
		default:
			p.add(true, "components: type %d does not belong into a form", c.Type)
		}
	}
	return p
}

func checkInput(p *problems, c *Component, ids map[string]bool) {
	checkCustomID(p, c.CustomID)
	p.add(ids[c.CustomID], "components: the custom_id %q is there twice", c.CustomID)
	ids[c.CustomID] = true
	p.add(c.Style != 1 && c.Style != 2, "components: input style %d", c.Style)
	low, high := lengths(c)
	p.add(low < 0 || low > 4000 || high < 1 || high > 4000 || low > high, "components: an input of %d to %d characters", low, high)
	p.add(units(c.Value) > 4000, "components: a value of %d characters, of at most 4000", units(c.Value))
	p.add(units(c.Placeholder) > 100, "components: a placeholder of %d characters, of at most 100", units(c.Placeholder))
}

// lengths are an input's limits.
func lengths(c *Component) (low, high int) {
	low, high = 0, 4000
	if c.MinLength != nil {
		low = *c.MinLength
	}
	if c.MaxLength != nil {
		high = *c.MaxLength
	}
	return low, high
}

// Choice is a result of autocompletion.
type Choice struct {
	Name string `json:"name"`
	// Value is a string or a number.
	Value any `json:"value"`
	// NameLocalizations are taken and not shown.
	NameLocalizations map[string]string `json:"name_localizations,omitempty"`
}

func checkChoices(list []Choice) problems {
	var p problems
	p.add(len(list) > 25, "choices: %d, of at most 25", len(list))
	for _, c := range list {
		p.add(c.Name == "" || units(c.Name) > 100, "choices: a name of %d characters, of 1 to 100", units(c.Name))
		switch v := c.Value.(type) {
		case string:
			p.add(units(v) > 100, "choices: a value of %d characters, of at most 100", units(v))
		case float64:
		default:
			p.add(true, "choices: a value that is %s", fmt.Sprintf("%T", v))
		}
	}
	return p
}

// fileIndex reads an attachment's id as the number of a file.
func fileIndex(id any) string {
	switch v := id.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatInt(int64(v), 10)
	}
	return ""
}
