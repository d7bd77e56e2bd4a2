// Package demo replays recorded agent sessions through a whole gate: its own temporary store,
// its own daemon, the HTTP API in between, and a person who answers (or, where there is none,
// an approver existing only here).
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/store"
)

// Options are the demo's content and audience.
type Options struct {
	// Sessions holds the recorded sessions, *.jsonl.
	Sessions fs.FS
	// Own is the module of a tool of one's own, whose tool is Deploy and also called deploy:
	// the last chapter. Nil leaves the chapter out.
	Own []byte
	// Modules are the first-party modules.
	Modules fs.FS
	// Compiler is the command for compiling modules; see sandbox.Config.
	Compiler []string
	// CacheDir holds compiled modules of other runs. It is used when it exists
	// and never made: the demo leaves nothing behind.
	CacheDir string
	// Out gets the lines.
	Out io.Writer
	// Color marks decisions with ANSI colours.
	Color bool
	// Width is the number of columns a line may have; 0 for any.
	Width int
	// Person shows an ask to a person at a terminal and returns the answer; ok is false when
	// none came in time. Nil without a person.
	Person func(ctx context.Context, a ask.Ask) (answer ask.Answer, ok bool)
	// InDiscord shows the asks as cards in a Discord-shaped server of the demo's own, and
	// takes the answers there; then Person is not asked.
	InDiscord bool
	// InBrowser replays a week in the past, has calls wait, and prints links to the web console until
	// ctx ends. Keyboard then asks for a further link.
	InBrowser bool
	// Keyboard is that of a person who answers the cards in Discord; nil without one.
	Keyboard Keyboard
	// Patience is how long the person gets; then the demo's approver answers.
	// Default 20 s.
	Patience time.Duration
}

// agentName is the agent of the demo.
const agentName = "demo"

// configuration is the demo's own; its asks wait long enough for a person and
// the approver after them, and its approver denies more in a row than people do.
const configuration = `
agents:
  demo:
    mode: default
    working_directories: [%q]
    user: you
asks:
  timeout: %s
  pause_after: 20
`

// timeout is how long an ask waits: in a browser people look around.
func (o Options) timeout() time.Duration {
	if o.InBrowser {
		return 8 * time.Hour
	}
	return 2 * time.Minute
}

// Run replays the sessions and returns when they are over, or for a browser when ctx ends. Everything it made
// on disk is gone then, also after an error.
func Run(ctx context.Context, o Options) (err error) {
	if o.Patience == 0 {
		o.Patience = 20 * time.Second
	}
	dir, err := os.MkdirTemp("", "callgate-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	project := filepath.Join(dir, "shop")
	if err := makeProject(project); err != nil {
		return fmt.Errorf("make the demo's project: %w", err)
	}
	var r *room
	if o.InDiscord {
		if r, err = openRoom(o, dir); err != nil {
			return err
		}
		defer r.server.Close()
	}
	started := time.Now()
	fmt.Fprintln(o.Out, "Starting a temporary gate (the first start compiles the tool modules) ...")
	at := &clock{}
	d, err := open(ctx, o, at, dir, project, r.configuration())
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- d.Run(ctx) }()
	defer func() {
		stop()
		err = errors.Join(err, <-served)
	}()
	p := printer{o.Out, o.Color, o.Width, project}
	p.text(fmt.Sprintf("The gate answers at %s after %s. Agent %q works in %s, mode default.", d.Address(), time.Since(started).Round(time.Millisecond), agentName, project))
	switch {
	case o.InBrowser:
	case o.Keyboard != nil:
		p.text(fmt.Sprintf("Answer its asks with one key; after %s the demo's own approver answers.", o.Patience))
	case o.Person != nil:
		p.text(fmt.Sprintf("%d of its asks are for you: answer with one key. After %s, and for the other asks, the demo's own approver answers.", len(forPerson), o.Patience))
	}
	err = replayAll(ctx, o, d, at, r, dir, project)
	if cause := context.Cause(ctx); cause != nil && (err != nil || !o.InBrowser) {
		return fmt.Errorf("the demo was stopped: %w", cause)
	}
	return err
}

