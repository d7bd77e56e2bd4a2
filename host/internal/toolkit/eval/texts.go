package eval

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/config/frontmatter"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

type commandAnswer struct {
	ID jsontext.Value `json:"id"`
	command.State
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// command is op command: a text command, with the lists before it.
func (e *Evaluator) command(ctx context.Context, r *request) (any, error) {
	if r.Command == "" {
		return nil, errors.New("command: missing")
	}
	var before command.State
	if r.Before != nil {
		if err := strictjson.Explain(json.Unmarshal(r.Before, &before, json.RejectUnknownMembers(true))); err != nil {
			return nil, fmt.Errorf("before: %w", err)
		}
	}
	a := command.Run(before, r.Command, admin.Known(ctx, e.Trial))
	return commandAnswer{r.ID, a.State, a.OK, a.Text()}, nil
}

type chatAnswer struct {
	ID      jsontext.Value `json:"id"`
	Mode    string         `json:"mode"`
	Allow   []string       `json:"allow"`
	Ask     []string       `json:"ask"`
	Deny    []string       `json:"deny"`
	Resumed bool           `json:"resumed"`
}

// scopedAnswer is the content of a skill's or an agent's front matter. Allowed null does not
// restrict.
type scopedAnswer struct {
	ID      jsontext.Value `json:"id"`
	Name    string         `json:"name"`
	Mode    string         `json:"mode,omitempty"`
	Allowed []string       `json:"allowed"`
	Hidden  bool           `json:"hidden"`
}

// frontmatter is op frontmatter.
func (r *request) frontmatter() (any, error) {
	if r.Text == nil {
		return nil, errors.New("text: missing")
	}
	kind := frontmatter.Kind(r.Kind)
	got, err := frontmatter.Parse(kind, *r.Text)
	if err != nil {
		return nil, err
	}
	if kind == frontmatter.Chat {
		return chatAnswer{r.ID, got.Mode, got.Allow, got.Ask, got.Deny, got.Resumed}, nil
	}
	return scopedAnswer{r.ID, got.Name, got.Mode, got.Allowed, got.Hidden}, nil
}
