package eval_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/callgate/callgate/host/internal/admin/builder"
)

// expects reads a case's expectation; false when it has another shape.
func (c sharedCase) expects(want any) bool { return json.Unmarshal(c.Expect, want) == nil }

// never is a trial of a case without a question.
func (c sharedCase) never() []trial {
	return []trial{{c.ID, map[string]any{"id": c.ID}, func(map[string]any) bool { return false }}}
}

// vibingCommands: a case of the interactive builder is package builder's text, given to /allow.
func vibingCommands(c sharedCase) []trial {
	if c.Builder != nil {
		return c.built()
	}
	r := map[string]any{"id": c.ID, "op": "command", "command": *c.Command, "before": c.Before}
	return []trial{{c.ID, r, func(got map[string]any) bool {
		message, _ := got["message"].(string)
		for _, word := range c.MessageMentions {
			if !strings.Contains(message, word) {
				return false
			}
		}
		return got["ok"] == c.OK && holds(got, c.After)
	}}}
}

// built is a trial of the interactive builder's rule.
func (c sharedCase) built() []trial {
	kind, pattern := builder.Whole, ""
	if c.Builder.Pattern != nil {
		kind, pattern = builder.Exact, *c.Builder.Pattern
		if strings.Contains(pattern, "*") {
			kind = builder.Glob
		}
	}
	rule, err := builder.Rule(c.Builder.Tool, kind, pattern)
	r := map[string]any{"id": c.ID, "op": "command", "command": "/allow " + rule}
	return []trial{{c.ID, r, func(got map[string]any) bool {
		return err == nil && got["ok"] == true && holds(got, map[string]any{"allow": []string{c.Rule}})
	}}}
}

// sharedFrontMatter: a scalar where a list is expected may be refused or be read
// as a list of one.
func sharedFrontMatter(c sharedCase) []trial {
	var expect map[string]any
	if !c.expects(&expect) {
		return c.never()
	}
	r := map[string]any{"id": c.ID, "op": "frontmatter", "kind": c.Kind, "text": c.Text}
	return []trial{{c.ID, r, func(got map[string]any) bool {
		if expect["error"] == true {
			return got["error"] != nil || c.AcceptDeny != nil && holds(got, map[string]any{"deny": c.AcceptDeny})
		}
		return holds(got, expect)
	}}}
}

// athenaSubAgent: the parent's permissions and the child's wishes, of one kind a case.
func athenaSubAgent(c sharedCase) []trial {
	field := map[string]string{
		"mode": "mode", "disallowed": "disallowed_tools", "allowed": "allowed_tools", "callback": "approver", "roots": "working_directories",
	}[c.Kind]
	parent, child := map[string]any{"mode": "default"}, map[string]any{}
	for _, side := range []struct {
		has   map[string]any
		value any
	}{{parent, c.Parent}, {child, c.Child}} {
		if side.value != nil {
			side.has[field] = side.value
		}
	}
	var expect any
	if field == "" || !c.expects(&expect) {
		return c.never()
	}
	r := map[string]any{"id": c.ID, "op": "inherit", "parent": parent, "child": child}
	return []trial{{c.ID, r, func(got map[string]any) bool {
		switch c.Kind {
		case "callback":
			return got[field] == c.Parent
		case "mode":
			return got[field] == ourMode(expect)
		}
		return reflect.DeepEqual(got[field], expect)
	}}}
}

// ourMode is our name of a mode of ExAthena.
func ourMode(expect any) any {
	switch expect {
	case "plan":
		return "explore"
	case "bypass_permissions":
		return "bypass"
	}
	return expect
}

// holds is true when got has every member of want. A list missing in want is not compared; an
// absent one is empty.
func holds(got, want map[string]any) bool {
	for name, w := range want {
		g := got[name]
		if list, ok := w.([]any); ok && len(list) == 0 && g == nil {
			continue
		}
		if fmt.Sprint(g) != fmt.Sprint(w) {
			return false
		}
	}
	return true
}
