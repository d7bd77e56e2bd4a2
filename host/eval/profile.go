package eval

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/internal/strictjson"
)

// compiled reads the request's profile: a preset's name or its lists. Nil when
// there is none.
func (r *request) compiled() (*profile.Compiled, error) {
	if r.Profile == nil || r.Profile.Kind() == 'n' {
		return nil, nil
	}
	var p profile.Profile
	var name string
	if json.Unmarshal(r.Profile, &name) == nil {
		var err error
		if p, err = profile.Preset(name); err != nil {
			return nil, err
		}
	} else if err := strictjson.Explain(json.Unmarshal(r.Profile, &p, json.RejectUnknownMembers(true))); err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return profile.Compile(p)
}

// profileOf is the profile's answer to a described call; nil without a profile.
// A call whose targets its module cannot name counts as not analysed.
func (s subject) profileOf(r *request, actions []string) (*engine.ProfileAnswer, error) {
	c, err := r.compiled()
	if c == nil || err != nil {
		return nil, err
	}
	answer := c.Decide(actions)
	if s.req.Call.Context.TargetsUnknown {
		answer = c.DecideUnanalysed(actions)
	}
	return &answer, nil
}

type profileAnswer struct {
	ID       jsontext.Value  `json:"id"`
	Behavior engine.Behavior `json:"behavior"`
}

// profileAnswer is op profile.
func (r *request) profileAnswer() (any, error) {
	c, err := r.compiled()
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
func (r *request) offered() (any, error) {
	c, err := r.compiled()
	switch {
	case err != nil:
		return nil, err
	case c == nil:
		return nil, errors.New("profile: missing")
	case r.Tool == "":
		return nil, errors.New("tool: missing")
	}
	return offeredAnswer{r.ID, c.Offered(r.Tool)}, nil
}
