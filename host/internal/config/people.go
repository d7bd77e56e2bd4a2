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
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/text/didyoumean"
)

// Person is the configuration of one user of agents or approver.
type Person struct {
	// Roles are the names of the roles they hold, compared exactly.
	Roles []string `yaml:"roles"`
	// Administrator lets them grant anything while there is no permission_grants.
	Administrator bool `yaml:"administrator"`
	// Discord is the id of their Discord account: its answers are theirs, calls naming it as their
	// user are theirs, and its roles on the server are theirs.
	Discord Snowflake `yaml:"discord"`
	// OIDC is their subject (sub) at the provider of the console: who signs in there with it answers
	// as this person. It is no e-mail address, because a provider may give that to another.
	OIDC string `yaml:"oidc"`
}

// Person returns the configured person for a name or the id of a Discord account; an unknown one
// has no roles. It is the one place where several names become one person: code comparing people
// compares Person.Name.
func (c *Config) Person(name string) approvers.Person {
	name = c.nameOf(name)
	known := c.People[name]
	return approvers.Person{Name: name, Roles: slices.Clone(known.Roles), Administrator: known.Administrator}
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
func (c *Config) DiscordPerson(account string) (approvers.Person, bool) {
	p := c.Person(account)
	return p, p.Name != account
}

// DiscordAccount is the id of a person's Discord account; empty for none.
func (c *Config) DiscordAccount(person string) string { return string(c.People[person].Discord) }

// MayGrant reports whether a person may grant what, one of the forms of package approvers; the
// error, an *approvers.Refusal, names sufficient roles.
func (c *Config) MayGrant(p approvers.Person, what string) error {
	return c.PermissionGrants.Check(p, what)
}

// NamesNobody reports whether the file names no people and maps no roles: then the right to answer
// asks is all the authority there is.
func (c *Config) NamesNobody() bool { return len(c.People) == 0 && c.PermissionGrants == nil }

// maxPersonName bounds the names of people and roles, in bytes: they are stored and
// shown.
const maxPersonName = 200

// personName refuses a name with hidden parts on display.
func personName(name string) error {
	if strings.TrimSpace(name) != name || name == "" || len(name) > maxPersonName || !utf8.ValidString(name) ||
		strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("%.60q is not a name; want 1 to %d printable bytes without leading or trailing blanks", name, maxPersonName)
	}
	return nil
}

// people checks the names of people, roles and accounts.
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
			ck.add(at, "duplicate %s; keep one", name)
		}
	}
}

// permissionGrants checks the permissions of roles. A role need not be one of people: chat servers
// have roles of their own.
func (ck *checker) permissionGrants(g approvers.Grants, profiles []string) {
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

// grantable refuses impossible requests.
func grantable(what string, profiles []string) error {
	if name, ok := strings.CutPrefix(what, approvers.ModePrefix); ok {
		_, err := engine.ParseMode(name)
		if errors.Is(err, engine.ErrAutoReserved) {
			return err
		}
		if err != nil {
			return fmt.Errorf("unknown mode %q%s", name, didyoumean.Hint(name, engine.Modes()))
		}
		return nil
	}
	if what == approvers.GlobalRules || slices.Contains(profiles, what) {
		return nil
	}
	return fmt.Errorf("unknown profile %q%s", what, didyoumean.Hint(what, slices.Concat(profiles, []string{approvers.GlobalRules, approvers.ModePrefix + "NAME"})))
}

// ProfileNames are the possible names of profiles: the presets, then the configuration's own.
func (c *Config) ProfileNames() []string {
	return append(profile.Presets(), sortedKeys(c.Profiles)...)
}
