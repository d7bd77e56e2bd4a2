package member_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/discord/member"
)

const (
	server = "100"
	ann    = "1001"
	bob    = "1002"
	owner  = "1003"
	robot  = "1004"
	opsID  = "201"
	rootID = "202"
)

// world is a server with changes and failures.
type world struct {
	mu      sync.Mutex
	now     time.Time
	roles   []*discordgo.Role
	members map[string]*discordgo.Member
	fail    error
	guilds  atomic.Int64
}

func newWorld() *world {
	w := &world{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC), members: map[string]*discordgo.Member{}}
	w.roles = []*discordgo.Role{
		{ID: server, Name: "@everyone"}, {ID: opsID, Name: "ops"}, {ID: rootID, Name: "root", Permissions: discordgo.PermissionAdministrator},
		{ID: "203", Name: "twin"}, {ID: "204", Name: "twin"}, {ID: "205", Name: rootID},
	}
	for _, id := range []string{ann, bob, robot} {
		w.members[id] = in(id, opsID)
	}
	w.members[robot].User.Bot = true
	return w
}

// in is a member with roles.
func in(id string, roles ...string) *discordgo.Member {
	return &discordgo.Member{User: &discordgo.User{ID: id, Username: "u" + id}, Roles: roles}
}

func (w *world) Guild(_ context.Context, id string) (*discordgo.Guild, error) {
	w.guilds.Add(1)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		return nil, w.fail
	}
	return &discordgo.Guild{ID: id, OwnerID: owner, Roles: slices.Clone(w.roles)}, nil
}

func (w *world) Member(_ context.Context, guild, user string) (*discordgo.Member, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fail != nil {
		return nil, w.fail
	}
	if m := w.members[user]; m != nil && guild == server {
		return m, nil
	}
	return nil, errors.New("unknown member")
}

func (w *world) DiscordPerson(account string) (approvers.Person, bool) {
	if account == ann {
		return approvers.Person{Name: "ann", Roles: []string{"lead"}}, true
	}
	return approvers.Person{}, false
}

func (w *world) set(change func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change()
}

func (w *world) directory() *member.Directory {
	return member.New(member.Config{Server: server, Discord: w, Settings: func() member.Settings { return w }, Now: func() time.Time {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.now
	}})
}

func TestWho(t *testing.T) {
	soon := time.Date(2026, 5, 1, 13, 0, 0, 0, time.UTC)
	silenced := in(ann, opsID)
	silenced.CommunicationDisabledUntil = &soon
	for _, tt := range []struct {
		name  string
		guild string
		m     *discordgo.Member
		user  *discordgo.User
		want  string // NAME listed? admin? roles, or the error
	}{
		{"listed, with a role", server, in(ann, opsID), nil, "ann listed [201 lead ops]"},
		{"not listed, with a role", server, in(bob, opsID), nil, "1002 [201 ops]"},
		{"a member's user beside the member", server, &discordgo.Member{Roles: []string{opsID}}, &discordgo.User{ID: bob}, "1002 [201 ops]"},
		{"an administrator by role", server, in(bob, rootID), nil, "1002 administrator [202 root]"},
		{"the owner", server, in(owner), nil, "1003 administrator []"},
		{"@everyone is no role", server, in(bob, server), nil, "1002 []"},
		{"a name that two roles have is neither's", server, in(bob, "203"), nil, "1002 [203]"},
		{"a role named as another's id", server, in(bob, "205"), nil, "1002 [205]"},
		{"a role's name in the place of an id", server, in(bob, "ops", "root"), nil, "1002 []"},
		{"a role that there is not", server, in(bob, "299"), nil, "1002 [299]"},
		{"no member: asked for", server, nil, &discordgo.User{ID: bob}, "1002 [201 ops]"},
		{"in direct messages", "", nil, &discordgo.User{ID: ann}, "ann listed [201 lead ops]"},
		{"in direct messages a member is not believed", "", in(bob, rootID), nil, "1002 [201 ops]"},
		{"in direct messages, not a member", "", nil, &discordgo.User{ID: "1009"}, "unknown"},
		{"on another server", "999", in(bob, rootID), nil, "1002 []"},
		{"listed, on another server", "999", in(ann, rootID), nil, "ann listed [lead]"},
		{"timed out", server, silenced, nil, "unknown"},
		{"a bot", server, &discordgo.Member{User: &discordgo.User{ID: bob, Bot: true}}, nil, "no person"},
		{"a bot in direct messages", "", nil, &discordgo.User{ID: robot}, "no person"},
		{"a bot's reaction that was missed", server, nil, &discordgo.User{ID: robot}, "no person"},
		{"somebody on another server of whom nothing is said", "999", nil, &discordgo.User{ID: ann}, "unknown"},
		{"Discord itself", "", nil, &discordgo.User{ID: bob, System: true}, "no person"},
		{"nobody", server, nil, nil, "unknown"},
		{"a member without a user", server, &discordgo.Member{Roles: []string{rootID}}, nil, "unknown"},
		{"no id", server, in(""), nil, "unknown"},
		{"an id that is none", server, in("10o1"), nil, "unknown"},
		{"two accounts", server, in(bob), &discordgo.User{ID: ann}, "unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := newWorld().directory().Who(t.Context(), tt.guild, tt.m, tt.user)
			if text := describe(got, err); text != tt.want {
				t.Errorf("got %s (%v), want %s", text, err, tt.want)
			}
		})
	}
}

func describe(a member.Actor, err error) string {
	switch {
	case errors.Is(err, member.ErrNoPerson):
		return "no person"
	case errors.Is(err, member.ErrUnknown):
		return "unknown"
	case err != nil:
		return err.Error()
	}
	text := a.Name
	if a.Listed {
		text += " listed"
	}
	if a.Administrator {
		text += " administrator"
	}
	return fmt.Sprintf("%s %v", text, a.Roles)
}