func open(ctx context.Context, o Options, at *clock, dir, project, more string) (*daemon.Daemon, error) {
	state, cache := filepath.Join(dir, "state"), o.CacheDir
	if info, err := os.Stat(cache); err != nil || !info.IsDir() {
		cache = filepath.Join(dir, "cache")
	}
	dirs := config.Dirs{Home: filepath.Join(dir, "home"), Config: filepath.Join(dir, "config"), State: state, Cache: cache}
	cfg, err := config.Parse("demo.yaml", append(fmt.Appendf(nil, configuration, project, o.timeout()), more...), dirs)
	if err != nil {
		return nil, err
	}
	cfg.File = "" // it has no file to watch
	l, err := api.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	return daemon.Open(ctx, daemon.Options{
		Host:  assembly.Options{Config: cfg, CacheDir: cache, Modules: o.Modules, Compiler: o.Compiler, Now: at.now},
		State: state, Version: "demo", Listener: l,
	})
}

// makeProject makes the project of the recorded sessions.
func makeProject(dir string) error {
	files := map[string]string{
		"package.json": `{"name": "shop", "scripts": {"build": "tsc", "lint": "eslint src"}}` + "\n",
		"src/price.ts": "export const parsePrice = (text: string) => parseInt(text);\n",
		"src/cart.ts":  "import { parsePrice } from './price';\nexport const total = (xs: string[]) => xs.map(parsePrice).reduce((a, b) => a + b, 0);\n",
		".git/HEAD":    "ref: refs/heads/main\n",
		".git/config":  "[core]\n\trepositoryformatversion = 0\n",
	}
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func replayAll(ctx context.Context, o Options, d *daemon.Daemon, at *clock, room *room, dir, project string) error {
	token, err := tokenfile.Read(tokenfile.Check(filepath.Join(dir, "state"), agentName))
	if err != nil {
		return err
	}
	names, err := fs.Glob(o.Sessions, "*.jsonl")
	if err != nil {
		return err
	}
	c := newClient(d.Address().String(), token)
	r := replayer{out: printer{o.Out, o.Color, o.Width, project}, check: c.check, project: project, counts: map[store.Outcome]int{}}
	if o.InBrowser {
		return r.inBrowser(ctx, o, d, at, dir)
	}
	if room != nil {
		if err := room.ready(ctx, d, c); err != nil {
			return err
		}
		r.check = room.check
	} else {
		defer startApprover(ctx, o, d)()
	}
	for _, name := range names {
		if err := r.session(ctx, o.Sessions, name, strings.TrimSuffix(name, ".jsonl")); err != nil {
			return fmt.Errorf("replay %s: %w", name, err)
		}
	}
	if o.Own != nil {
		if err := r.own(ctx, d, o.Own); err != nil {
			return fmt.Errorf("show a tool of one's own: %w", err)
		}
	}
	if err := r.summary(ctx, d); err != nil || room == nil {
		return err
	}
	return room.summary(ctx, d)
}

func (r *replayer) summary(ctx context.Context, d *daemon.Daemon) error {
	rules, err := d.Host.Store.Rules(ctx, store.RuleFilter{})
	if err != nil {
		return err
	}
	report, err := d.Host.Store.VerifyAudit(ctx)
	if err != nil {
		return err
	}
	r.out.summary(r.calls, r.counts, rules, report)
	if report.Break != nil {
		return fmt.Errorf("the audit log cannot be verified: %v", report.Break)
	}
	return nil
}

// demoApprover answers as a careful person would: never past a safety check or out of the
// project, and with the suggested rule if it is wider than the call itself.
func demoApprover(a ask.Ask) ask.Answer {
	answer := ask.Answer{By: "demo approver", Surface: "demo"}
	switch {
	case a.Decision.Safety() || a.Decision.Stage == engine.StageError || a.NeedsConfirmation():
		answer.Reason = "a safety check"
	case slices.ContainsFunc(a.Targets, leavesProject):
		answer.Reason = "it leaves the project"
	default:
		answer.Verdict = ask.Approve
		if s := a.Decision.Suggestions; len(s) > 0 && !exact(a, s[0]) {
			answer.Sets, answer.ConfirmID = []int{s[0].Set}, a.ID
		}
	}
	return answer
}

func leavesProject(t engine.Target) bool { return t.Kind == "path" && t.Inside == "" }

// exact reports whether a suggestion covers nothing but a command as it is.
func exact(a ask.Ask, s engine.Suggestion) bool {
	var input struct {
		Command string `json:"command"`
	}
	return json.Unmarshal(a.Input, &input) == nil && s.Content != nil && !strings.HasSuffix(*s.Content, "*") && input.Command != ""
}
