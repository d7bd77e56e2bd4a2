package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/sandbox"
)

// Widening is one thing that a changed file would allow and that does not hold
// before a person accepts it, or a change of which Callgate cannot tell.
type Widening struct {
	// Where is the path of keys that leads to it, Line its line in the changed
	// file; zero when nothing of it is left there.
	Where string `json:"where"`
	Line  int    `json:"line,omitempty"`
	// Was is what holds, Will what the file says now; empty for nothing at all.
	Was  string `json:"was"`
	Will string `json:"will"`
}

// Widenings lists how the next configuration differs from the combination: empty
// when it is at least as strict as the accepted one in everything, and may hold
// at once.
func (c *Combination) Widenings() []Widening {
	if c.accepted == c.next {
		return nil
	}
	d := &differences{c: c, noted: map[Widening]bool{}}
	d.profiles()
	for _, name := range c.names() {
		d.agent(name)
	}
	d.c.eachAgent(d.rules)
	d.toolConfig("tools", c.accepted.Tools, c.next.Tools)
	d.toolConfig("defaults.tools", c.accepted.Defaults.Tools, c.next.Defaults.Tools)
	for _, name := range c.names() {
		d.toolConfig("agents."+name+".tools", c.accepted.Agents[name].Tools, c.next.Agents[name].Tools)
	}
	d.grants()
	d.trust()
	d.people()
	d.approvers()
	d.permissionGrants()
	d.discord()
	d.asks()
	d.audit()
	d.rest()
	return d.found
}

// differences gathers where next is not the combination.
type differences struct {
	c     *Combination
	found []Widening
	noted map[Widening]bool
	// written are the fields of the next file's rules, by identity; filled when the
	// first is asked for.
	written map[string]string
}

// add notes a difference once.
func (d *differences) add(where string, was, will any) {
	w := Widening{Where: where, Line: d.c.next.places.Of(where).Line, Was: shown(was), Will: shown(will)}
	if !d.noted[w] {
		d.noted[w] = true
		d.found = append(d.found, w)
	}
}

// unless adds a difference but for what is the same.
func (d *differences) unless(same bool, where string, was, will any) {
	if !same {
		d.add(where, was, will)
	}
}

func shown(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case fmt.Stringer:
		return v.String()
	case []string:
		if v == nil {
			return ""
		}
		return "[" + strings.Join(v, ", ") + "]"
	case json.RawMessage:
		var out bytes.Buffer
		if json.Compact(&out, v) != nil {
			return ""
		}
		return out.String()
	}
	return fmt.Sprint(v)
}

// agent compares what holds for one agent, or with "" for those without a block.
func (d *differences) agent(name string) {
	was, force, will := d.c.accepted.Agent(name), d.c.Agent(name), d.c.next.Agent(name)
	at := func(key string) string { return d.place(name, key) }
	d.unless(force.Mode == will.Mode, at("mode"), was.Mode, will.Mode)
	d.unless(sameDirectories(force.WorkingDirectories, will.WorkingDirectories), at("working_directories"), was.WorkingDirectories, will.WorkingDirectories)
	d.unless(force.Home == will.Home, at("home"), was.Home, will.Home)
	d.unless(force.User == will.User, at("user"), was.User, will.User)
	d.unless(force.Kind == will.Kind, at("kind"), string(was.Kind), string(will.Kind))
	d.unless(allCovered(will.Lists.Disallowed, force.Lists.Disallowed), at("disallowed_tools"), was.Lists.Disallowed, will.Lists.Disallowed)
	d.unless(sameAllowed(force.Lists.Allowed, will.Lists.Allowed), at("allowed_tools"), was.Lists.Allowed, will.Lists.Allowed)
	d.unless(force.Lists.IgnoreDenylist == will.Lists.IgnoreDenylist, at("respect_denylist"), !was.Lists.IgnoreDenylist, !will.Lists.IgnoreDenylist)
	d.unless(d.sameProfile(was.Profile, force.Profile, will.Profile), at("profile"), was.Profile, will.Profile)
	d.unless(force.Timeout == will.Timeout, at("timeout"), was.Timeout, will.Timeout)
	d.unless(force.ResumeAsks == will.ResumeAsks, at("resume_asks"), was.ResumeAsks, will.ResumeAsks)
	d.unless(force.FollowClientMode == will.FollowClientMode, at("follow_client_mode"), was.FollowClientMode, will.FollowClientMode)
	d.unless(force.Dialect == will.Dialect, at("dialect"), string(was.Dialect), string(will.Dialect))
	d.unless(force.PersistentShell == will.PersistentShell, at("persistent_shell"), was.PersistentShell, will.PersistentShell)
	d.unless(force.Callback == will.Callback, at("callback"), was.Callback, will.Callback)
	d.unless(reflect.DeepEqual(force.Discord, will.Discord), at("discord"), was.Discord, will.Discord)
	d.narrowed(was, force, will, at)
	d.unless(reflect.DeepEqual(unknown(force), unknown(will)), "agents."+name, "", "a setting that may widen")
}

