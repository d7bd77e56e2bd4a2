package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// stepsB are the steps of level B.
func (j *job) stepsB(ctx context.Context) ([]step, []string, error) {
	l := j.layout
	if err := j.acceptsConfig(); err != nil {
		return nil, nil, err
	}
	steps := []step{
		systemAccount{l.account, l.dirs.Home},
		directory{path: filepath.Dir(l.config), owner: "root", mode: 0o755},
		directory{path: l.modules, owner: l.account, mode: 0o755, kept: true}, // callgate tool add goes through the daemon
		directory{path: l.agents, owner: "root", mode: 0o755},
		directory{path: l.dirs.State, owner: l.account, mode: 0o700, kept: true},
	}
	if parent := filepath.Dir(l.dirs.Cache); j.OS == "darwin" {
		steps = append(steps, directory{path: parent, owner: "root", mode: 0o755}, directory{path: filepath.Dir(l.socket), owner: l.account, mode: 0o755})
	}
	steps = append(steps, directory{path: l.dirs.Cache, owner: l.account, mode: 0o700})
	if l.binary != j.Binary {
		steps = append(steps, j.programStep(l.binary, j.Binary))
	}
	if l.hook != l.binary && l.hook != j.HookProgram {
		steps = append(steps, j.programStep(l.hook, j.HookProgram))
	}
	steps = append(steps,
		file{path: l.config, owner: "root", mode: 0o644, theirs: true, note: "for you to edit", content: func(j *job) ([]byte, error) { return j.configText() }},
		file{path: l.unit, owner: "root", mode: 0o644, content: func(j *job) ([]byte, error) { return []byte(j.unit(l)), nil }},
		starting{ctx},
	)
	if j.live() {
		steps = append(steps, tokenStep{})
	}
	steps = append(steps,
		directory{path: filepath.Dir(l.managed), owner: "root", mode: 0o755},
		file{path: l.managed, owner: "root", mode: 0o644, kind: madeSettings, content: managedText,
			note: "the hook for every account of this machine; projects cannot switch it off"})
	return steps, j.nextB(), nil
}

func (j *job) nextB() []string {
	l := j.layout
	as := fmt.Sprintf("sudo -u %s env XDG_CONFIG_HOME=%s XDG_STATE_HOME=%s XDG_CACHE_HOME=%s %s ", l.account, filepath.Dir(l.dirs.Config), filepath.Dir(l.dirs.State), filepath.Dir(l.dirs.Cache), l.binary)
	next := []string{as + "pin set", as + "asks watch"}
	if !j.live() {
		next = append([]string{"run the same command without --root on the booted machine: the agent's token is created there"}, next...)
	}
	return append(next, fmt.Sprintf("every account that runs Claude Code on this machine uses the hook now; all but %s have no token and are denied", j.Agent))
}

// programStep copies a program to where the agent cannot change it.
func (j *job) programStep(to, from string) step {
	return file{path: to, owner: "root", mode: 0o755, hidden: true,
		note:    "a copy of " + from + "; if the agent could have changed the original, compare its SHA-256 with the release",
		content: func(*job) ([]byte, error) { return program(from) }}
}

// configText is the configuration for an account without one.
func (j *job) configText() ([]byte, error) {
	agent, err := j.System.Account(j.Agent)
	if err != nil {
		return nil, fmt.Errorf("account %s: %w", j.Agent, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Written by callgate service install; edit as you like. See: callgate config example\nlisten: %s\nboundary:\n  agent_accounts:\n    - %d # %s\n",
		quoted(j.layout.socket), agent.UID, agent.Name)
	for i, name := range j.Approvers {
		if i == 0 {
			b.WriteString("  approver_accounts:\n")
		}
		approver, err := j.System.Account(name)
		if err != nil {
			return nil, fmt.Errorf("account %s: %w", name, err)
		}
		fmt.Fprintf(&b, "    - %d # %s\n", approver.UID, approver.Name)
	}
	fmt.Fprintf(&b, "agents:\n  %s:\n    home: %s\n", quoted(j.Agent), quoted(agent.Home))
	return []byte(b.String()), nil
}

func quoted(text string) string { return fmt.Sprintf("%q", text) }

// acceptsConfig refuses an existing configuration without a boundary: it is a person's, so the
// error lists the missing lines instead of a change.
func (j *job) acceptsConfig() error {
	path := j.at(j.layout.config)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("service: %w", err)
	}
	cfg, err := config.Parse(j.layout.config, data, j.layout.dirs)
	if err != nil {
		return fmt.Errorf("service: the existing configuration cannot be used: %w", err)
	}
	if _, address := cfg.Endpoint(); address == j.layout.socket && j.named(cfg.Boundary.AgentAccounts, j.Agent) && j.namedAll(cfg.Boundary.ApproverAccounts) {
		if _, ok := cfg.Agents[j.Agent]; ok {
			return nil
		}
	}
	text, err := j.configText()
	if err != nil {
		return err
	}
	return fmt.Errorf("service: %s exists but lacks settings for level b; add these lines and run the command again:\n\n%s", j.layout.config, text)
}

