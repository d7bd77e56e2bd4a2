package discordtest

import "encoding/json"

// The kinds of components.
const (
	ActionRow     = 1
	Button        = 2
	StringSelect  = 3
	TextInput     = 4
	UserSelect    = 5
	RoleSelect    = 6
	MentionSelect = 7
	ChannelSelect = 8
	Section       = 9
	TextDisplay   = 10
	Thumbnail     = 11
	Gallery       = 12
	FileDisplay   = 13
	Separator     = 14
	Container     = 17
	Label         = 18
)

// Component is one of any kind, with the members that its kind has.
type Component struct {
	Type          int             `json:"type"`
	ID            int             `json:"id,omitempty"`
	CustomID      string          `json:"custom_id,omitempty"`
	Style         int             `json:"style,omitempty"`
	Label         string          `json:"label,omitempty"`
	Description   string          `json:"description,omitempty"`
	Emoji         *Emoji          `json:"emoji,omitempty"`
	URL           string          `json:"url,omitempty"`
	SKU           string          `json:"sku_id,omitempty"`
	Disabled      bool            `json:"disabled,omitempty"`
	Components    []Component     `json:"components,omitempty"`
	Component     *Component      `json:"component,omitempty"`
	Accessory     *Component      `json:"accessory,omitempty"`
	Options       []Option        `json:"options,omitempty"`
	Placeholder   string          `json:"placeholder,omitempty"`
	MinValues     *int            `json:"min_values,omitempty"`
	MaxValues     *int            `json:"max_values,omitempty"`
	MinLength     *int            `json:"min_length,omitempty"`
	MaxLength     *int            `json:"max_length,omitempty"`
	Required      *bool           `json:"required,omitempty"`
	Value         string          `json:"value,omitempty"`
	Content       string          `json:"content,omitempty"`
	ChannelTypes  []int           `json:"channel_types,omitempty"`
	DefaultValues json.RawMessage `json:"default_values,omitempty"`
	Media         json.RawMessage `json:"media,omitempty"`
	Items         json.RawMessage `json:"items,omitempty"`
	File          json.RawMessage `json:"file,omitempty"`
	Spoiler       bool            `json:"spoiler,omitempty"`
	AccentColor   *int            `json:"accent_color,omitempty"`
	Divider       *bool           `json:"divider,omitempty"`
	Spacing       int             `json:"spacing,omitempty"`
}

// MarshalJSON writes a component as Discord answers with it: a container always says its
// colour.
func (c Component) MarshalJSON() ([]byte, error) {
	type plain Component
	if c.Type != Container {
		return json.Marshal(plain(c))
	}
	return json.Marshal(struct {
		plain
		AccentColor *int `json:"accent_color"`
		Spoiler     bool `json:"spoiler"`
	}{plain(c), c.AccentColor, c.Spoiler})
}

// Option is one of a string select.
type Option struct {
	Label       string `json:"label"`
	Value       string `json:"value"`
	Description string `json:"description,omitempty"`
	Emoji       *Emoji `json:"emoji,omitempty"`
	Default     bool   `json:"default,omitempty"`
}

// Emoji is one at a button or an option.
type Emoji struct {
	ID       *string `json:"id,omitempty"`
	Name     string  `json:"name,omitempty"`
	Animated bool    `json:"animated,omitempty"`
}

// walk visits components and what is in them, outer ones first.
func walk(list []Component, visit func(*Component)) {
	for i := range list {
		walkOne(&list[i], visit)
	}
}

func walkOne(c *Component, visit func(*Component)) {
	if c == nil {
		return
	}
	visit(c)
	walk(c.Components, visit)
	walkOne(c.Component, visit)
	walkOne(c.Accessory, visit)
}

// settle gives the components their ids and the defaults that Discord fills in.
func settle(list []Component) []Component {
	next := 0
	taken := map[int]bool{}
	walk(list, func(c *Component) { taken[c.ID] = true })
	walk(list, func(c *Component) {
		for c.ID == 0 {
			if next++; !taken[next] {
				c.ID = next
			}
		}
		if yes := true; c.Type == Separator {
			c.Spacing = max(c.Spacing, 1)
			if c.Divider == nil {
				c.Divider = &yes
			}
		}
		if c.Type == StringSelect || c.Type >= UserSelect && c.Type <= ChannelSelect {
			one := 1
			if c.MinValues == nil {
				c.MinValues = &one
			}
			if c.MaxValues == nil {
				c.MaxValues = &one
			}
		}
	})
	return list
}

// settleEmbeds fills in what Discord does. One that is no object stays for the checks.
func settleEmbeds(list []json.RawMessage) []json.RawMessage {
	var settled []json.RawMessage
	for _, raw := range list {
		var e object
		if err := json.Unmarshal(raw, &e); err != nil || e == nil {
			settled = append(settled, raw)
			continue
		}
		e["type"] = "rich"
		fields, _ := e["fields"].([]any)
		for _, f := range fields {
			if field, isObject := f.(object); isObject && field["inline"] == nil {
				field["inline"] = false
			}
		}
		raw, _ = json.Marshal(e) // it was JSON before
		settled = append(settled, raw)
	}
	return settled
}

// clone copies components, so that nobody outside shares them with the server.
func clone(list []Component) []Component {
	data, err := json.Marshal(list)
	if err != nil {
		panic(err) // plain data
	}
	var copied []Component
	if err := json.Unmarshal(data, &copied); err != nil {
		panic(err)
	}
	return copied
}
