package file

import (
	"path"
	"strings"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

// maxPreview bounds the bytes of a preview; the host shows the input whole.
const maxPreview = 4000

// judge is what one tool does to its file.
type judge[In input] struct {
	// action is the tool's name in action strings.
	action string
	// access is tool.Read or tool.Write.
	access string
}

// subject finds the file of a call. No path at all is no error: such a call
// touches nothing, and place is nil.
func subject[In input](c *tool.Call[In]) (place *paths.Place, err error) {
	value, err := c.Input.written()
	if err != nil || value == "" {
		return nil, err
	}
	located, err := paths.Locate(c.Context, value)
	if err != nil {
		return nil, err
	}
	return &located, nil
}

func policy[In input](c *tool.Call[In]) *paths.Policy { return paths.NewPolicy(c.Config, c.Context) }

func (j judge[In]) check(c *tool.Call[In]) tool.Verdict {
	place, err := subject(c)
	switch {
	case err != nil:
		return tool.Verdict{Behavior: tool.Ask, BypassImmune: true, Reason: "cannot tell which file: " + err.Error()}
	case j.access != tool.Write || place == nil:
		return tool.Verdict{}
	}
	if why := policy(c).Protected(*place); why != "" {
		return tool.Verdict{
			Behavior: tool.Ask, BypassImmune: true,
			Reason:  place.Resolved + " is " + why,
			Message: place.Resolved + " is " + why + "; a person has to approve each change of it.",
		}
	}
	if c.Context.Mode == tool.ModeAcceptEdits && place.Inside != "" {
		return tool.Verdict{Behavior: tool.Allow, Reason: "inside the working directory " + place.Inside}
	}
	return tool.Verdict{}
}

func (j judge[In]) readOnly(c *tool.Call[In]) tool.ReadOnly {
	place, err := subject(c)
	switch {
	case j.access != tool.Read:
		return tool.ReadOnly{}
	case err != nil:
		return tool.ReadOnly{Reason: err.Error()}
	case place == nil:
		return tool.ReadOnly{Reason: "the call names no file"}
	case policy(c).Secret(*place):
		return tool.ReadOnly{Reason: place.Resolved + " holds secrets"}
	}
	return tool.ReadOnly{ReadOnly: true}
}

func (j judge[In]) match(c *tool.Call[In], behavior tool.Behavior, rules []tool.Rule) []int {
	place, err := subject(c)
	unsure := err != nil || place == nil && len(c.Unknown) > 0 || paths.Hidden(c.Unknown, c.Raw)
	return tool.Indices(rules, func(rule tool.Rule) bool {
		if unsure {
			return behavior != tool.Allow
		}
		return place != nil && paths.Matches(behavior, rule, c.Context, *place)
	})
}

// suggest proposes nothing for protected files, which no rule can allow, and
// only the file itself for a secret.
func (j judge[In]) suggest(c *tool.Call[In]) []tool.Suggestion {
	place, err := subject(c)
	if err != nil || place == nil || j.access == tool.Write && policy(c).Protected(*place) != "" {
		return nil
	}
	list := paths.Suggest(c.Context, *place)
	if j.access == tool.Read && policy(c).Secret(*place) && len(list) > 1 {
		list = list[1:]
	}
	return list
}

func (j judge[In]) describe(c *tool.Call[In]) tool.Description {
	value, err := c.Input.written()
	if err != nil || value == "" {
		return tool.Description{Action: "tool:" + j.action + ":", Title: c.Tool, TargetsUnknown: err != nil || len(c.Unknown) > 0}
	}
	shown := paths.Shown(c.Context, value)
	preview, language := c.Input.preview()
	if preview != "" && language == "" {
		language = strings.TrimPrefix(path.Ext(value), ".")
	}
	if len(preview) > maxPreview {
		preview = strings.ToValidUTF8(preview[:maxPreview], "") + "\n[cut]"
	}
	d := tool.Description{
		Action:         "tool:" + j.action + ":" + shown,
		Title:          c.Tool + " " + shown,
		Preview:        preview,
		Language:       language,
		TargetsUnknown: paths.Hidden(c.Unknown, c.Raw),
	}
	if target, ok := paths.Target(value, j.access); ok {
		d.Targets = []tool.Target{target}
	} else {
		d.TargetsUnknown = true
	}
	return d
}
