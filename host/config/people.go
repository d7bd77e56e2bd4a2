package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/internal/spelling"
	"github.com/callgate/callgate/host/people"
)

// Person is what the operator says of one of the people that agents work for, or
// that answer asks.
type Person struct {
	// Roles are the names of the roles they hold, compared exactly.
	Roles []string `yaml:"roles"`
	// Administrator lets them grant anything while permission_grants is left out.
	Administrator bool `yaml:"administrator"`
	// Discord is the id of their Discord account: what it answers, they answer, and a
	// call that names it as its user is theirs.
	Discord Snowflake `yaml:"discord"`
}

// Person is somebody as the configuration knows them, by their name or the id of their
// Discord account; one whom it does not name has no roles. It is the one place where
// several names become one person: what compares people compares Person.Name.
func (c *Config) Person(name string) people.Person { return c.known(c.nameOf(name)) }

// known is somebody by their name.
func (c *Config) known(name string) people.Person {
	known := c.People[name]
	return people.Person{Name: name, Roles: slices.Clone(known.Roles), Administrator: known.Administrator}
}

// nameOf is the name of whom the configuration has an account of, and otherwise the
// text itself.
func (c *Config) nameOf(text string) string {
	if !IsSnowflake(text) {
		return text
	}
	for _, name := range sortedKeys(c.People) {
		if string(c.People[name].Discord) == text {
			return name
		}
	}
	return text
}

// DiscordPerson is who has this Discord account.
func (c *Config) DiscordPerson(account string) (people.Person, bool) {
	name := c.nameOf(account)
	return c.known(name), name != account
}

// DiscordAccount is the id of a person's Discord account; empty for none.
func (c *Config) DiscordAccount(person string) string { return string(c.People[person].Discord) }

// MayGrant reports whether somebody may grant what, one of the forms of package
// people; the error, a *people.Refusal, names the roles that would do.
func (c *Config) MayGrant(p people.Person, what string) error {
	return c.PermissionGrants.Check(p, what)
}

// Person is somebody as both configurations know them: with the roles that both
// give. Whose an account is, the accepted one tells.
func (c *Combination) Person(name string) people.Person {
	name = c.accepted.nameOf(name)
	return people.Both(c.accepted.known(name), c.next.known(name))
}

// DiscordPerson is who has this Discord account by the accepted configuration.
func (c *Combination) DiscordPerson(account string) (people.Person, bool) {
	_, listed := c.accepted.DiscordPerson(account)
	return c.Person(account), listed
}

// DiscordAccount is that of the accepted configuration.
func (c *Combination) DiscordAccount(person string) string {
	return c.accepted.DiscordAccount(person)
}

// MayGrant grants what both configurations let grant.
func (c *Combination) MayGrant(p people.Person, what string) error {
	if err := c.accepted.MayGrant(p, what); err != nil {
		return err
	}
	return c.next.MayGrant(p, what)
}

// people lists the roles that next gives, and the accepted configuration does not.
func (d *differences) people() {
	was, will := d.c.accepted.People, d.c.next.People
	for _, name := range sortedKeys(will) {
		before, after, field := was[name], will[name], "people."+name
		d.unless(containsAll(before.Roles, after.Roles), field+".roles", before.Roles, after.Roles)
		d.unless(before.Administrator || !after.Administrator, field+".administrator", before.Administrator, after.Administrator)
	}
	for _, name := range either(was, will) {
		d.unless(was[name].Discord == will[name].Discord, "people."+name+".discord", string(was[name].Discord), string(will[name].Discord))
	}
}

// permissionGrants lists what next lets a role grant, and the accepted
// configuration does not; without a mapping administrators grant.
func (d *differences) permissionGrants() {
	const field = "permission_grants"
	was, will := d.c.accepted.PermissionGrants, d.c.next.PermissionGrants
	if will == nil {
		d.unless(was == nil, field, grantsText(was), "what administrators grant")
		return
	}
	for _, role := range sortedKeys(will) {
		covered := func(what string) bool {
			return slices.ContainsFunc(was[role], func(entry string) bool { return people.Covers(entry, what) })
		}
		if slices.ContainsFunc(will[role], func(what string) bool { return !covered(what) }) {
			d.add(field+"."+role, was[role], will[role])
		}
	}
}

func grantsText(g people.Grants) string {
	var roles []string
	for _, role := range sortedKeys(g) {
		roles = append(roles, role+" "+shown(g[role]))
	}
	return strings.Join(roles, ", ")
}

func containsAll(list, entries []string) bool {
	return !slices.ContainsFunc(entries, func(e string) bool { return !slices.Contains(list, e) })
}

// maxPersonName bounds the names of people and roles, in bytes: they are stored and
// shown.
const maxPersonName = 200

// personName refuses a name that could hide something where it is shown.
func personName(name string) error {
	if strings.TrimSpace(name) != name || name == "" || len(name) > maxPersonName || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%.60q is no name: want 1 to %d printable bytes without blanks around them", name, maxPersonName)
	}
	return nil
}

// people checks the names of people and of what they hold.
func (ck *checker) people(known map[string]Person) {
	for _, name := range sortedKeys(known) {
		field := "people." + name
		if err := personName(name); err != nil {
			ck.add(field, "%v", err)
		}
		ck.personNames(known[name].Roles, field+".roles")
	}
}

// personNames checks a list of people or roles, each once.
func (ck *checker) personNames(names []string, field string) {
	for i, name := range names {
		at := fmt.Sprintf("%s[%d]", field, i)
		if err := personName(name); err != nil {
			ck.add(at, "%v", err)
		} else if slices.Contains(names[:i], name) {
			ck.add(at, "%s is given twice: keep one", name)
		}
	}
}

// permissionGrants checks what roles may grant. A role need not be one of people:
// chat servers have roles of their own.
func (ck *checker) permissionGrants(g people.Grants, profiles []string) {
	for _, role := range sortedKeys(g) {
		field := "permission_grants." + role
		if err := personName(role); err != nil {
			ck.add(field, "%v", err)
		}
		for i, what := range g[role] {
			if err := grantable(what, profiles); err != nil {
				ck.add(fmt.Sprintf("%s[%d]", field, i), "%v", err)
			}
		}
	}
}

// grantable refuses what nobody could ask for.
func grantable(what string, profiles []string) error {
	if name, ok := strings.CutPrefix(what, people.ModePrefix); ok {
		_, err := engine.ParseMode(name)
		if errors.Is(err, engine.ErrAutoReserved) {
			return err
		}
		if err != nil {
			return fmt.Errorf("unknown mode %q%s", name, spelling.Hint(name, engine.Modes()))
		}
		return nil
	}
	if what == people.GlobalRules || slices.Contains(profiles, what) {
		return nil
	}
	return fmt.Errorf("unknown profile %q%s", what, spelling.Hint(what, slices.Concat(profiles, []string{people.GlobalRules, people.ModePrefix + "NAME"})))
}

// ProfileNames are the names that a profile may be given by: the presets, then the
// configuration's own.
func (c *Config) ProfileNames() []string {
	return append(profile.Presets(), sortedKeys(c.Profiles)...)
}

// ProfileNames are those of both configurations.
func (c *Combination) ProfileNames() []string {
	names := slices.Concat(c.accepted.ProfileNames(), sortedKeys(c.next.Profiles))
	slices.Sort(names)
	return slices.Compact(names)
}