// Symptom: an approver whom the configuration lists by their account could not answer while
// Discord did not give the roles of the server. They can, with no role of the server's;
// an account that is not listed cannot.
func TestWho_listedWithoutRoles(t *testing.T) {
	w := newWorld()
	w.fail = errors.New("HTTP 500")
	got, err := w.directory().Who(t.Context(), server, in(ann, rootID), nil)
	if err != nil || got.Name != "ann" || !got.Listed || got.Administrator || !slices.Equal(got.Roles, []string{"lead"}) {
		t.Errorf("got %+v, %v, want ann with the roles of the configuration only", got, err)
	}
}

// An account without a look-up is no person, and keeps nothing from before the error.
func TestWho_failsClosed(t *testing.T) {
	w := newWorld()
	w.fail = errors.New("HTTP 500")
	d := w.directory()
	for guild, who := range map[string]string{server: "1099", "": ann} {
		got, err := d.Who(t.Context(), guild, in(who, rootID), nil)
		if !errors.Is(err, member.ErrUnknown) || got.Name != "" || got.Administrator || got.Listed || got.Roles != nil {
			t.Errorf("in %q: got %+v, %v", guild, got, err)
		}
	}
}

// Roles are read again after a minute, hold for ten while Discord says nothing, and not longer;
// an unknown role makes it look at once.
func TestWho_refreshes(t *testing.T) {
	w := newWorld()
	d := w.directory()
	who := func(roles ...string) string {
		got, err := d.Who(t.Context(), server, in(bob, roles...), nil)
		return describe(got, err)
	}
	if got := who(opsID); got != "1002 [201 ops]" {
		t.Fatal(got)
	}
	w.set(func() {
		w.roles = append(w.roles, &discordgo.Role{ID: "206", Name: "new"})
		w.now = w.now.Add(5 * time.Second)
	})
	if got := who("206"); got != "1002 [206 new]" {
		t.Errorf("a new role: got %s", got)
	}
	for range 20 {
		who("299")
	}
	if n := w.guilds.Load(); n != 2 {
		t.Errorf("a role that there is not: the server was read %d times, want 2", n)
	}
	w.set(func() { w.fail = errors.New("down"); w.now = w.now.Add(5 * time.Minute) })
	if got := who(opsID); got != "1002 [201 ops]" {
		t.Errorf("with Discord down: got %s", got)
	}
	w.set(func() { w.now = w.now.Add(6 * time.Minute) })
	if got := who(opsID); got != "unknown" {
		t.Errorf("with Discord down for long: got %s", got)
	}
	w.set(func() { w.fail = nil; w.now = w.now.Add(time.Minute) })
	if got := who(opsID); got != "1002 [201 ops]" {
		t.Errorf("with Discord back: got %s", got)
	}
}

// Many at once read the server once.
func TestWho_atOnce(t *testing.T) {
	w := newWorld()
	d := w.directory()
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if got, err := d.Who(t.Context(), server, in(bob, opsID), nil); describe(got, err) != "1002 [201 ops]" {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	wg.Wait()
	if n := w.guilds.Load(); n != 1 {
		t.Errorf("the server was read %d times", n)
	}
}

func TestWho_endsWithItsContext(t *testing.T) {
	hanging := make(chan struct{})
	defer close(hanging)
	d := member.New(member.Config{Server: server, Discord: stuck{newWorld(), hanging}, Settings: func() member.Settings { return newWorld() }})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Who(ctx, server, in(ann, opsID), nil); !errors.Is(err, member.ErrUnknown) {
		t.Errorf("got %v", err)
	}
}

// stuck does not answer.
type stuck struct {
	*world
	until chan struct{}
}

func (s stuck) Guild(context.Context, string) (*discordgo.Guild, error) {
	<-s.until
	return nil, errors.New("late")
}

func TestRefused(t *testing.T) {
	for _, err := range []error{member.ErrNoPerson, fmt.Errorf("%w: x", member.ErrUnknown)} {
		if text := member.Refused(err); text == "" || strings.Contains(text, "x:") {
			t.Errorf("%v: got %q", err, text)
		}
	}
}

// A look-up is remembered for ten seconds, a failure as well; with fresh it is repeated. One
// without its caller is not remembered.
func TestHolds(t *testing.T) {
	t.Parallel()
	w := newWorld()
	d := w.directory()
	holds := func(fresh, want bool, when string) {
		t.Helper()
		a, err := d.Holds(t.Context(), ann, fresh)
		if got := err == nil && a.Name == "ann" && slices.Contains(a.Roles, "ops"); got != want {
			t.Errorf("%s: got %t (%+v, %v), want %t", when, got, a, err, want)
		}
	}
	holds(false, true, "at first")
	w.set(func() { w.members[ann] = in(ann) })
	holds(false, true, "at once after the role was taken away")
	holds(true, false, "fresh")
	holds(false, false, "after fresh")
	w.set(func() { w.members[ann] = in(ann, opsID) })
	holds(false, false, "the role is back, remembered")
	w.set(func() { w.now = w.now.Add(10 * time.Second) })
	holds(false, true, "ten seconds later")
	w.set(func() { w.now, w.fail = w.now.Add(10*time.Second), errors.New("503") })
	holds(false, false, "Discord fails")
	w.set(func() { w.fail = nil })
	holds(false, false, "the failure is remembered")
	w.set(func() { w.now = w.now.Add(-time.Hour) })
	holds(false, true, "the clock was set back")
	if _, err := d.Holds(t.Context(), robot, false); !errors.Is(err, member.ErrNoPerson) {
		t.Errorf("a bot: got %v", err)
	}
}
