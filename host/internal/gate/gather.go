package gate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/project"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/telemetry/stage"
	"github.com/callgate/callgate/host/wire"
)

// fill does the work that may fail for a good request. A failure does not stop the rest: the
// readable rules and the known targets must still be able to deny.
func (g *Gate) fill(ctx context.Context, c *call, f *facts, look session) error {
	caller, claimed, made := c.caller, c.claimed, f.req.Call
	at := &made.Context
	known, err := look(ctx, store.Session{
		ID: at.Session, Token: caller.Token, Agent: at.Agent, User: at.User,
		CWD: at.CWD, ProjectRoot: at.ProjectRoot, Kind: at.Kind,
	})
	if err != nil {
		known = store.Session{}
	}
	at.Mode = forkMode(caller, f.agent, at.Kind, known, claimed, modeOf(caller, f.agent, known.Mode, claimed))
	f.leaves = f.leave(known, forkMode(caller, f.agent, at.Kind, known, nil, modeOf(caller, f.agent, known.Mode, nil)))
	at.Dialect = string(f.agent.Dialect)
	f.shell = known.Shell
	at.Config = f.settings.ToolConfig(at.Agent, f.entry.Module, f.entry.Entry.Names(made.Tool)...)
	return errors.Join(err, g.describe(ctx, f))
}

// session looks up a session: opening it, as a check does, or only looking, as Evaluate does.
type session func(ctx context.Context, s store.Session) (store.Session, error)

// seen looks without opening. An unopened session has no mode and no grants; one of another
// token is as unknown.
func (g *Gate) seen(ctx context.Context, s store.Session) (store.Session, error) {
	known, err := g.c.Store.Session(ctx, s.ID)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return store.Session{}, nil
	case err != nil:
		return known, err
	case known.Token != s.Token || known.Agent != s.Agent:
		return store.Session{}, store.ErrForeignSession
	}
	return known, nil
}

// gatherRules combines the operator's, the stored and the project's rules: of the first two,
// possibly thousands, those with possible influence on the call.
func (g *Gate) gatherRules(ctx context.Context, f *facts) error {
	defer stage.Begin(ctx, "rules")()
	around, aroundErr := g.rulesAround(ctx, f)
	if aroundErr != nil {
		f.req.Words = nil // rules that were not tried count as matched, so none may be left out
	}
	chosen, err := g.chosenRules(ctx, f)
	if err != nil && f.req.Words != nil {
		f.req.Words = nil
		chosen, err = g.chosenRules(ctx, f)
	}
	f.req.Rules = joined(chosen, around)
	return errors.Join(err, aroundErr)
}

// chosenRules are the operator's rules and the stored ones, those relevant for the call.
func (g *Gate) chosenRules(ctx context.Context, f *facts) ([]engine.Rule, error) {
	c := f.req.Call.Context
	asked := f.req
	if g.ruleCount(f) <= manyRules {
		asked.Words = nil
	}
	about := asked.About()
	stored, err := g.c.Store.RulesFor(ctx, c.Agent, c.Session, c.Project(), about)
	stored = withoutGrants(c.Kind, stored)
	if c.Repository != "" { // rules of this work tree alone
		own, ownErr := g.c.Store.Rules(ctx, store.RuleFilter{Scope: engine.Project, Key: c.ProjectRoot})
		stored, err = slices.Concat(stored, own), errors.Join(err, ownErr)
	}
	if err != nil {
		err = fmt.Errorf("read the stored rules: %w", err)
	}
	return joined(f.agent.Rules.Live(about, g.c.Now()), g.c.Rules.Usable(ctx, f.tools, f.entry, f.req.Call.Tool, stored)), err
}

// rulesAround are the rules of the projects around the call's own, and those of the projects' files.
// It adds the files' disallowed tools to the request.
func (g *Gate) rulesAround(ctx context.Context, f *facts) ([]engine.Rule, error) {
	if len(f.roots) == 0 {
		return nil, nil
	}
	c := f.req.Call.Context
	outer, outerErr := g.outerRules(ctx, f.roots, c.Project(), c.ProjectRoot)
	file, fileErr := g.projectFiles(ctx, f.roots)
	rules := joined(outer, file.Rules)
	if f.req.Lists.IgnoreDenylist {
		// respect_denylist lifts the operator's own list, never a project's.
		rules = append(rules, denyAll(file.Disallowed)...)
	} else {
		f.req.Lists.Disallowed = slices.Concat(f.req.Lists.Disallowed, file.Disallowed)
	}
	return rules, errors.Join(outerErr, fileErr)
}

// joined is slices.Concat, without a copy of a list that is the only one with rules.
func joined(lists ...[]engine.Rule) []engine.Rule {
	lists = slices.DeleteFunc(lists, func(list []engine.Rule) bool { return len(list) == 0 })
	if len(lists) == 1 {
		return slices.Clip(lists[0])
	}
	return slices.Concat(lists...)
}