// unknown is an agent without what is compared above: what a later version adds is
// a widening until somebody says how it tightens.
func unknown(a Agent) Agent {
	a.Mode, a.WorkingDirectories, a.Home, a.User, a.Kind = engine.DefaultMode, nil, "", "", ""
	a.Named, a.Timeout, a.ResumeAsks, a.FollowClientMode, a.Rules = false, 0, "", false, Rules{}
	a.Lists.Disallowed, a.Lists.Allowed, a.Lists.IgnoreDenylist = nil, nil, false
	a.Dialect, a.PersistentShell, a.Profile = "", false, nil
	a.Callback, a.SubAgents, a.Skills, a.Discord = Callback{}, nil, nil, DiscordRoute{}
	return a
}

// place is where an agent's setting comes from in the next file or, when it is
// gone there, came from before.
func (d *differences) place(name, key string) string {
	candidates := []string{"agents." + name + "." + key, "defaults." + key}
	if key == "timeout" {
		candidates = append(candidates, "asks.timeout")
	}
	for _, c := range []*Config{d.c.next, d.c.accepted} {
		for _, where := range candidates {
			if _, there := c.places[where]; there {
				return where
			}
		}
	}
	return candidates[1]
}

// sameDirectories compares lists of which the first is the anchor.
func sameDirectories(force, will []string) bool {
	if len(force) == 0 || len(will) == 0 {
		return len(force) == len(will)
	}
	return force[0] == will[0] && allCovered(force, will) && allCovered(will, force)
}

// sameAllowed compares lists of which nil is no list at all.
func sameAllowed(force, will []string) bool {
	if force == nil || will == nil {
		return force == nil && will == nil
	}
	return allCovered(force, will)
}

// allCovered reports whether list covers each of the entries.
func allCovered(list, entries []string) bool {
	return !slices.ContainsFunc(entries, func(e string) bool { return !covered(list, e) })
}

// rules compares an agent's: in force are every deny and ask rule of next, and those
// of its allow rules that were accepted, for as long as they were.
func (d *differences) rules(_ string, was, will []engine.Rule) {
	held, hold := lasting(was), lasting(will)
	texts, after := ruleTexts(was), ruleTexts(will)
	for _, r := range will {
		if r.Behavior != engine.Allow {
			continue
		}
		key := sameRule(r)
		if end, there := held[key]; !there || before(end, hold[key]) {
			d.add(d.ruleAt(r), texts[key], ruleLine(r))
		}
	}
	for _, r := range was {
		if r.Behavior != engine.Allow && !holds(hold, r) {
			d.add(rulesOf(r), ruleLine(r), after[sameRule(r)])
		}
	}
}

// ruleAt is the place of a rule of the next file.
func (d *differences) ruleAt(r engine.Rule) string {
	if d.written == nil {
		d.written = map[string]string{}
		for _, w := range d.c.next.Written() {
			if id := identity(w.Rule); d.written[id] == "" {
				d.written[id] = w.Field
			}
		}
	}
	if field := d.written[identity(r)]; field != "" {
		return field
	}
	return rulesOf(r)
}

// rulesOf is the list that a rule stood in.
func rulesOf(r engine.Rule) string {
	if r.Scope == engine.Agent {
		return "agents." + r.ScopeKey + ".rules"
	}
	return "rules"
}

// ruleTexts are the rules as they are shown, by what is the same; the first of each.
func ruleTexts(rules []engine.Rule) map[string]string {
	texts := make(map[string]string, len(rules))
	for _, r := range rules {
		if key := sameRule(r); texts[key] == "" {
			texts[key] = ruleLine(r)
		}
	}
	return texts
}

func ruleLine(r engine.Rule) string {
	text := r.Behavior.String() + " " + r.String()
	if !r.ExpiresAt.IsZero() {
		text += " until " + r.ExpiresAt.Format(time.RFC3339)
	}
	return text
}

func (d *differences) toolConfig(field string, was, will map[string]Tool) {
	for _, name := range either(was, will) {
		d.unless(sameJSON(was[name].Config, will[name].Config), field+"."+name+".config", was[name].Config, will[name].Config)
	}
}

// sameJSON compares values, whatever the order of their members.
func sameJSON(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	return len(a) > 0 && len(b) > 0 && bytes.Equal(overlay(json.RawMessage(`{}`), a), overlay(json.RawMessage(`{}`), b))
}

// either lists the keys of both.
func either[V any](a, b map[string]V) []string {
	names := slices.Concat(sortedKeys(a), sortedKeys(b))
	slices.Sort(names)
	return slices.Compact(names)
}

