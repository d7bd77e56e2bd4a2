package discordtest

import (
	"slices"
	"unicode/utf16"
)

// The flags of messages.
const (
	FlagSuppressEmbeds = 1 << 2
	FlagEphemeral      = 1 << 6
	flagLoading        = 1 << 7
	flagSilent         = 1 << 12
)

// units counts text as Discord's clients do, in UTF-16.
func units(text string) int { return len(utf16.Encode([]rune(text))) }

// checkMessage checks the resulting message against the limits only partly in Discord's
// description.
func checkMessage(m *Message, b *messageBody, flags int) problems {
	var p problems
	p.add(units(m.Content) > 2000, "content: %d characters, of at most 2000", units(m.Content))
	p.add(m.Flags&^(flags|flagLoading) != 0, "flags: %d is not allowed there", m.Flags&^flags)
	p.add(len(b.Embeds) > 0, "embeds: Callgate sends none, and this server knows none")
	p.add(m.Content == "" && len(m.Embeds) == 0 && len(m.Components) == 0 && len(m.Attachments) == 0,
		"content: Cannot send an empty message")
	p.add(len(m.Attachments) > 10, "attachments: %d, of at most 10", len(m.Attachments))
	for _, a := range m.Attachments {
		p.add(len(a.Data) > 10<<20, "attachments: %s has %d bytes, of at most 10 MiB", a.Name, len(a.Data))
		p.add(a.Name == "", "attachments: a file without a name")
	}
	checkComponents(&p, m.Components)
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

func checkComponents(p *problems, list []Component) {
	ids := map[string]bool{}
	walk(list, func(c *Component) {
		checkComponent(p, c)
		if c.CustomID != "" {
			p.add(ids[c.CustomID], "components: the custom_id %q is there twice", c.CustomID)
			ids[c.CustomID] = true
		}
	})
	p.add(len(list) > 5, "components: %d rows, of at most 5", len(list))
	for _, c := range list {
		p.add(c.Type != ActionRow, "components: type %d at the top", c.Type)
	}
}

func checkComponent(p *problems, c *Component) {
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
	p.add(c.Style < 1 || c.Style > 5, "components: button style %d", c.Style)
	p.add(c.Label == "" && c.Emoji == nil, "components: a button without label and emoji")
	switch c.Style {
	case 5:
		p.add(c.URL == "" || c.CustomID != "", "components: a link button has a url and no custom_id")
		p.add(len(c.URL) > 512, "components: a url of %d characters, of at most 512", len(c.URL))
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
