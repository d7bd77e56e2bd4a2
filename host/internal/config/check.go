package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// maxWait bounds every time a person may set for asks; beyond it, the caller is
// long gone.
const maxWait = Duration(24 * time.Hour)

// check finds mistakes beyond the file's shape, expands ~ in paths and makes the engine's rules.
func (c *Config) check(places strictyaml.Places) error {
	ck := &checker{errs: strictyaml.List{File: c.File}, places: places, dirs: c.dirs}
	ck.profiles(c)
	ck.settings(&c.Defaults, "defaults")
	for _, name := range sortedKeys(c.Agents) {
		block := c.Agents[name]
		ck.agent(name, &block)
		c.Agents[name] = block
	}
	ck.rules(c.Rules, "rules")
	c.name()
	ck.tools(c.Tools, "tools")
	ck.people(c.People)
	ck.allApprovers(c)
	ck.permissionGrants(c.PermissionGrants, c.ProfileNames())
	ck.webhooks(c.Webhooks)
	ck.discord(c)
	ck.paths(c.Paths)
	ck.modules(&c.Modules)
	ck.asks(&c.Asks)
	ck.listen(&c.Listen)
	ck.audit(&c.Audit)
	ck.telemetry(&c.Telemetry)
	ck.gateway(&c.Gateway)
	ck.hooks(c.Hooks)
	ck.console(c)
	ck.subjects(c)
	ck.boundary(&c.Boundary, c.Listen)
	ck.store(c)
	return ck.errs.Err()
}

// name gives each rule its place as ID: "FILE:LINE", and with the column from
// the second rule of a line on.
func (c *Config) name() {
	last := 0
	c.eachRule(func(r *Rule) {
		at := r.Position()
		r.rule.ID = fmt.Sprintf("%s:%d", filepath.Base(c.File), at.Line)
		if at.Line == last {
			r.rule.ID += fmt.Sprintf(":%d", at.Column)
		}
		last = at.Line
	})
}

// eachRule visits all rules: the global ones, then each agent's by name.
func (c *Config) eachRule(visit func(r *Rule)) {
	for i := range c.Rules {
		visit(&c.Rules[i])
	}
	for _, name := range sortedKeys(c.Agents) {
		for i := range c.Agents[name].Rules {
			visit(&c.Agents[name].Rules[i])
		}
	}
}

type checker struct {
	errs   strictyaml.List
	places strictyaml.Places
	dirs   Dirs
}

// add notes one error at the place of field.
func (ck *checker) add(field, format string, args ...any) {
	ck.errs.Add(ck.places.Of(field), field, format, args...)
}

func (ck *checker) agent(name string, b *Block) {
	field := "agents." + name
	if strings.TrimSpace(name) == "" || len(name) > 128 {
		ck.add(field, "%q is not an agent name; want 1 to 128 characters", name)
	}
	ck.settings(&b.Settings, field)
	ck.rules(b.Rules, field+".rules")
	for i := range b.Rules {
		b.Rules[i].rule.Scope, b.Rules[i].rule.ScopeKey = engine.Agent, name
	}
}

func (ck *checker) settings(s *Settings, field string) {
	if s.RespectDenylist != nil && !*s.RespectDenylist && (s.Mode == nil || *s.Mode != engine.Trusted) {
		ck.add(field+".respect_denylist", "false is only valid with mode: trusted; set that mode here, or remove this key")
	}
	if s.Kind != nil {
		if _, err := engine.ParseKind(string(*s.Kind)); err != nil {
			ck.add(field+".kind", "%v", err)
		}
	}
	if !slices.Contains([]string{"", "ask", "trusted"}, s.Reads) {
		ck.add(field+".reads", "unknown value %q: want trusted or ask", s.Reads)
	}
	if !slices.Contains([]string{"", "ask", "deny"}, s.ResumeAsks) {
		ck.add(field+".resume_asks", "unknown value %q: want ask or deny", s.ResumeAsks)
	}
	for i := range s.WorkingDirectories {
		ck.path(&s.WorkingDirectories[i], fmt.Sprintf("%s.working_directories[%d]", field, i))
	}
	if s.Home != "" {
		ck.path(&s.Home, field+".home")
	}
	ck.names(s.AllowedTools, field+".allowed_tools")
	ck.names(s.DisallowedTools, field+".disallowed_tools")
	ck.profile(s.Profile, field+".profile")
	ck.wait(s.Timeout, field+".timeout")
	ck.callback(s.Callback, field+".callback")
	ck.subAgents(s.SubAgents, field+".sub_agents")
	ck.skills(s.Skills, field+".skills")
	ck.tools(s.Tools, field+".tools")
}