// grants compares what modules may do. A grant that appears or goes away is never
// only stricter: it may take the place of another one of the same module.
func (d *differences) grants() {
	force := d.c.Modules().Grants
	d.limits("modules", Grant{}, Grant{})
	for _, name := range either(d.c.accepted.Modules.Grants, d.c.next.Modules.Grants) {
		was, there := d.c.accepted.Modules.Grants[name]
		will, stays := d.c.next.Modules.Grants[name]
		field := "modules.grants." + name
		if there != stays {
			d.add(field, grantText(was, there), grantText(will, stays))
			continue
		}
		if f := force[name]; !sameGrant(f, will) {
			d.add(field, grantText(was, true), grantText(will, true))
		}
		d.limits(field, was, will)
	}
}

// limits compares what a module may use, limit by limit. field is the grant's, or
// that of all modules, where also that stands which a grant leaves out.
func (d *differences) limits(field string, was, will Grant) {
	before, after := d.c.accepted.Modules.LimitsOf(was), d.c.next.Modules.LimitsOf(will)
	for _, s := range sandbox.Settings() {
		if s.Of(after) <= s.Of(before) {
			continue
		}
		where := field
		if was.Limits.value(s) == 0 && will.Limits.value(s) == 0 {
			where = "modules"
		}
		d.add(where+".limits."+s.Name, s.Text(s.Of(before)), s.Text(s.Of(after)))
	}
}

// sameGrant compares without the configuration's spelling, and without the limits;
// what a later version adds to a grant counts as well.
func sameGrant(force, will Grant) bool {
	same := sameJSON(force.Config, will.Config) && slices.Equal(force.Names, will.Names) && (force.Names == nil) == (will.Names == nil)
	force.Config, force.Names, will.Config, will.Names = nil, nil, nil, nil
	force.Limits, will.Limits = Limits{}, Limits{}
	return same && reflect.DeepEqual(force, will)
}

func grantText(g Grant, there bool) string {
	if !there {
		return ""
	}
	text := fmt.Sprintf("may_allow %t, may_read_only %t", g.MayAllow, g.MayReadOnly)
	if g.Names != nil {
		text += ", names " + shown(g.Names)
	}
	if g.Config != nil {
		text += ", config " + shown(g.Config)
	}
	if limits := limitsText(g.Limits); limits != "" {
		text += ", limits " + limits
	}
	return text
}

// discord compares how Discord is reached, key by key: each change may tell calls to
// others, or let them answer.
func (d *differences) discord() {
	was, will := d.c.accepted.Discord, d.c.next.Discord
	d.unless(was.TokenFile == will.TokenFile, "discord.token_file", was.TokenFile, will.TokenFile)
	d.unless(was.Server == will.Server, "discord.server", string(was.Server), string(will.Server))
	d.unless(was.APIURL == will.APIURL, "discord.api_url", was.APIURL, will.APIURL)
	d.unless(was.Reactions == will.Reactions, "discord.reactions", was.Reactions, will.Reactions)
	d.unless(was.UsesGateway() == will.UsesGateway(), "discord.gateway", was.UsesGateway(), will.UsesGateway())
	d.unless(was.Interactions == will.Interactions, "discord.interactions", was.Interactions, will.Interactions)
}

// asks compares the bounds on questions, key by key.
func (d *differences) asks() {
	was, force, will := reflect.ValueOf(d.c.accepted.Asks), reflect.ValueOf(d.c.Asks()), reflect.ValueOf(d.c.next.Asks)
	for i := range force.NumField() {
		field := "asks." + force.Type().Field(i).Tag.Get("yaml")
		d.unless(force.Field(i).Interface() == will.Field(i).Interface(), field, bound(was.Field(i)), bound(will.Field(i)))
	}
}

func bound(v reflect.Value) string {
	if d, ok := v.Interface().(Duration); ok {
		return time.Duration(d).String()
	}
	return fmt.Sprint(v.Interface())
}

// compared are the keys at the top of the file that are compared above.
var compared = []string{"defaults", "agents", "rules", "tools", "modules", "asks", "audit", "profiles", "people", "permission_grants", "discord"}

// rest compares every other key at the top, and modules.dir, of which each
// difference may widen, and the memory of all modules.
func (d *differences) rest() {
	was, will := reflect.ValueOf(*d.c.accepted), reflect.ValueOf(*d.c.next)
	for i := range was.NumField() {
		key := was.Type().Field(i).Tag.Get("yaml")
		if key == "" || key == "-" || slices.Contains(compared, key) {
			continue
		}
		a, b := was.Field(i).Interface(), will.Field(i).Interface()
		d.unless(reflect.DeepEqual(a, b), key, a, b)
	}
	d.unless(d.c.accepted.Modules.MemoryMiB >= d.c.next.Modules.MemoryMiB, "modules.memory_mib", d.c.accepted.Modules.MemoryMiB, d.c.next.Modules.MemoryMiB)
	d.unless(d.c.accepted.Modules.Dir == d.c.next.Modules.Dir, "modules.dir", d.c.accepted.Modules.Dir, d.c.next.Modules.Dir)
}
