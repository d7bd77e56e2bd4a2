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
	Label         = 18
)

// Component is one of any kind, with the members of its kind.
type Component struct {
	Type          int             `json:"type"`
	ID            int             `json:"id,omitempty"`
	CustomID      string          `json:"custom_id,omitempty"`
	Style         int             `json:"style,omitempty"`
	Label         string          `json:"label,omitempty"`
	Description   string          `json:"description,omitempty"`
	Emoji         *Emoji          `json:"emoji,omitempty"`
	URL           string          `json:"url,omitempty"`
	Disabled      bool            `json:"disabled,omitempty"`
	Components    []Component     `json:"components,omitempty"`
	Component     *Component      `json:"component,omitempty"`
	Options       []Option        `json:"options,omitempty"`
	Placeholder   string          `json:"placeholder,omitempty"`
	MinValues     *int            `json:"min_values,omitempty"`
	MaxValues     *int            `json:"max_values,omitempty"`
	MinLength     *int            `json:"min_length,omitempty"`
	MaxLength     *int            `json:"max_length,omitempty"`
	Required      *bool           `json:"required,omitempty"`
	Value         string          `json:"value,omitempty"`
	ChannelTypes  []int           `json:"channel_types,omitempty"`
	DefaultValues json.RawMessage `json:"default_values,omitempty"`
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

// walk visits components and their content, outer ones first.
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
}

// settle gives the components their ids and Discord's defaults.
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

// clone copies components, so no one outside shares them with the server.
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
