package gate

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

	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/internal/spelling"
	"github.com/callgate/callgate/host/store"
)

// profilesSetting keeps the profiles that agents were given, in the store.
const profilesSetting = "agent_profiles"

// byConfiguration is who takes a profile back when the configuration gives the
// agent another one.
const byConfiguration = "configuration file"

// GivenProfile is a profile that an agent has in place of the one that the
// configuration gives it, until that gives it another one.
type GivenProfile struct {
	Agent   string `json:"agent"`
	Profile string `json:"profile"`
	// Replaces is what the configuration said when it was given, as
	// config.AgentProfile.Choice tells it; empty for no profile.
	Replaces string `json:"replaces"`
	// By is who triggered the change, ApprovedBy who approved the agent's call.
	By         string    `json:"by"`
	ApprovedBy string    `json:"approved_by,omitempty"`
	At         time.Time `json:"at"`
}

// ErrUnknownProfile marks a name that no profile has.
var ErrUnknownProfile = errors.New("unknown profile")

// ErrNoGivenProfile means that the agent has the profile of the configuration.
var ErrNoGivenProfile = errors.New("the agent has the profile that the configuration gives it")

// maxGiven bounds how many agents may have a given profile.
const maxGiven = 10_000

// givenProfiles are those in the store, read once: only this process writes there.
type givenProfiles struct {
	mu     sync.Mutex
	loaded bool
	by     map[string]GivenProfile // replaced as a whole
}

// read returns them all. The map is not changed by anyone.
func (l *givenProfiles) read(ctx context.Context, s Store) (map[string]GivenProfile, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held(ctx, s)
}

// held is read with the lock taken.
func (l *givenProfiles) held(ctx context.Context, s Store) (map[string]GivenProfile, error) {
	if l.loaded {
		return l.by, nil
	}
	text, err := s.Setting(ctx, profilesSetting)
	by := map[string]GivenProfile{}
	if err == nil {
		err = json.Unmarshal(text, &by)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, fmt.Errorf("the profiles that agents were given cannot be read, and nobody knows what holds: look, then give them back with callgate profiles reset --all: %w", err)
	}
	l.by, l.loaded = by, true
	return by, nil
}

// change stores what edit makes of them, with the row that records it.
func (l *givenProfiles) change(ctx context.Context, s Store, row store.Row, edit func(map[string]GivenProfile) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	known, err := l.held(ctx, s)
	if err != nil {
		return err
	}
	next := maps.Clone(known)
	if err := edit(next); err != nil {
		return err
	}
	return l.save(ctx, s, row, next)
}

// save stores them all, even when the caller has left. The caller holds the lock.
func (l *givenProfiles) save(ctx context.Context, s Store, row store.Row, next map[string]GivenProfile) error {
	text, err := json.Marshal(next)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), auditPatience)
	defer cancel()
	if err := s.SaveSetting(ctx, profilesSetting, text, row); err != nil {
		return err
	}
	l.by, l.loaded = next, true
	return nil
}

// profileOverride is the profile that an agent was given; ok is false when it has
// the configuration's. After an error it is not known what holds, and the call must
// be denied. While a changed configuration that gives the agent another one waits for
// a person, the given one and the configuration's both count. s is the one configuration
// by which the call, or the question, is answered.
func (g *Gate) profileOverride(ctx context.Context, s Settings, agent string) (p *config.AgentProfile, ok bool, err error) {
	given, err := g.given.read(ctx, g.c.Store)
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

// choice is which profile the accepted configuration gives an agent.
func (g *Gate) choice(agent string) string {
	accepted, _ := g.c.Settings().ProfileChoices(agent)
	return accepted
}

// GivenProfiles lists the profiles that agents have in place of the
// configuration's, by agent.
func (g *Gate) GivenProfiles(ctx context.Context) ([]GivenProfile, error) {
	given, err := g.given.read(ctx, g.c.Store)
	if err != nil {
		return nil, err
	}
	var out []GivenProfile
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if given[name].Replaces == g.choice(name) {
			out = append(out, given[name])
		}
	}
	return out, nil
}

// GiveProfile gives an agent the profile of that name from its next call on, in
// place of the configuration's and until that gives the agent another one. by is who
// wants it, approvedBy who approved the agent's own call; empty when a person changes
// it directly. Whether they may is the caller's to know. ErrUnknownProfile when there
// is none of that name.
func (g *Gate) GiveProfile(ctx context.Context, agent, name, by, approvedBy string) (GivenProfile, error) {
	if err := g.knownProfile(name); err != nil {
		return GivenProfile{}, err
	}
	given := GivenProfile{Agent: agent, Profile: name, Replaces: g.choice(agent), By: by, ApprovedBy: approvedBy, At: g.c.Now().UTC()}
	row := store.Row{Time: g.c.Now(), Event: store.EventProfileGiven, Agent: agent, User: by, DecidedBy: approvedBy}
	if approvedBy == "" {
		row.DecidedBy = by
	}
	before, err := g.profileName(ctx, agent)
	if err != nil {
		return GivenProfile{}, err
	}
	row.Detail = fmt.Sprintf("profile %s in place of %s, from the next call on", name, before)
	return given, g.given.change(ctx, g.c.Store, row, func(all map[string]GivenProfile) error {
		if _, has := all[agent]; !has && len(all) >= maxGiven {
			return fmt.Errorf("%d agents have a given profile: reset some", maxGiven)
		}
		all[agent] = given
		return nil
	})
}

// profileName is what an agent's profile is called, for people.
func (g *Gate) profileName(ctx context.Context, agent string) (string, error) {
	p, ok, err := g.profileOverride(ctx, g.c.Settings(), agent)
	if err != nil {
		return "", err
	}
	name := g.choice(agent)
	if ok {
		name = p.Name()
	}
	return cmp.Or(name, "none"), nil
}

// knownProfile refuses a name that no profile has, with the one that was meant.
func (g *Gate) knownProfile(name string) error {
	s := g.c.Settings()
	if s.Profile(name).Missing() == "" {
		return nil
	}
	return fmt.Errorf("%w %q%s", ErrUnknownProfile, name, spelling.Hint(name, s.ProfileNames()))
}

// ResetProfile gives an agent the configuration's profile again, in the name of by.
// ErrNoGivenProfile when it has that.
func (g *Gate) ResetProfile(ctx context.Context, agent, by string) error {
	before, err := g.profileName(ctx, agent)
	if err != nil {
		return err
	}
	row := store.Row{Time: g.c.Now(), Event: store.EventProfileReset, Agent: agent, DecidedBy: by, Detail: "profile " + before + " taken back"}
	return g.given.change(ctx, g.c.Store, row, func(all map[string]GivenProfile) error {
		if _, has := all[agent]; !has {
			return fmt.Errorf("%s: %w", agent, ErrNoGivenProfile)
		}
		delete(all, agent)
		return nil
	})
}

// ResetProfiles gives all agents the configuration's profiles again, in the name of
// by. It is the way out when what is stored cannot be read.
func (g *Gate) ResetProfiles(ctx context.Context, by string) error {
	g.given.mu.Lock()
	defer g.given.mu.Unlock()
	row := store.Row{Time: g.c.Now(), Event: store.EventProfileReset, DecidedBy: by, Detail: "all given profiles taken back"}
	return g.given.save(ctx, g.c.Store, row, map[string]GivenProfile{})
}

// SettleProfiles forgets the given profiles of agents whom the configuration gives
// another one by now, so that none comes back when the file does. Call it whenever
// the configuration has changed.
func (g *Gate) SettleProfiles(ctx context.Context) error {
	given, err := g.given.read(ctx, g.c.Store)
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
