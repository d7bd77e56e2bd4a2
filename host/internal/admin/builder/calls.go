package builder

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// LastCalls are the last calls of a tool under these names, each input once, the
// newest first; at most 20 of the last 200 of each name. rows reads the audit.
func LastCalls(ctx context.Context, rows func(context.Context, store.Filter) ([]store.Row, error), info wire.Tool, names []string) ([]Call, error) {
	const wanted, looked = 20, 200
	var out []Call
	seen := map[string]bool{}
	for _, name := range names {
		page, err := rows(ctx, store.Filter{Tool: name, Event: store.EventDecision, Newest: true, Limit: looked})
		if err != nil {
			return nil, err
		}
		for _, row := range page {
			if seen[row.Input] || len(out) == wanted {
				continue
			}
			seen[row.Input] = true
			out = append(out, Call{Input: row.Input, Text: inputText(info, row.Input), Masked: strings.Contains(row.Input, "[masked:")})
		}
	}
	return out, nil
}

// inputText is an input for a person: the text of the tool's first required member,
// or a part of its JSON.
func inputText(info wire.Tool, input string) string {
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
