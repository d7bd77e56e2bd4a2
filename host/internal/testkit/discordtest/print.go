package discordtest

import (
	"fmt"
	"strings"
)

// String draws a message as text: its author, text, files, buttons, menus and reactions.
func (m Message) String() string {
	var b strings.Builder
	b.WriteString(m.Author.Name)
	if m.For != "" {
		b.WriteString(" (only for you)")
	}
	if m.Edits > 0 {
		b.WriteString(" (edited)")
	}
	b.WriteString("\n")
	for line := range strings.Lines(m.Content) {
		b.WriteString("  " + line)
	}
	if m.Content != "" && !strings.HasSuffix(m.Content, "\n") {
		b.WriteString("\n")
	}
	for _, a := range m.Attachments {
		fmt.Fprintf(&b, "  file %s, %d bytes\n", a.Name, len(a.Data))
	}
	draw(&b, m.Components)
	for _, r := range m.Reactions {
		fmt.Fprintf(&b, "  %s %d", r.Emoji, len(r.Users))
	}
	if len(m.Reactions) > 0 {
		b.WriteString("\n")
	}
	return b.String()
}

// draw writes components, one row a line.
func draw(b *strings.Builder, list []Component) {
	for _, c := range list {
		switch c.Type {
		case ActionRow:
			b.WriteString(" ")
			for _, inner := range c.Components {
				drawOne(b, &inner)
			}
			b.WriteString("\n")
		default:
			draw(b, c.Components)
		}
	}
}

func drawOne(b *strings.Builder, c *Component) {
	off := ""
	if c.Disabled {
		off = " off"
	}
	switch c.Type {
	case Button:
		label := c.Label
		if c.Emoji != nil {
			label = strings.TrimSpace(c.Emoji.Name + " " + label)
		}
		fmt.Fprintf(b, " [%s%s]", label, off)
	case StringSelect:
		fmt.Fprintf(b, " <%s%s>", c.Placeholder, off)
		for _, o := range c.Options {
			fmt.Fprintf(b, "\n      - %s", o.Label)
			if o.Description != "" {
				fmt.Fprintf(b, ": %s", o.Description)
			}
		}
	}
}

// String draws a form as text.
func (m Modal) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "form: %s\n", m.Title)
	walk(m.Components, func(c *Component) {
		if c.Type == TextInput {
			label := c.Label
			if label == "" {
				label = c.CustomID
			}
			fmt.Fprintf(&b, "  %s: [%s]\n", label, c.Value)
		}
	})
	return b.String()
}
