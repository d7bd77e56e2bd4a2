package main

import (
	"context"
	"encoding/json"
	"os"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/builder"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/store"
)

// lastCalls are the last calls of a tool, each input once, the newest first.
func lastCalls(ctx context.Context, client *api.Client, info catalog.Info, names []string) ([]builder.Call, error) {
	const wanted, looked = 20, 200
	var out []builder.Call
	seen := map[string]bool{}
	for _, name := range names {
		page, err := client.Audit(ctx, store.Filter{Tool: name, Event: store.EventDecision, Newest: true, Limit: looked})
		if err != nil {
			return nil, err
		}
		for _, row := range page.Rows {
			if seen[row.Input] || len(out) == wanted {
				continue
			}
			seen[row.Input] = true
			out = append(out, builder.Call{Input: row.Input, Text: inputText(info, row.Input), Masked: strings.Contains(row.Input, "[masked:")})
		}
	}
	return out, nil
}

// inputText is an input for a person: the text of the tool's first required member,
// or a part of its JSON.
func inputText(info catalog.Info, input string) string {
	var schema struct {
		Required []string `json:"required"`
	}
	var members map[string]json.RawMessage
	text := input
	if json.Unmarshal(info.InputSchema, &schema) == nil && len(schema.Required) > 0 && json.Unmarshal([]byte(input), &members) == nil {
		var value string
		if json.Unmarshal(members[schema.Required[0]], &value) == nil && value != "" {
			text = value
		}
	}
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	return text
}

// tried asks the daemon what a rule makes of a call, as an allow rule and as one
// that tightens.
func tried(ctx context.Context, client *api.Client, rule string, c builder.Call) (allow, deny bool, err error) {
	cwd, err := os.Getwd()
	if err != nil {
		return false, false, err
	}
	try := func(b engine.Behavior) (bool, error) {
		return client.TestRule(ctx, api.RuleTest{Rule: api.NewRule{Rule: rule, Behavior: &b}, Input: json.RawMessage(c.Input), CWD: cwd, WorkingDirectories: []string{cwd}})
	}
	if allow, err = try(engine.Allow); err != nil {
		return false, false, err
	}
	deny, err = try(engine.Deny)
	return allow, deny, err
}