// projectFiles are the files of the call's project and of those around it, each
// once: the loader finds those of git roots further up itself.
func (g *Gate) projectFiles(ctx context.Context, roots []string) (project.File, error) {
	var all project.File
	var errs []error
	seen := map[string]bool{}
	for _, root := range roots {
		f, err := g.c.Projects.Load(ctx, root)
		if err != nil && !seen[err.Error()] {
			seen[err.Error()] = true
			errs = append(errs, err)
		}
		fresh := slices.DeleteFunc(f.Paths, func(p string) bool { return seen[p] })
		if len(fresh) == 0 {
			continue
		}
		for _, p := range fresh {
			seen[p] = true
		}
		all.Rules = append(all.Rules, f.Rules...)
		all.Disallowed = append(all.Disallowed, f.Disallowed...)
	}
	return all, errors.Join(errs...)
}

// outerRules are the deny and ask rules of the projects around the call's own: an agent making
// a repository inside one does not leave them behind.
func (g *Gate) outerRules(ctx context.Context, roots []string, own ...string) ([]engine.Rule, error) {
	var rules []engine.Rule
	for _, root := range roots {
		if slices.Contains(own, root) {
			continue
		}
		stored, err := g.c.Store.Rules(ctx, store.RuleFilter{Scope: engine.Project, Key: root})
		if err != nil {
			return rules, fmt.Errorf("read the rules of %s: %w", root, err)
		}
		for _, r := range stored {
			if r.Behavior != engine.Allow {
				rules = append(rules, r)
			}
		}
	}
	return rules, nil
}

func denyAll(tools []string) []engine.Rule {
	rules := make([]engine.Rule, len(tools))
	for i, t := range tools {
		rules[i] = engine.Rule{Tool: t, Behavior: engine.Deny, Source: engine.SourceProjectFile, Scope: engine.Project}
	}
	return rules
}

// Beyond fewRules the call's module is asked for first words, which cost about half as much as a
// question whether rules match. Beyond manyRules those ruled out are not even gathered; a denial then
// does not name them.
const (
	fewRules  = 2
	manyRules = 64
)

// ruleCount is how many rules of the operator's and of the store there are.
func (g *Gate) ruleCount(f *facts) int { return f.agent.Rules.Len() + g.c.Store.RuleCount() }

// describe has the module name the targets of the call, and resolves them.
func (g *Gate) describe(ctx context.Context, f *facts) error {
	defer stage.Begin(ctx, "describe")()
	named := *f.req.Call
	named.Input = withoutTexts(named.Input, f.texts)
	f.entry.Words = len(f.texts) == 0 && g.ruleCount(f) > fewRules
	f.desc, f.req.Related, f.undescribed = describe.Call(ctx, f.tools.Lookup, g.c.Targets, f.entry, &named, f.configured...)
	if f.entry.Words {
		f.req.Words = f.desc.RuleWords
	}
	if f.req.Call.Context = named.Context; len(f.texts) > 0 { // a profile judges all of it
		f.desc.Action, f.desc.Actions = describe.GenericAction(f.entry.Name, f.req.Call), nil
	}
	f.req.Effects, f.req.EffectsUnsaid = f.desc.Effects, f.desc.EffectsUnsaid
	return f.undescribed
}

// weigh judges a described call by the protection of the gate itself (threat T06), the trusted
// folders and the profile. For protection, unresolvable targets are judged as written.
func (g *Gate) weigh(ctx context.Context, f *facts) (err error) {
	defer stage.Begin(ctx, "protect")()
	if g.c.Protect != nil {
		marked := *f.req.Call
		marked.Input = withoutTexts(marked.Input, f.texts)
		targets := marked.Context.Targets
		if len(targets) == 0 {
			targets = f.desc.Targets
		}
		marked.Context.Targets = slices.Concat(targets, f.desc.Marks)
		f.req.Protected = g.c.Protect.Protect(&marked)
	}
	if f.undescribed == nil {
		err = g.inFolders(ctx, f)
	}
	g.profiled(ctx, f, cmp.Or(f.undescribed, err))
	return err
}

// withoutTexts is an input without these members. An unreadable one stays whole.
func withoutTexts(input json.RawMessage, texts []string) json.RawMessage {
	var members map[string]json.RawMessage
	if len(texts) == 0 || json.Unmarshal(input, &members) != nil {
		return input
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return slices.Contains(texts, name) })
	rest, err := json.Marshal(members)
	if err != nil {
		return input
	}
	return rest
}

