package gate

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/people"
	"github.com/callgate/callgate/host/project"
	"github.com/callgate/callgate/host/store"
)

// prepared is a call made ready to be decided.
type prepared struct {
	req engine.Request
	// tools are the modules that the call is decided by, from here to its end.
	tools Snapshot
	entry catalog.Entry
	desc  catalog.Description
	// settings is the configuration that the call is decided by, which another one may
	// replace meanwhile.
	settings Settings
	agent    config.Agent
	digest   string
	started  time.Time
	callID   string
	token    string
	// trigger is who triggered the call; nobody when that is not known.
	trigger people.Person
	limit   time.Duration
	// deadline is when the caller stops waiting; zero when it does not say.
	deadline time.Time
	// leaves is set when the call asks to leave explore.
	leaves *leaving
	// children are the call as each sub-agent that it comes through would have it, the
	// outermost first.
	children []engine.Request
	// subAgent is the client's own word, for the card.
	subAgent string
	// claimed is the mode that the client reports; nil when it reports none.
	claimed *engine.Mode
	// shell is what was changed of the shells that the session keeps.
	shell []store.ShellChange
	// roots are the root of the project, those around it, and those that would
	// be without the caller's claims.
	roots []string
	// configured are those of the operator's working directories, as written,
	// that hold for this call.
	configured []string
}

// release gives up the modules that the call was decided by.
func (p prepared) release() {
	if p.tools != nil {
		p.tools.Release()
	}
}

// prepare builds the engine's request, which the caller releases. Its error is a bad request or a lack of
// standing; every other failure is inside the request, where it can only deny
// or ask.
func (g *Gate) prepare(ctx context.Context, caller Caller, r Request, look session) (prepared, error) {
	p := prepared{started: g.c.Now(), settings: g.c.Settings(), callID: r.CallID, token: caller.Token, limit: r.Timeout, subAgent: r.Context.SubAgent}
	if p.limit > 0 {
		p.deadline = p.started.Add(p.limit)
	}
	if p.callID == "" {
		p.callID = rand.Text()
	}
	if err := checkNames(r); err != nil {
		return p, fmt.Errorf("%w: %w", ErrBadRequest, err)
	}
	input, err := StrictObject(r.Input)
	if err != nil {
		return p, fmt.Errorf("%w: input: %w", ErrBadRequest, err)
	}
	call := &engine.Call{Tool: r.Tool, Input: input}
	if p.agent, err = g.place(p.settings, caller, r.Context, &call.Context); err != nil {
		return p, err
	}
	p.trigger = g.trigger(caller, r.Context, p.agent, call.Context.Kind)
	if call.Context.Server, err = serverOf(r.Tool, r.Context.Server); err != nil {
		return p, fmt.Errorf("%w: %w", ErrBadRequest, err)
	}
	p.claimed, err = claimedMode(r.Context.Mode)
	if err != nil {
		return p, err
	}
	failure := g.stand(ctx, caller, r.Context, &p, &call.Context)
	p.tools = g.c.Catalog()
	p.entry = p.tools.Lookup(r.Tool)
	p.digest = Digest(p.entry.Name, input, call.Context.CWD)
	p.req = engine.Request{Call: call, Entry: p.entry.Entry, Lists: p.agent.Lists, ResumeAsks: p.agent.ResumeAsks}
	p.req.Lists.Skills = skillsInForce(r.Context.ActiveSkills, p.agent.Skills)
	p.req.Err = oneLine(failure, g.fill(ctx, caller, &p, look))
	if errors.Is(p.req.Err, store.ErrForeignSession) {
		return p, fmt.Errorf("%w: context.session: %w", ErrNotEntitled, store.ErrForeignSession)
	}
	return p, g.bear(ctx, &p, r.Context)
}

// patience is how long an ask of this call stays visible: the agent's setting,
// shortened by what the request allows.
func (p prepared) patience() time.Duration {
	if p.limit > 0 && p.limit < p.agent.Timeout {
		return p.limit
	}
	return p.agent.Timeout
}

// fill does the work that may fail without the request being bad. What fails
// does not keep the rest from being done: the rules that could be read, and the
// targets that could be found, must still be able to deny.
func (g *Gate) fill(ctx context.Context, caller Caller, p *prepared, look session) error {
	call := p.req.Call
	c := &call.Context
	known, err := look(ctx, store.Session{
		ID: c.Session, Token: caller.Token, Agent: c.Agent, User: c.User,
		CWD: c.CWD, ProjectRoot: c.ProjectRoot, Kind: c.Kind,
	})
	if err != nil {
		known = store.Session{}
	}
	c.Mode = forkMode(caller, p.agent, c.Kind, known, p.claimed, modeOf(caller, p.agent, known.Mode, p.claimed))
	p.leaves = p.leave(known, forkMode(caller, p.agent, c.Kind, known, nil, modeOf(caller, p.agent, known.Mode, nil)))
	c.Dialect = string(p.agent.Dialect)
	p.shell = known.Shell
	c.Config = p.settings.ToolConfig(c.Agent, p.entry.Module, p.entry.Entry.Names(call.Tool)...)
	described := g.describe(ctx, p) // what the call touches tells which rules to gather
	return errors.Join(err, g.gatherRules(ctx, p), described)
}

// session finds what is known of a session: opening it, as a check does, or
// only looking, as Evaluate does.
type session func(ctx context.Context, s store.Session) (store.Session, error)

// seen looks without opening. A session that nobody opened has no mode and no
// grants; one of another token is as unknown.
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

