// Package profiles keeps the profiles given to agents in place of the configuration's, and
// selects the one in force. It may import engine/profile, the configuration and the store; the
// gate judges calls by it, admin and the surfaces change it.
package profiles

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/text/didyoumean"
	"github.com/callgate/callgate/host/wire"
)

// profilesSetting keeps the given profiles, in the store.
const profilesSetting = "agent_profiles"

// byConfiguration is who takes a profile back when the configuration gives the
// agent another one.
const byConfiguration = "configuration file"

// ErrUnknownProfile marks an unknown name of a profile.
var ErrUnknownProfile = errors.New("unknown profile")

// ErrNoGivenProfile means: the agent has the profile of the configuration.
var ErrNoGivenProfile = errors.New("the agent has its profile from the configuration")

// maxGiven bounds how many agents may have a given profile.
const maxGiven = 10_000

// Store keeps the given profiles, and the row of each change.
type Store interface {
	Setting(ctx context.Context, name string) ([]byte, error)
	SaveSetting(ctx context.Context, name string, value []byte, row store.Row) error
}

// Config are the parts of Given; all members are required.
type Config struct {
	// Settings is the operator's current configuration.
	Settings func() *config.Config
	Store    Store
	Now      func() time.Time
}

// Given are the profiles of agents in place of the configuration's. They are read once, and
// after Forget. It is safe for concurrent use.
type Given struct {
	c Config

	mu     sync.Mutex
	loaded bool
	by     map[string]wire.GivenProfile // replaced as a whole
}

// NewGiven returns the given profiles of a store.
func NewGiven(c Config) *Given { return &Given{c: c} }

// read returns them all. The map is not changed by anyone.
func (g *Given) read(ctx context.Context) (map[string]wire.GivenProfile, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held(ctx)
}

// Forget drops the copy of the stored profiles when name is their setting, or empty. It reports
// whether it could: not during a change.
func (g *Given) Forget(name string) bool {
	if name != "" && name != profilesSetting {
		return true
	}
	if !g.mu.TryLock() {
		return false
	}
	defer g.mu.Unlock()
	g.loaded = false
	return true
}

// held is read with the lock taken.
func (g *Given) held(ctx context.Context) (map[string]wire.GivenProfile, error) {
	if g.loaded {
		return g.by, nil
	}
	by := map[string]wire.GivenProfile{}
	if err := store.ReadSetting(ctx, g.c.Store, profilesSetting, &by); err != nil {
		return nil, fmt.Errorf("the profiles assigned to agents cannot be read; check the store, then remove them with callgate profiles reset --all: %w", err)
	}
	g.by, g.loaded = by, true
	return by, nil
}

// change stores the result of edit, with its row.
func (g *Given) change(ctx context.Context, row store.Row, edit func(map[string]wire.GivenProfile) error) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	known, err := g.held(ctx)
	if err != nil {
		return err
	}
	next := maps.Clone(known)
	if err := edit(next); err != nil {
		return err
	}
	return g.save(ctx, row, next)
}

// save stores them all, even when the caller has left. The caller holds the lock.
func (g *Given) save(ctx context.Context, row store.Row, next map[string]wire.GivenProfile) error {
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	ctx, cancel := store.Lasting(ctx)
	defer cancel()
	if err := g.c.Store.SaveSetting(ctx, profilesSetting, text, row); err != nil {
		return err
	}
	g.by, g.loaded = next, true
	return nil
}

// override is the profile given to an agent; ok is false when it has the configuration's. After
// an error the profile is unknown, and the call must be denied. While a changed configuration
// with another profile for the agent waits for a person, the given one and the configuration's
// both count. s is the one configuration for the call, or the question.
func (g *Given) override(ctx context.Context, s *config.Config, agent string) (p *config.AgentProfile, ok bool, err error) {
	given, err := g.read(ctx)
	if err != nil {
		return nil, false, err
	}
	accepted, next := s.ProfileChoices(agent)
	switch over, has := given[agent]; {
	case !has || over.Replaces != accepted:
		return nil, false, nil // the configuration wins: SettleProfiles forgets it
	case next != accepted:
		return config.BothProfiles(s.Profile(over.Profile), s.Agent(agent).Profile), true, nil
	default:
		return s.Profile(over.Profile), true, nil
	}
}