func (ck *checker) rules(rules []Rule, field string) {
	for i := range rules {
		rules[i].field, rules[i].places = fmt.Sprintf("%s[%d]", field, i), ck.places
		if err := rules[i].resolve(); err != nil {
			ck.add(rules[i].field, "%v", err)
		}
		rules[i].rule.Scope = engine.Global
	}
}

func (ck *checker) names(names []string, field string) {
	for i, name := range names {
		if err := checkName(name); err != nil {
			ck.add(fmt.Sprintf("%s[%d]", field, i), "%v", err)
		}
	}
}

func (ck *checker) tools(tools map[string]Tool, field string) {
	for _, name := range sortedKeys(tools) {
		if err := checkName(name); err != nil {
			ck.add(field, "%v", err)
		} else if strings.ContainsAny(name, "*?") {
			ck.add(field+"."+name, "this is a glob; name each tool, or use modules.grants.NAME.config for all tools of a module")
		}
	}
}

// The bounds of modules.memory_mib.
const leastMemory, mostMemory = 192, 1 << 20

func (ck *checker) modules(m *Modules) {
	ck.path(&m.Dir, "modules.dir")
	if _, given := ck.places["modules.memory_mib"]; given && (m.MemoryMiB < leastMemory || m.MemoryMiB > mostMemory) {
		ck.add("modules.memory_mib", "%d: want %d to %d (the minimum that the built-in modules need, and the maximum)", m.MemoryMiB, leastMemory, mostMemory)
	}
	ck.limits(m.Limits, "modules.limits")
	ck.signatures(m)
	for _, name := range sortedKeys(m.Grants) {
		g, field := m.Grants[name], "modules.grants."+name
		ck.names(g.Names, field+".names")
		ck.limits(g.Limits, field+".limits")
	}
}

func (ck *checker) asks(a *Asks) {
	ck.wait(a.Timeout, "asks.timeout")
	ck.wait(a.RepeatDenial, "asks.repeat_denial")
	ck.wait(a.ApprovalLifetime, "asks.approval_lifetime")
	if _, given := ck.places["asks.checks"]; given && (a.Checks < 32 || a.Checks > 10_000) {
		ck.add("asks.checks", "%d: want 32 to 10000", a.Checks)
	}
	for _, l := range []struct {
		name  string
		value int
		most  int
	}{{"per_session", a.PerSession, 1000}, {"per_agent", a.PerAgent, 1000}, {"pause_after", a.PauseAfter, 1000}} {
		if l.value < 0 || l.value > l.most {
			ck.add("asks."+l.name, "%d: want 0 (no limit) to %d", l.value, l.most)
		}
	}
}

func (ck *checker) wait(d Duration, field string) {
	if d > maxWait {
		ck.add(field, "%v: want at most 24h", time.Duration(d))
	}
}

// path expands a path in place; empty means not given.
func (ck *checker) path(path *string, field string) {
	if *path == "" {
		return
	}
	expanded, err := ck.dirs.expand(*path)
	if err != nil || strings.ContainsRune(*path, 0) {
		ck.add(field, "path %q: want an absolute path, or ~/...", *path)
		return
	}
	*path = expanded
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