// identify fills the context from the configuration and from the caller's permitted claims.
func (g *Gate) identify(settings *config.Config, caller authority.Caller, claim wire.CallContext, c *engine.Context) (config.Agent, error) {
	name, err := agentName(caller, claim)
	if err != nil {
		return config.Agent{}, err
	}
	agent := settings.Agent(name)
	kind, err := engine.ParseKind(claim.Kind)
	if err != nil {
		return agent, fmt.Errorf("%w: context.kind: %w", authority.ErrBadRequest, err)
	}
	if agent.Kind == engine.Background { // for any claim of the call
		kind = engine.Background
	}
	if claim.CWD != "" && !filepath.IsAbs(claim.CWD) {
		return agent, fmt.Errorf("%w: context.cwd: %q is not an absolute path", authority.ErrBadRequest, claim.CWD)
	}
	*c = engine.Context{
		Agent: name, Session: sessionID(caller, name, claim), User: agent.User, CWD: claim.CWD, Home: agent.Home,
		Kind: kind, Resumed: claim.Resumed, Annotations: claim.Annotations,
		ActiveSkills: slices.Sorted(maps.Keys(claim.ActiveSkills)),
	}
	if g.c.Asks.HasSurface() || g.callbackOf(name) != nil {
		c.Approver = "attached"
	}
	return agent, nil
}

// locate fills where the call runs: its working directories and project. Its
// error is the host's own and belongs into the engine's request.
func (g *Gate) locate(ctx context.Context, caller authority.Caller, claim wire.CallContext, try *trial, f *facts, c *engine.Context) error {
	resolved, err := g.c.Targets.Directories(ctx, f.agent.WorkingDirectories)
	dirs := resolved
	claimed, claimErr := g.c.Targets.Directories(ctx, claim.WorkingDirectories)
	if caller.Believed() {
		believe(f.settings, c, claim, &dirs, claimed)
	} else if claim.WorkingDirectories != nil {
		dirs = narrow(dirs, claimed)
	}
	f.configured = asConfigured(f.agent.WorkingDirectories, resolved, dirs)
	f.trusted = g.trusts(ctx, f.agent, try, claim, claimed)
	var rooted []string
	c.WorkingDirectories, rooted = g.work(ctx, f.trusted, c.CWD, dirs)
	if claim.Client == wire.ClaudeCode && claim.WorkingDirectories == nil {
		places, placesErr := g.c.Targets.ClaudePlaces(ctx, claim.Session, c.Home, c.CWD, c.WorkingDirectories)
		c.WorkingDirectories, err = union(c.WorkingDirectories, places), errors.Join(err, placesErr)
	}
	projects, rootErr := g.c.Targets.Projects(ctx, target.Around{CWD: c.CWD, WorkingDirectories: rooted}, target.Around{WorkingDirectories: resolved})
	if rootErr == nil {
		here, unclaimed := projects[0], projects[1]
		if len(here.Roots) > 0 {
			c.ProjectRoot, c.Repository = here.Roots[0], here.Repository
		}
		f.roots = union(here.Roots, unclaimed.Roots)
	}
	f.roots = union(f.roots, f.trusted.read)
	return errors.Join(err, claimErr, rootErr)
}

// union is a list with the other's further elements at its end. A restriction in force without
// the caller's claims holds with them, too (threat T02).
func union(list, more []string) []string {
	out := slices.Clone(list)
	for _, s := range more {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// asConfigured are the configured directories whose resolved form is in force for the call. A
// client's claims are not among them: a link it may swap must not stand for one of the
// operator's directories.
func asConfigured(configured, resolved, hold []string) []string {
	var out []string
	for i, dir := range resolved {
		if slices.Contains(hold, dir) && configured[i] != dir {
			out = append(out, configured[i])
		}
	}
	return out
}

// believe takes over an integrator's claims.
func believe(settings *config.Config, c *engine.Context, claim wire.CallContext, dirs *[]string, claimed []string) {
	if claim.User != "" {
		c.User = settings.Person(claim.User).Name
	}
	if claim.Home != "" {
		c.Home = claim.Home
	}
	if claim.WorkingDirectories != nil {
		*dirs = claimed
	}
}

// profiled puts the profile's answer into the request. err is the error of describing the call.
// An unknown profile denies.
func (g *Gate) profiled(ctx context.Context, f *facts, err error) {
	inForce, unknown := g.c.Profiles.InForce(ctx, f.settings, f.agent)
	if unknown != nil {
		f.req.Profile = &engine.ProfileAnswer{Name: f.agent.Profile.Name(), Note: unknown.Error()}
		return
	}
	if other := readsAs(f.tools, f.entry); other != "" {
		f.req.Profile = inForce.DecideUnknown(fmt.Sprintf("the actions of a tool called %.80q read as those of %s", f.entry.Name, other))
		return
	}
	f.req.Profile = describe.Judge(inForce, f.entry, f.req.Call, f.desc, err)
}

// readsAs is the tool a profile would confuse with an unknown one whose name goes on behind a
// colon: tool:Read:x:{}.
func readsAs(tools describe.Catalog, entry modules.Entry) string {
	if entry.Own || !strings.Contains(entry.Name, ":") {
		return ""
	}
	for _, name := range describe.Vocabulary(tools) {
		if strings.HasPrefix(entry.Name, name+":") {
			return name
		}
	}
	return ""
}