func (j *job) namedAll(accounts []config.Account) bool {
	for _, name := range j.Approvers {
		if !j.named(accounts, name) {
			return false
		}
	}
	return true
}

func (j *job) named(accounts []config.Account, name string) bool {
	a, err := j.System.Account(name)
	if err != nil {
		return false
	}
	for _, o := range accounts {
		if o.UID == a.UID {
			return true
		}
	}
	return false
}

// tokenStep gives the agent's account its check token, made by the daemon at its start: a file
// readable for the account, in a directory of root's, so others cannot put another in its place.
type tokenStep struct{}

func (tokenStep) path(j *job) string { return filepath.Join(j.layout.agents, j.Agent+".token") }

const tokenMode = 0o400

func (t tokenStep) look(j *job) (Action, error) {
	a := Action{Do: "write file", Path: t.path(j), Mode: modeText(tokenMode), Owner: j.Agent, Note: "the check token that the daemon creates for agent " + j.Agent}
	token, err := readCheckToken(j.at(t.source(j)))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return a, err
	}
	have, readErr := os.ReadFile(j.at(t.path(j)))
	info, statErr := os.Lstat(j.at(t.path(j)))
	a.Unchanged = err == nil && readErr == nil && statErr == nil && bytes.Equal(have, token) && info.Mode() == tokenMode && j.owns(t.path(j), j.Agent)
	return a, nil
}

func (tokenStep) source(j *job) string { return tokenfile.Check(j.layout.dirs.State, j.Agent) }

// The daemon makes its tokens at its first start, after its modules are compiled.
const (
	tokenPatience = 2 * time.Minute
	tokenPoll     = 100 * time.Millisecond
)

func (t tokenStep) do(ctx context.Context, j *job) (*made, func() error, error) {
	ctx, cancel := context.WithTimeout(ctx, tokenPatience)
	defer cancel()
	again := time.NewTicker(tokenPoll)
	defer again.Stop()
	for {
		token, err := readCheckToken(j.at(t.source(j)))
		if err == nil {
			f := file{path: t.path(j), owner: j.Agent, mode: tokenMode, hidden: true, content: func(*job) ([]byte, error) { return token, nil }}
			return f.do(ctx, j)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return nil, nil, fmt.Errorf("the daemon created no token for agent %s in %s (see journalctl -u callgate): %w", j.Agent, tokenPatience, ctx.Err())
		}
	}
}

var checkToken = regexp.MustCompile(`^cg_check_[A-Za-z0-9_-]{43}\n?$`)

// readCheckToken reads a token out of the daemon's directory. The directory is the daemon's, not
// root's: only a check token ever leaves it this way.
func readCheckToken(path string) ([]byte, error) {
	f, err := openNoFollow(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(f, 256))
	if err != nil {
		return nil, err
	}
	if !checkToken.Match(data) {
		return nil, fmt.Errorf("%s contains no check token", path)
	}
	return data, nil
}

// chooseProgram chooses the programs of the service and of the hook: the present ones where only
// root can change them, else copies. RATIONALE.md, "Why is there a second program for the hook?".
func (j *job) chooseProgram() {
	if j.Level != boundary.B || !j.live() {
		return
	}
	if boundary.RootOnly(j.System, j.Binary) == nil {
		j.layout.binary = j.Binary
	}
	switch {
	case j.HookProgram == "":
		j.layout.hook = j.layout.binary
	case boundary.RootOnly(j.System, j.HookProgram) == nil:
		j.layout.hook = j.HookProgram
	}
}