// gatherRules puts together the operator's, the stored and the project's rules: of
// the first two, which may be thousands, those that can concern the call.
func (g *Gate) gatherRules(ctx context.Context, p *prepared) error {
	c := p.req.Call.Context
	about := p.req.About()
	stored, err := g.c.Store.RulesFor(ctx, c.Agent, c.Session, c.ProjectRoot, about)
	stored = withoutGrants(c.Kind, stored)
	p.req.Rules = slices.Concat(g.live(p.agent.Rules.For(about)), g.proven(ctx, p.tools, p.entry, p.req.Call.Tool, stored))
	if err != nil {
		err = fmt.Errorf("read the stored rules: %w", err)
	}
	if len(p.roots) == 0 {
		return err
	}
	outer, outerErr := g.outerRules(ctx, p.roots, c.ProjectRoot)
	file, fileErr := g.projectFiles(ctx, p.roots)
	p.req.Rules = slices.Concat(p.req.Rules, outer, file.Rules)
	if p.req.Lists.IgnoreDenylist {
		// respect_denylist lifts the operator's own list, never a project's.
		p.req.Rules = append(p.req.Rules, denyAll(file.Disallowed)...)
	} else {
		p.req.Lists.Disallowed = slices.Concat(p.req.Lists.Disallowed, file.Disallowed)
	}
	return errors.Join(err, outerErr, fileErr)
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

// outerRules are the deny and ask rules of the projects around the call's own:
// an agent that makes a repository inside one does not leave them behind.
func (g *Gate) outerRules(ctx context.Context, roots []string, own string) ([]engine.Rule, error) {
	var rules []engine.Rule
	for _, root := range roots {
		if root == own {
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

// live drops rules of the configuration that have expired. The list is changed.
func (g *Gate) live(rules []engine.Rule) []engine.Rule {
	now := g.c.Now()
	return slices.DeleteFunc(rules, func(r engine.Rule) bool {
		return !r.ExpiresAt.IsZero() && !now.Before(r.ExpiresAt)
	})
}

// describe asks the module what the call touches and resolves it.
func (g *Gate) describe(ctx context.Context, p *prepared) (err error) {
	p.desc, p.req.Related, err = Touch(ctx, p.tools.Lookup, g.c.Targets, p.entry, p.req.Call, p.configured...)
	p.req.Protected = g.protected(p.req.Call, p.desc)
	g.profiled(ctx, p, err)
	return err
}

// protected says why the call would touch the gate itself (threat T06). Targets
// that could not be resolved are judged as they are written.
func (g *Gate) protected(call *engine.Call, desc catalog.Description) string {
	if g.c.Protect == nil {
		return ""
	}
	marked := *call
	targets := call.Context.Targets
	if len(targets) == 0 {
		targets = desc.Targets
	}
	marked.Context.Targets = slices.Concat(targets, desc.Marks)
	return g.c.Protect.Protect(&marked)
}

// place fills the context from the configuration and from what the caller may
// say.
func (g *Gate) place(settings Settings, caller Caller, claim Claim, c *engine.Context) (config.Agent, error) {
	name, err := agentName(caller, claim)
	if err != nil {
		return config.Agent{}, err
	}
	agent := settings.Agent(name)
	kind, err := engine.ParseKind(claim.Kind)
	if err != nil {
		return agent, fmt.Errorf("%w: context.kind: %w", ErrBadRequest, err)
	}
	if claim.CWD != "" && !filepath.IsAbs(claim.CWD) {
		return agent, fmt.Errorf("%w: context.cwd: %q is not an absolute path", ErrBadRequest, claim.CWD)
	}
	*c = engine.Context{
		Agent: name, Session: sessionID(caller, name, claim), User: agent.User, CWD: claim.CWD, Home: agent.Home,
		Kind: stricterKind(agent.Kind, kind), Resumed: claim.Resumed, Annotations: claim.Annotations,
		ActiveSkills: slices.Sorted(maps.Keys(claim.ActiveSkills)),
	}
	if g.c.Asks.HasSurface() || g.callbackOf(name) != nil {
		c.Approver = "attached"
	}
	return agent, nil
}

// stand fills where the call stands: its working directories and project. Its
// error is the host's own and belongs into the engine's request.
func (g *Gate) stand(ctx context.Context, caller Caller, claim Claim, p *prepared, c *engine.Context) error {
	resolved, err := g.c.Targets.Directories(ctx, p.agent.WorkingDirectories)
	dirs := resolved
	claimed, claimErr := g.c.Targets.Directories(ctx, claim.WorkingDirectories)
	if caller.believed() {
		believe(p.settings, c, claim, &dirs, claimed)
	} else if claim.WorkingDirectories != nil {
		dirs = narrow(dirs, claimed)
	}
	c.WorkingDirectories = dirs
	p.configured = asConfigured(p.agent.WorkingDirectories, resolved, dirs)
	roots, rootErr := g.c.Targets.ProjectRoots(ctx, c.CWD, dirs)
	if len(roots) > 0 {
		c.ProjectRoot = roots[0]
	}
	unclaimed, unclaimedErr := g.c.Targets.ProjectRoots(ctx, "", resolved)
	p.roots = union(roots, unclaimed)
	return errors.Join(err, claimErr, rootErr, unclaimedErr)
}

// union is a list with what only another has at its end. What tightens without
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

// asConfigured are the configured directories whose resolved form holds for
// the call. What a client claims is not among them: a link that it may swap
// must not stand for one of the operator's directories.
func asConfigured(configured, resolved, hold []string) []string {
	var out []string
	for i, dir := range resolved {
		if slices.Contains(hold, dir) && configured[i] != dir {
			out = append(out, configured[i])
		}
	}
	return out
}

// believe takes over what an integrator says.
func believe(settings Settings, c *engine.Context, claim Claim, dirs *[]string, claimed []string) {
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
