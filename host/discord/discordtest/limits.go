package discordtest

import (
	"encoding/json"
	"slices"
	"unicode/utf16"
)

// The flags of messages.
const (
	FlagSuppressEmbeds = 1 << 2
	FlagEphemeral      = 1 << 6
	flagLoading        = 1 << 7
	flagSilent         = 1 << 12
	FlagComponentsV2   = 1 << 15
)

// units counts text as Discord's clients do, in UTF-16.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

// checkMessage holds a message, as it would become, against the limits that Discord's
// OpenAPI document tells only in part. Source: facts of Discord's API, sections 2 and 4.
func checkMessage(m *Message, b *messageBody, flags int) problems {
	var p problems
	p.add(units(m.Content) > 2000, "content: %d characters, of at most 2000", units(m.Content))
	p.add(m.Flags&^(flags|flagLoading) != 0, "flags: %d is not allowed there", m.Flags&^flags)
	checkEmbeds(&p, m.Embeds)
	v2 := m.Flags&FlagComponentsV2 != 0
	p.add(v2 && (m.Content != "" || len(m.Embeds) > 0), "flags: a message of components has no content and no embeds")
	p.add(m.Content == "" && len(m.Embeds) == 0 && len(m.Components) == 0 && len(m.Attachments) == 0,
		"content: Cannot send an empty message")
	p.add(len(m.Attachments) > 10, "attachments: %d, of at most 10", len(m.Attachments))
	for _, a := range m.Attachments {
		p.add(len(a.Data) > 10<<20, "attachments: %s has %d bytes, of at most 10 MiB", a.Name, len(a.Data))
		p.add(a.Name == "", "attachments: a file without a name")
	}
	checkComponents(&p, m.Components, v2)
	checkMentions(&p, b.Mentions)
	checkNonce(&p, b)
	return p
}

func checkNonce(p *problems, b *messageBody) {
	switch nonce := b.Nonce.(type) {
	case nil:
		p.add(b.Enforce, "enforce_nonce: there is no nonce")
	case string:
		p.add(len(nonce) > 25, "nonce: %d characters, of at most 25", len(nonce))
	case float64:
	default:
		p.add(true, "nonce: it is %T", nonce)
	}
}

func checkMentions(p *problems, m *allowedMentions) {
	if m == nil {
		return
	}
	p.add(m.Parse == nil && m.Users == nil && m.Roles == nil, "allowed_mentions: parse is null or missing, and nothing else is there")
	p.add(len(m.Users) > 100 || len(m.Roles) > 100, "allowed_mentions: more than 100 ids")
	if m.Parse == nil {
		return
	}
	for _, kind := range *m.Parse {
		p.add(!slices.Contains([]string{"users", "roles", "everyone"}, kind), "allowed_mentions: parse %q", kind)
	}
	p.add(slices.Contains(*m.Parse, "users") && len(m.Users) > 0, "allowed_mentions: parse has users, and users are listed")
	p.add(slices.Contains(*m.Parse, "roles") && len(m.Roles) > 0, "allowed_mentions: parse has roles, and roles are listed")
}

func checkEmbeds(p *problems, embeds []json.RawMessage) {
	p.add(len(embeds) > 10, "embeds: %d, of at most 10", len(embeds))
	total := 0
	for i, raw := range embeds {
		var e struct {
			Title, Description string
			Footer             struct{ Text string }
			Author             struct{ Name string }
			Fields             []struct{ Name, Value string }
		}
		if err := json.Unmarshal(raw, &e); err != nil {
			p.add(true, "embeds: %d: %v", i, err)
			continue
		}
		measure := func(what, text string, limit int) {
			total += units(text)
			p.add(units(text) > limit, "embeds: %s of %d characters, of at most %d", what, units(text), limit)
		}
		measure("title", e.Title, 256)
		measure("description", e.Description, 4096)
		measure("footer", e.Footer.Text, 2048)
		measure("author", e.Author.Name, 256)
		p.add(len(e.Fields) > 25, "embeds: %d fields, of at most 25", len(e.Fields))
		for _, f := range e.Fields {
			measure("field name", f.Name, 256)
			measure("field value", f.Value, 1024)
			p.add(f.Name == "" || f.Value == "", "embeds: an empty field")
		}
	}
	p.add(total > 6000, "embeds: %d characters together, of at most 6000", total)
}

