package eval

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// standing are a parent's permissions or a child's wishes. An absent member is unspecified.
type standing struct {
	Mode               *string   `json:"mode"`
	DisallowedTools    []string  `json:"disallowed_tools"`
	AllowedTools       *[]string `json:"allowed_tools"`
	WorkingDirectories *[]string `json:"working_directories"`
	Approver           string    `json:"approver"`
}

type inheritAnswer struct {
	ID                 jsontext.Value `json:"id"`
	Mode               engine.Mode    `json:"mode"`
	DisallowedTools    []string       `json:"disallowed_tools"`
	AllowedTools       []string       `json:"allowed_tools"`
	WorkingDirectories []string       `json:"working_directories"`
	Approver           string         `json:"approver"`
}

// inherit is op inherit. An absent or unknown mode of one side is the loosest: the other side's
// holds.
func (r *request) inherit() (any, error) {
	parent, perr := readStanding("parent", r.Parent)
	child, cerr := readStanding("child", r.Child)
	if err := errors.Join(perr, cerr); err != nil {
		return nil, err
	}
	mode, err := inheritedMode(parent.Mode, child.Mode)
	if err != nil {
		return nil, err
	}
	p, c := parent.permissions(mode), child.permissions(mode)
	out := engine.Inherit(p, c)
	return inheritAnswer{r.ID, out.Mode, out.Disallowed, out.Allowed, out.Directories, out.Approver}, nil
}

func readStanding(field string, v jsontext.Value) (s standing, err error) {
	if v == nil {
		return s, fmt.Errorf("%s: missing", field)
	}
	if err := strictjson.Explain(json.Unmarshal(v, &s, json.RejectUnknownMembers(true))); err != nil {
		return s, fmt.Errorf("%s: %w", field, err)
	}
	return s, nil
}

func (s standing) permissions(mode engine.Mode) engine.Permissions {
	p := engine.Permissions{Mode: mode, Disallowed: s.DisallowedTools, Approver: s.Approver}
	if s.AllowedTools != nil {
		p.Allowed = append([]string{}, *s.AllowedTools...)
	}
	if s.WorkingDirectories != nil {
		p.Directories = append([]string{}, *s.WorkingDirectories...)
	}
	return p
}

func inheritedMode(parent, child *string) (engine.Mode, error) {
	p, perr := knownMode("parent", parent)
	c, cerr := knownMode("child", child)
	switch {
	case perr != nil && cerr != nil:
		return engine.DefaultMode, errors.Join(perr, cerr)
	case perr != nil:
		return c, nil
	case cerr != nil:
		return p, nil
	}
	return engine.Stricter(p, c), nil
}

func knownMode(field string, name *string) (engine.Mode, error) {
	if name == nil {
		return engine.DefaultMode, fmt.Errorf("%s.mode: missing", field)
	}
	mode, err := engine.ParseMode(*name)
	if err != nil {
		return mode, fmt.Errorf("%s.mode: %w", field, err)
	}
	return mode, nil
}
