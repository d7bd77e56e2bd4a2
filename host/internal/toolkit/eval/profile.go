package eval

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// profileOf reads the request's profile: a preset's name or its lists. Nil when
// there is none.
func (r *request) profileOf() (*config.AgentProfile, error) {
	if r.Profile == nil || r.Profile.Kind() == 'n' {
		return nil, nil
	}
	var name string
	if json.Unmarshal(r.Profile, &name) == nil {
		p, err := profile.Preset(name)
		if err != nil {
			return nil, err
		}
		return config.NewAgentProfile(name, p)
	}
	var p profile.Profile
	if err := strictjson.Explain(json.Unmarshal(r.Profile, &p, json.RejectUnknownMembers(true))); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return config.NewAgentProfile(cmp.Or(p.Name, "custom"), p)
}

type profileAnswer struct {
	ID       jsontext.Value  `json:"id"`
	Behavior engine.Behavior `json:"behavior"`
}

// profileAnswer is op profile.
func (r *request) profileAnswer() (any, error) {
	c, err := r.profileOf()
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, errors.New("profile: missing")
	case r.Action == nil:
		return nil, errors.New("action: missing")
	}
	return profileAnswer{r.ID, c.Decide([]string{*r.Action}).Behavior}, nil
}

type offeredAnswer struct {
	ID      jsontext.Value `json:"id"`
	Offered bool           `json:"offered"`
}

// offered is op offered.
func (e *Evaluator) offered(r *request) (any, error) {
	lookup, err := e.lookup(r.ToolDefs)
	if err != nil {
		return nil, err
	}
	c, err := r.profileOf()
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, errors.New("profile: missing")
	case r.Tool == "":
		return nil, errors.New("tool: missing")
	}
	return offeredAnswer{r.ID, describe.Offers(c, lookup(r.Tool))}, nil
}
