package member

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"
)

// The lifetimes of the server's roles: they are read again after refreshAfter, while the known
// ones still hold, and not used after staleAfter. The holders of a role are not kept at all:
// Discord sends them with each click. patience is for one reading, pause the least time between
// two of which the first failed or missed a role.
const (
	refreshAfter = time.Minute
	staleAfter   = 10 * time.Minute
	patience     = 10 * time.Second
	pause        = 2 * time.Second
)

// maxRoles bounds the roles of a server; Discord has 250.
const maxRoles = 1000

// roles keeps the roles of the server.
type roles struct {
	c Config

	mu   sync.Mutex
	last *guild
	// reading is closed when the reading under way has ended; nil for none. triedAt is
	// when the last one began, and err how it ended.
	reading chan struct{}
	triedAt time.Time
	err     error
}

// guild is the server at one time. It is not changed any more.
type guild struct {
	at    time.Time
	owner string
	roles map[string]role
}

// role is one role. name is empty for a name that looks like another role's id, for a name
// shared with another, and for @everyone, held by all.
type role struct {
	name          string
	administrator bool
}

// known returns the server's roles, not older than staleAfter. A role of want missing among
// them makes it look again.
func (r *roles) known(ctx context.Context, want []string) (*guild, error) {
	r.mu.Lock()
	last, now := r.last, r.c.Now()
	missing := last != nil && slices.ContainsFunc(want, func(id string) bool { _, ok := last.roles[id]; return !ok })
	if last != nil && !missing && now.Sub(last.at) < refreshAfter {
		r.mu.Unlock()
		return last, nil
	}
	reading := r.start(ctx, now)
	err := r.err
	r.mu.Unlock()
	if last != nil && !missing && now.Sub(last.at) < staleAfter {
		return last, nil
	}
	if reading != nil {
		select {
		case <-reading:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		r.mu.Lock()
		last, err = r.last, r.err
		r.mu.Unlock()
	}
	if last != nil && now.Sub(last.at) < staleAfter {
		return last, nil
	}
	return nil, errors.Join(errors.New("the server was not found"), err)
}

// start begins a reading, unless there was one just before, and returns the one under
// way. The caller holds mu.
func (r *roles) start(ctx context.Context, now time.Time) <-chan struct{} {
	if r.reading != nil {
		return r.reading
	}
	if !r.triedAt.IsZero() && now.Sub(r.triedAt) < pause {
		return nil
	}
	done := make(chan struct{})
	r.reading, r.triedAt = done, now
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	go func() {
		defer cancel()
		g, err := r.read(ctx)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.reading, r.err = nil, err; err == nil {
			r.last = g
		}
		close(done)
	}()
	return done
}

// read asks Discord.
func (r *roles) read(ctx context.Context) (_ *guild, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("what Discord said of the server could not be read")
		}
	}()
	at := r.c.Now()
	g, err := r.c.Discord.Guild(ctx, r.c.Server)
	switch {
	case err != nil:
		return nil, err
	case g == nil || g.ID != r.c.Server || len(g.Roles) == 0 || len(g.Roles) > maxRoles:
		return nil, errors.New("Discord sent another server, or one without roles")
	}
	return guildOf(g, at), nil
}

func guildOf(g *discordgo.Guild, at time.Time) *guild {
	list := slices.DeleteFunc(slices.Clone(g.Roles), func(r *discordgo.Role) bool { return r == nil })
	named := map[string]int{}
	for _, r := range list {
		named[r.Name]++
	}
	out := &guild{at: at, owner: g.OwnerID, roles: make(map[string]role, len(list))}
	for _, r := range list {
		one := role{name: r.Name, administrator: r.Permissions&discordgo.PermissionAdministrator != 0}
		// A person who may make roles could make one with the name of another.
		if snowflake(r.Name) || named[r.Name] > 1 || r.ID == g.ID {
			one.name = ""
		}
		out.roles[r.ID] = one
	}
	return out
}