// InForce is the profile of an agent: the given one, else the one in s, the configuration of
// the call. After an error it is unknown.
func (g *Given) InForce(ctx context.Context, s *config.Config, agent config.Agent) (*config.AgentProfile, error) {
	given, ok, err := g.override(ctx, s, agent.Name)
	if err != nil {
		return nil, fmt.Errorf("the agent's profile is unknown: %w", err)
	}
	if ok {
		return given, nil
	}
	return agent.Profile, nil
}

// choice is an agent's profile in the accepted configuration.
func (g *Given) choice(agent string) string {
	accepted, _ := g.c.Settings().ProfileChoices(agent)
	return accepted
}

// GivenProfiles lists the given profiles, by agent.
func (g *Given) GivenProfiles(ctx context.Context) ([]wire.GivenProfile, error) {
	given, err := g.read(ctx)
	if err != nil {
		return nil, err
	}
	var out []wire.GivenProfile
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name].Replaces == g.choice(name) {
			out = append(out, given[name])
		}
	}
	return out, nil
}

// GiveProfile gives an agent the profile of that name from its next call on, in place of the
// configuration's and until the configuration changes it. by is the requester, approvedBy the
// approver of the agent's own call; empty when a person changes it directly. The caller checks
// their rights. ErrUnknownProfile when there is none of that name.
func (g *Given) GiveProfile(ctx context.Context, agent, name, by, approvedBy string) (wire.GivenProfile, error) {
	if err := g.Known(name); err != nil {
		return wire.GivenProfile{}, err
	}
	given := wire.GivenProfile{Agent: agent, Profile: name, Replaces: g.choice(agent), By: by, ApprovedBy: approvedBy, At: g.c.Now().UTC()}
	row := store.Row{Time: g.c.Now(), Event: store.EventProfileGiven, Agent: agent, User: by, DecidedBy: approvedBy}
	if approvedBy == "" {
		row.DecidedBy = by
	}
	before, err := g.profileName(ctx, agent)
	if err != nil {
		return wire.GivenProfile{}, err
	}
	row.Detail = fmt.Sprintf("profile %s in place of %s, from the next call on", name, before)
	return given, g.change(ctx, row, func(all map[string]wire.GivenProfile) error {
		if _, has := all[agent]; !has && len(all) >= maxGiven {
			return fmt.Errorf("%d agents have a given profile: reset some", maxGiven)
		}
		all[agent] = given
		return nil
	})
}

// profileName is the name of an agent's profile, for people.
func (g *Given) profileName(ctx context.Context, agent string) (string, error) {
	p, ok, err := g.override(ctx, g.c.Settings(), agent)
	if err != nil {
		return "", err
	}
	name := g.choice(agent)
	if ok {
		name = p.Name()
	}
	return cmp.Or(name, "none"), nil
}

// Known refuses an unknown name of a profile, with the closest one.
func (g *Given) Known(name string) error {
	s := g.c.Settings()
	if s.Profile(name).Missing() == "" {
		return nil
	}
	return fmt.Errorf("%w %q%s", ErrUnknownProfile, name, didyoumean.Hint(name, s.ProfileNames()))
}

// ResetProfile gives an agent the configuration's profile again, in the name of by.
// ErrNoGivenProfile when it has it already.
func (g *Given) ResetProfile(ctx context.Context, agent, by string) error {
	before, err := g.profileName(ctx, agent)
	if err != nil {
		return err
	}
	row := store.Row{Time: g.c.Now(), Event: store.EventProfileReset, Agent: agent, DecidedBy: by, Detail: "profile " + before + " taken back"}
	return g.change(ctx, row, func(all map[string]wire.GivenProfile) error {
		if _, has := all[agent]; !has {
			return fmt.Errorf("%s: %w", agent, ErrNoGivenProfile)
		}
		delete(all, agent)
		return nil
	})
}

// ResetProfiles gives all agents the configuration's profiles again, in the name of by. It is
// the way out of an unreadable store.
func (g *Given) ResetProfiles(ctx context.Context, by string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	row := store.Row{Time: g.c.Now(), Event: store.EventProfileReset, DecidedBy: by, Detail: "all given profiles taken back"}
	return g.save(ctx, row, map[string]wire.GivenProfile{})
}

// SettleProfiles forgets the given profiles of agents with a new profile in the configuration,
// so that none comes back when the file does. Call it after each change of the configuration.
func (g *Given) SettleProfiles(ctx context.Context) error {
	given, err := g.read(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name].Replaces != g.choice(name) {
			err = errors.Join(err, g.ResetProfile(ctx, name, byConfiguration))
		}
	}
	return err
}
