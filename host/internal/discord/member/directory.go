package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/approvers"
)

// Discord looks up the server and its members; implemented by *link.Client.
type Discord interface {
	// Guild returns a server with its roles and its owner, Member one of its members.
	Guild(ctx context.Context, id string) (*discordgo.Guild, error)
	Member(ctx context.Context, guild, user string) (*discordgo.Member, error)
}

// Settings are the people in the configuration.
type Settings interface {
	// DiscordPerson is the person whom an account belongs to.
	DiscordPerson(account string) (approvers.Person, bool)
}

// Config are the parts of a Directory. All members are required but Now.
type Config struct {
	// Server is the id of the one server whose roles count.
	Server   string
	Discord  Discord
	Settings func() Settings
	Now      func() time.Time
}

// Directory tells who accounts are. It is safe for concurrent use.
type Directory struct {
	c     Config
	roles roles
	held  held
}

// New returns a directory; it asks Discord nothing yet.
func New(c Config) *Directory {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Directory{c: c, roles: roles{c: c}, held: held{now: c.Now, last: map[string]holding{}}}
}

// Prepare reads the server's roles, so the first click need not wait for them.
func (d *Directory) Prepare(ctx context.Context) error {
	_, err := d.roles.known(ctx, nil)
	return err
}

// Who identifies the account behind an action in a server, or in direct messages where guild is
// empty. m is Discord's member data from the event, nil without any; user is the account, nil
// where it is in m. If needed member data is missing, it asks Discord.
//
// Only members of the server count, and only its roles: a person acting in another one has only
// those of the configuration. Administrators are, besides those in the configuration, the
// server's owner and holders of a role with that permission. Every error means no person:
// ErrNoPerson, ErrUnknown.
func (d *Directory) Who(ctx context.Context, guild string, m *discordgo.Member, user *discordgo.User) (Actor, error) {
	user, err := account(m, user)
	if err != nil {
		return Actor{}, err
	}
	if guild != "" && guild != d.c.Server {
		if m == nil {
			return Actor{}, fmt.Errorf("%w: nothing is said of them on another server", ErrUnknown)
		}
		return d.person(user), nil
	}
	if m == nil || guild == "" {
		if m, err = d.c.Discord.Member(ctx, d.c.Server, user.ID); err != nil {
			return Actor{}, fmt.Errorf("%w: they were not found among the members of the server: %w", ErrUnknown, err)
		}
		if m == nil || m.User == nil || m.User.ID != user.ID {
			return Actor{}, fmt.Errorf("%w: another member came back", ErrUnknown)
		}
		if user, err = account(m, nil); err != nil {
			return Actor{}, err // the event need not have marked it as a bot
		}
	}
	if until := m.CommunicationDisabledUntil; until != nil && until.After(d.c.Now()) {
		return Actor{}, fmt.Errorf("%w: they are timed out on the server", ErrUnknown)
	}
	known, err := d.roles.known(ctx, m.Roles)
	if actor := d.person(user); err != nil && actor.Listed && ctx.Err() == nil {
		return actor, nil // named by their account: what they may by roles is not known and does not count
	}
	if err != nil {
		return Actor{}, fmt.Errorf("%w: the roles of the server could not be read: %w", ErrUnknown, err)
	}
	actor := d.person(user)
	d.equip(&actor, m, known)
	return actor, nil
}

// account is the one account in the event, if it is a person's.
func account(m *discordgo.Member, user *discordgo.User) (*discordgo.User, error) {
	switch {
	case user == nil && m != nil:
		user = m.User
	case user != nil && m != nil && m.User != nil && m.User.ID != user.ID:
		return nil, fmt.Errorf("%w: two accounts are named", ErrUnknown)
	}
	switch {
	case user == nil || !snowflake(user.ID):
		return nil, fmt.Errorf("%w: no account is named", ErrUnknown)
	case user.Bot || user.System:
		return nil, ErrNoPerson
	}
	return user, nil
}

// person is the configuration's person for an account, or an unlisted one.
func (d *Directory) person(user *discordgo.User) Actor {
	a := Actor{Account: user.ID, Display: cmp.Or(user.GlobalName, user.Username)}
	if a.Person, a.Listed = d.c.Settings().DiscordPerson(user.ID); !a.Listed || a.Name == "" {
		a.Person, a.Listed = approvers.Person{Name: user.ID}, false
	}
	return a
}

// equip gives an actor their roles on the server.
func (d *Directory) equip(a *Actor, m *discordgo.Member, known *guild) {
	held := slices.Clone(a.Roles)
	for _, id := range append([]string{d.c.Server}, m.Roles...) {
		r := known.roles[id]
		a.Administrator = a.Administrator || r.administrator
		if id == d.c.Server || !snowflake(id) {
			continue // @everyone, or a name like a role's id
		}
		held = append(held, id)
		if r.name != "" {
			held = append(held, r.name)
		}
	}
	a.Administrator = a.Administrator || known.owner == a.Account
	slices.Sort(held)
	a.Roles = slices.Compact(held)
}

// snowflake reports whether text can be an id of Discord.
func snowflake(text string) bool {
	return text != "" && len(text) <= 20 && strings.Trim(text, "0123456789") == ""
}

// Refused is the sentence for an account without a person.
func Refused(err error) string {
	if errors.Is(err, ErrNoPerson) {
		return "Only people may do this."
	}
	return "Discord did not say who you are, or what you may do on the server of this gate: try again."
}
