package convert

import (
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine/profile"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// standard is the profile of an agent without one.
const standard = "standard"

// whyChorus are keys with a reason of their own.
var whyChorus = map[string]string{
	"discord_token": "not carried: a secret; its value is not shown", "token": "not carried: a secret; its value is not shown", "api_key": "not carried: a secret; its value is not shown", "api_keys": "not carried: secrets; their values are not shown",
	"system_prompt": "not carried: what an agent is told is not Callgate's business", "model": "not carried: which model an agent has is not Callgate's business", "description": "not carried: it says nothing about permissions",
}

// readChorus reads an agent's agent.json, or the server's config.json; the keys decide which.
func readChorus(b *builder, data []byte) error {
	root, err := b.readJSON(data)
	if err != nil {
		return err
	}
	if !b.is(root, "", object) {
		return nil
	}
	known := map[string]bool{}
	for _, name := range profile.Presets() {
		known[name] = true
	}
	server := false
	for _, key := range []string{"permission_grants", "permission_profiles", "profiles", "agents"} {
		server = server || root.get(key) != nil
	}
	for _, key := range []string{"permission_profiles", "profiles"} {
		named := root.get(key)
		if !b.is(named, key, object) {
			continue
		}
		for _, m := range named.keys {
			known[m.name] = true
			if p, ok := b.chorusLists(key+"."+m.name, m.value); ok {
				p.Name = m.name
				e := b.entry(m.at, key+"."+m.name)
				e.becomes("profiles.%s", m.name)
				e.chorusShadows(p)
				b.report.Profiles = append(b.report.Profiles, p)
			}
		}
	}
	if !server && b.options.Agent == "" {
		if name := root.get("name"); b.is(name, "name", text) {
			b.report.Blocks[0].Agent = name.text
		}
	}
	b.chorusProfile("permissions", root.at, root.member("permissions"), b.main().Agent, known)
	b.note("What a profile allows runs without a question as far as the agent's mode says: files of the project with mode: accept_edits, everything that it allows, as in Chorus and without safety checks, with mode: bypass.")
	b.chorusGrants(root.get("permission_grants"), known)
	b.chorusAgents(root.get("agents"), known)
	keys := []string{"name", "permissions", "permission_grants", "permission_profiles", "profiles", "agents"}
	b.rest(root, "", keys, whyChorus)
	b.givenDir()
	return nil
}

// chorusProfile gives an agent its profile; without one, standard. An absent one is reported at
// where.
func (b *builder) chorusProfile(field string, where strictyaml.Position, m *member, agent string, known map[string]bool) {
	block := b.block(agent)
	who := agent
	if who == "" {
		who = "every agent"
	}
	switch {
	case m == nil || m.value.kind == null:
		e := b.entry(where, field+" (absent)")
		block.Profile = standard
		e.becomes("profile: %s", standard)
		e.says("%s names no profile: %s, as there", who, standard)
	case m.value.kind == text:
		e := b.entry(m.at, field+": "+m.value.text)
		if !known[m.value.text] {
			b.errorf(m.value.at, field, "there is no profile %q: name open, standard, locked or one of permission_profiles, or write its lists in its place", m.value.text)
			return
		}
		block.Profile = m.value.text
		e.becomes("profile: %s", m.value.text)
	default:
		p, ok := b.chorusLists(field, m.value)
		if !ok {
			return
		}
		e := b.entry(m.at, field)
		block.Inline = &p
		e.becomes("profile: {allow: %d patterns, ask: %d, deny: %d}", len(p.Allow), len(p.Ask), len(p.Deny))
		e.chorusShadows(p)
	}
}

// chorusLists reads the lists of a profile and compiles them: a pattern Python refuses makes the
// profile invalid there, too.
func (b *builder) chorusLists(field string, n *node) (Profile, bool) {
	p := Profile{Allow: []string{}, Ask: []string{}}
	if !b.is(n, field, object) {
		return p, false
	}
	lists := map[string]*[]string{"allow": &p.Allow, "ask": &p.Ask, "deny": &p.Deny}
	places := map[string][]*node{}
	for _, m := range n.keys {
		to, ok := lists[m.name]
		if !ok {
			b.errorf(m.at, field+"."+m.name, "a profile has allow and ask (and deny): take this key out, or correct its name")
			return p, false
		}
		places[m.name] = b.texts(m.value, field+"."+m.name)
		for _, item := range places[m.name] {
			*to = append(*to, item.text)
		}
	}
	_, err := profile.Compile(profile.Profile{Allow: p.Allow, Ask: p.Ask, Deny: p.Deny})
	var bad *profile.PatternError
	if errors.As(err, &bad) && bad.Index < len(places[bad.List]) {
		b.errorf(places[bad.List][bad.Index].at, fmt.Sprintf("%s.%s[%d]", field, bad.List, bad.Index), "%v", bad.Err)
	} else if err != nil {
		b.errorf(n.at, field, "%v", err)
	}
	return p, err == nil
}

// chorusShadows lists the ask patterns overlapped by an allow pattern: inside a profile allow beats
// ask, here as there.
func (e *entry) chorusShadows(p Profile) {
	for _, ask := range p.Ask {
		for _, allow := range p.Allow {
			switch {
			case coversPattern(allow, ask):
				e.says("ask %q never asks: allow %q matches all of it, and allow beats ask inside a profile", ask, allow)
			case meetPatterns(allow, ask):
				e.says("ask %q does not ask about what allow %q matches: allow beats ask inside a profile", ask, allow)
			}
		}
	}
}

// coversPattern reports whether a provably matches everything b matches.
func coversPattern(a, b string) bool {
	c, err := profile.Compile(profile.Profile{Ask: []string{b}, Deny: []string{a}})
	return err == nil && !c.Offers(profile.Shape{Text: "tool:"})
}

// meetPatterns tells whether two patterns may match the same action, by the
// literal text they begin with.
func meetPatterns(a, b string) bool {
	x, y := literalHead(a), literalHead(b)
	if x == a && y == b {
		return a == b
	}
	return strings.HasPrefix(x, y) || strings.HasPrefix(y, x)
}

func literalHead(pattern string) string {
	i := strings.IndexAny(pattern, `\.*+?()[]{}^$|`)
	switch {
	case i < 0:
		return pattern
	case i > 0 && strings.IndexByte("*?{", pattern[i]) >= 0:
		i-- // the character before may be absent
	}
	if strings.Contains(pattern, "|") && !strings.Contains(pattern[:i], "(") && !strings.Contains(pattern, "(") {
		return ""
	}
	return pattern[:i]
}

func (b *builder) chorusGrants(n *node, known map[string]bool) {
	if !b.is(n, "permission_grants", object) {
		return
	}
	for _, m := range n.keys {
		g := Grant{Role: m.name, Gives: []string{}}
		e := b.entry(m.at, "permission_grants."+m.name)
		for _, item := range b.texts(m.value, "permission_grants."+m.name) {
			if !known[item.text] {
				e.is(LeftOut, "there is no profile %q: nobody can be given it", item.text)
				continue
			}
			g.Gives = append(g.Gives, item.text)
		}
		e.becomes("permission_grants.%s: %s", m.name, strings.Join(g.Gives, ", "))
		b.report.Grants = append(b.report.Grants, g)
	}
	b.note("Who has which role is told by people: in the configuration. Until then nobody may grant anything: beside permission_grants the roles alone count.")
}

// chorusAgents reads agents by name, when a server's file lists them.
func (b *builder) chorusAgents(n *node, known map[string]bool) {
	if n == nil {
		return
	}
	if n.kind == object {
		for _, m := range n.keys {
			if b.is(m.value, "agents."+m.name, object) {
				b.chorusAgent("agents."+m.name, m.name, m.at, m.value, known)
			}
		}
		return
	}
	if !b.is(n, "agents", array) {
		return
	}
	for i, item := range n.list {
		field := fmt.Sprintf("agents[%d]", i)
		if item.kind == text {
			b.chorusProfile(field+".permissions", item.at, nil, item.text, known)
			continue
		}
		name := item.get("name")
		if !b.is(item, field, object) || name == nil || !b.is(name, field+".name", text) {
			b.errorf(item.at, field, "want an agent with a name")
			continue
		}
		b.chorusAgent(field, name.text, item.at, item, known)
	}
}

func (b *builder) chorusAgent(field, name string, at strictyaml.Position, n *node, known map[string]bool) {
	b.chorusProfile(field+".permissions", at, n.member("permissions"), name, known)
	b.rest(n, field, []string{"name", "permissions"}, whyChorus)
}