func checkComponents(p *problems, list []Component, v2 bool) {
	count, ids := 0, map[string]bool{}
	walk(list, func(c *Component) {
		count++
		checkComponent(p, c, v2)
		if c.CustomID != "" {
			p.add(ids[c.CustomID], "components: the custom_id %q is there twice", c.CustomID)
			ids[c.CustomID] = true
		}
	})
	if v2 {
		p.add(count > 40, "components: %d, of at most 40", count)
		return
	}
	p.add(len(list) > 5, "components: %d rows, of at most 5", len(list))
	for _, c := range list {
		p.add(c.Type != ActionRow, "components: type %d at the top needs the flag of components V2", c.Type)
	}
}

func checkComponent(p *problems, c *Component, v2 bool) {
	switch c.Type {
	case ActionRow:
		checkRow(p, c)
	case Button:
		checkButton(p, c)
	case StringSelect:
		checkSelect(p, c)
		checkOptions(p, c)
	case UserSelect, RoleSelect, MentionSelect, ChannelSelect:
		checkSelect(p, c)
		p.add(len(c.Options) > 0, "components: type %d has options", c.Type)
	case TextDisplay:
		p.add(c.Content == "" || units(c.Content) > 4000, "components: a text of %d characters, of 1 to 4000", units(c.Content))
	case Section, Thumbnail, Gallery, FileDisplay, Separator, Container:
		p.add(!v2, "components: type %d needs the flag of components V2", c.Type)
	default:
		p.add(true, "components: type %d does not belong into a message", c.Type)
	}
}

func checkRow(p *problems, row *Component) {
	p.add(len(row.Components) == 0, "components: an empty row")
	p.add(len(row.Components) > 5, "components: %d in a row, of at most 5", len(row.Components))
	for _, c := range row.Components {
		p.add(c.Type != Button && len(row.Components) > 1, "components: type %d shares its row", c.Type)
		p.add(c.Type == ActionRow || c.Type > ChannelSelect, "components: type %d in a row", c.Type)
	}
}

func checkButton(p *problems, c *Component) {
	p.add(units(c.Label) > 80, "components: a label of %d characters, of at most 80", units(c.Label))
	p.add(c.Style < 1 || c.Style > 6, "components: button style %d", c.Style)
	p.add(c.Label == "" && c.Emoji == nil && c.Style != 6, "components: a button without label and emoji")
	switch c.Style {
	case 5:
		p.add(c.URL == "" || c.CustomID != "", "components: a link button has a url and no custom_id")
		p.add(len(c.URL) > 512, "components: a url of %d characters, of at most 512", len(c.URL))
	case 6:
		p.add(c.SKU == "" || c.CustomID != "", "components: a premium button has a sku_id and no custom_id")
	default:
		p.add(c.URL != "", "components: a button with a url has style 5")
		checkCustomID(p, c.CustomID)
	}
}

func checkCustomID(p *problems, id string) {
	p.add(id == "" || units(id) > 100, "components: a custom_id of %d characters, of 1 to 100", units(id))
}

func checkSelect(p *problems, c *Component) {
	checkCustomID(p, c.CustomID)
	p.add(units(c.Placeholder) > 150, "components: a placeholder of %d characters, of at most 150", units(c.Placeholder))
	low, high := 1, 1
	if c.MinValues != nil {
		low = *c.MinValues
	}
	if c.MaxValues != nil {
		high = *c.MaxValues
	}
	p.add(low < 0 || low > 25 || high < 1 || high > 25 || low > high, "components: a select of %d to %d values", low, high)
	p.add(c.Type == StringSelect && high > len(c.Options), "components: %d values of %d options", high, len(c.Options))
}

func checkOptions(p *problems, c *Component) {
	p.add(len(c.Options) < 1 || len(c.Options) > 25, "components: %d options, of 1 to 25", len(c.Options))
	values := map[string]bool{}
	for _, o := range c.Options {
		p.add(o.Label == "" || units(o.Label) > 100, "components: an option's label of %d characters, of 1 to 100", units(o.Label))
		p.add(o.Value == "" || units(o.Value) > 100, "components: an option's value of %d characters, of 1 to 100", units(o.Value))
		p.add(units(o.Description) > 100, "components: an option's description of %d characters, of at most 100", units(o.Description))
		p.add(values[o.Value], "components: the value %q is there twice", o.Value)
		values[o.Value] = true
	}
}
