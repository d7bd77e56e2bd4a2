package cli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
)

// The accounts of the test. No machine needs to know them.
const (
	daemonUID, agentUID, approverUID, strangerUID = 61001, 61002, 61003, 61004
)

// forAgents are the operations of an agent's account. All others are tried, and must be
// refused.
var forAgents = []string{
	"GET /livez", "GET /readyz", "GET /v1/health", "GET /v1/openapi.json", "POST /v1/mcp/tools", "POST /v1/check", "POST /v1/evaluate", "POST /v1/offer", "POST /v1/calls/finished", "GET /v1/tools", "GET /v1/tools/{name}",
}

// levelB is an installation of level B below a directory, with its daemon.
type levelB struct {
	base, socket, tty string
	daemon, approver  *exec.Cmd
	screen            *screen
}

func (b *levelB) at(path ...string) string {
	return filepath.Join(append([]string{b.base}, path...)...)
}

// TestT06_levelB: a program of the agent's account tries everything to approve its own calls or
// disable the gate.
func TestT06_levelB(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: needs root, to run the daemon, the agent and the approver as three accounts")
	}
	compiledtest.Modules(t)
	b := installLevelB(t)
	b.serve(t)
	b.watch(t)
	before := b.trees(t)

	out := b.attack(t)
	seen := map[string]bool{}
	for line := range strings.Lines(out) {
		var a attempt
		if err := json.Unmarshal([]byte(line), &a); err != nil {
			t.Fatalf("the attacking program said %q: %v", line, err)
		}
		seen[a.Name] = true
		if !a.Held {
			t.Errorf("%s: %s", a.Name, a.Detail)
		}
	}
	t.Logf("%d attacks", len(seen))
	if len(seen) < 220 || !seen["and it takes its own ask back"] {
		t.Errorf("got %d attempts, want all: the program did not come to its end", len(seen))
	}
	if after := b.trees(t); after != before {
		t.Errorf("files changed:\n%s\nwere\n%s", after, before)
	}
	b.untouched(t)
	b.cutOff(t)
}

// installLevelB lays out the files of callgate service install, with the test's own accounts.
func installLevelB(t *testing.T) *levelB {
	t.Helper()
	base, err := os.MkdirTemp("/tmp", "callgate-t06-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) }) // the system empties it
	b := &levelB{base: base, socket: filepath.Join(base, "run/callgate/callgate.sock")}
	for _, d := range []struct {
		path string
		uid  int
		mode fs.FileMode
	}{
		{".", 0, 0o755}, {"bin", 0, 0o755}, {"etc", 0, 0o755}, {"etc/callgate", 0, 0o755}, {"etc/callgate/modules", 0, 0o755}, {"etc/callgate/agents", 0, 0o755},
		{"etc/claude-code", 0, 0o755}, {"etc/claude-code/managed-settings.d", 0, 0o755}, {"units", 0, 0o755}, {"var", 0, 0o755}, {"var/callgate", daemonUID, 0o700},
		{"cache", 0, 0o755}, {"cache/callgate", daemonUID, 0o700}, {"run", 0, 0o755}, {"run/callgate", daemonUID, 0o755}, {"own", agentUID, 0o755}, {"approver", approverUID, 0o700},
	} {
		if err := errors.Join(os.MkdirAll(b.at(d.path), d.mode), os.Chmod(b.at(d.path), d.mode), os.Chown(b.at(d.path), d.uid, d.uid)); err != nil {
			t.Fatal(err)
		}
	}
	b.program(t, daemonUID)
	b.write(t, "etc/callgate/callgate.yaml", fmt.Sprintf("listen: %s\nboundary:\n  agent_accounts: [%d]\n  approver_accounts: [%d]\nagents:\n  alice:\n    home: %s\n",
		b.socket, agentUID, approverUID, b.at("own")), 0, 0o644)
	b.write(t, "etc/claude-code/managed-settings.json", "{}\n", 0, 0o644)
	b.write(t, "units/callgate.service", "[Service]\n", 0, 0o644)
	b.write(t, "cache/callgate/file", "x", daemonUID, 0o600)
	b.write(t, "own/mine", "mine", agentUID, 0o644)
	return b
}

// program puts the test's own program there under its names, and compiled modules
// into the cache of the daemon's account.
func (b *levelB) program(t *testing.T, owner int) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for name := range programs {
		b.write(t, "bin/"+name, string(text), os.Geteuid(), 0o755)
	}
	err = filepath.WalkDir(compiledtest.Cache(), func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == compiledtest.Cache() {
			return err
		}
		name := filepath.Join("cache/callgate", strings.TrimPrefix(path, compiledtest.Cache()))
		if d.IsDir() {
			return errors.Join(os.Mkdir(b.at(name), 0o700), os.Chown(b.at(name), owner, owner))
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return errors.Join(os.WriteFile(b.at(name), text, 0o600), os.Chown(b.at(name), owner, owner))
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (b *levelB) write(t *testing.T, path, text string, uid int, mode fs.FileMode) {
	t.Helper()
	if err := errors.Join(os.WriteFile(b.at(path), []byte(text), mode), os.Chmod(b.at(path), mode), os.Chown(b.at(path), uid, -1)); err != nil {
		t.Fatal(err)
	}
}

// command runs a program of the installation as an account.
func (b *levelB) command(uid int, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(b.at("bin", name), args...)
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.at("var"), "XDG_CONFIG_HOME=" + b.at("etc"), "XDG_STATE_HOME=" + b.at("var"), "XDG_CACHE_HOME=" + b.at("cache"), "TERM=dumb"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if uid != os.Geteuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}
	}
	return cmd
}

// serve starts the daemon and gives the agent's account its token.
func (b *levelB) serve(t *testing.T) {
	t.Helper()
	b.daemon = b.command(daemonUID, "callgate", "serve", "--quiet")
	b.started(t)
	token := b.secret(t, "var/callgate/agents/alice.token")
	b.write(t, "etc/callgate/agents/alice.token", token+"\n", agentUID, 0o400)
}

// started starts the daemon and waits until it serves.
func (b *levelB) started(t *testing.T) {
	t.Helper()
	log, err := b.daemon.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := b.daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = b.daemon.Process.Signal(syscall.SIGTERM) // it has ended, or ends
		_ = b.daemon.Wait()
	})
	lines := bufio.NewScanner(log)
	var said []string
	for lines.Scan() {
		said = append(said, lines.Text())
		if strings.Contains(lines.Text(), "msg=serving") {
			go func() {
				for lines.Scan() { // so it never waits for us
				}
			}()
			return
		}
	}
	t.Fatalf("the daemon did not serve: %q", said)
}

func (b *levelB) secret(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(b.at(path))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// attack runs the attacking program to its end.
func (b *levelB) attack(t *testing.T) string {
	t.Helper()
	p := prey{
		Base: b.base, Socket: b.socket, Own: b.at("own"), Daemon: b.daemon.Process.Pid, Approver: b.approver.Process.Pid, DaemonUID: daemonUID, TTY: b.tty,
		Tokens: map[string]string{
			"own": b.secret(t, "var/callgate/agents/alice.token"), "stolen": b.secret(t, "var/callgate/admin.token"),
			"guessed": "cg_admin_" + strings.Repeat("A", 43),
		},
		Operations: operations(t),
	}
	arg, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	cmd := b.command(agentUID, "attacker", string(arg))
	cmd.Dir = b.at("own")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err = b.screen.await(ctx, regexp.MustCompile(`npm run attack`))
	_, writeErr := stdin.Write([]byte("seen\n"))
	if err := errors.Join(err, writeErr, cmd.Wait()); err != nil {
		t.Fatalf("%v\n%s\n%s", err, errOut.String(), out.String())
	}
	return out.String()
}

// operations are those of the interface not for agents.
func operations(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../internal/api/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var all []string
	for path, methods := range doc.Paths {
		for method := range methods {
			if op := strings.ToUpper(method) + " " + path; !slices.Contains(forAgents, op) {
				all = append(all, strings.NewReplacer("{id}", "x", "{name}", "x").Replace(op))
			}
		}
	}
	if len(all) < 25 {
		t.Fatalf("got operations %q, want all", all)
	}
	return all
}

// trees is everything the agent must not have changed, in one text.
func (b *levelB) trees(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	for _, dir := range []string{"bin", "etc", "units", "run", "cache", "approver"} {
		err := filepath.WalkDir(b.at(dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			st := info.Sys().(*syscall.Stat_t)
			if filepath.Dir(path) == b.at("cache/callgate/states") && st.Uid == daemonUID && info.Mode() == 0o600 {
				return nil // the daemon keeps a module's state when it has time; no one else can make such a file
			}
			fmt.Fprintf(&text, "%s %s %d:%d", strings.TrimPrefix(path, b.base), info.Mode(), st.Uid, st.Gid)
			if info.Mode().IsRegular() {
				content, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				fmt.Fprintf(&text, " %x", sha256.Sum256(content))
			}
			text.WriteByte('\n')
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

// untouched looks as the operator for traces of the attack.
func (b *levelB) untouched(t *testing.T) {
	t.Helper()
	c, err := client.Dial("unix:"+b.socket, b.secret(t, "var/callgate/admin.token"), client.DaemonUID(daemonUID))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	done := errors.New("nothing waits")
	err = c.Events(ctx, "", "", func(client.Event) error {
		waiting, err := c.Asks(ctx, ask.Filter{State: ask.Shown})
		if err == nil && len(waiting) == 0 {
			return done
		}
		return err
	})
	if !errors.Is(err, done) {
		t.Errorf("the ask that its client took back still waits: %v", err)
	}
	page, err := c.Audit(ctx, store.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	allowed := 0
	for _, row := range page.Rows {
		if row.Decision == store.AskApproved {
			t.Errorf("approved: %+v", row)
		}
		if row.Decision == store.Allowed {
			allowed++
		}
	}
	if allowed != 1 {
		t.Errorf("got %d calls allowed, want the one that every agent may make", allowed)
	}
	rules, err := c.Rules(ctx, store.RuleFilter{})
	if err != nil || slices.ContainsFunc(rules, func(r engine.Rule) bool { return r.Behavior == engine.Allow }) {
		t.Errorf("got rules %v, %v; want none that allows", rules, err)
	}
	if report, err := c.VerifyAudit(ctx); err != nil || !report.OK() {
		t.Errorf("audit: got %+v, %v", report, err)
	}
	if tokens, err := c.Tokens(ctx); err != nil || len(tokens) != 3 {
		t.Errorf("tokens: got %+v, %v; want admin's, default's and alice's", tokens, err)
	}
}

// cutOff: an account of neither an agent nor an approver is not heard, even with the operator's
// token.
func (b *levelB) cutOff(t *testing.T) {
	t.Helper()
	b.write(t, "own/stranger.token", b.secret(t, "var/callgate/admin.token")+"\n", strangerUID, 0o400)
	out, err := b.command(strangerUID, "callgate", "asks", "list", "--endpoint", "unix:"+b.socket, "--token-file", b.at("own/stranger.token"), "--daemon-uid", fmt.Sprint(daemonUID)).CombinedOutput()
	var failed *exec.ExitError
	if !errors.As(err, &failed) || failed.ExitCode() != exitError {
		t.Errorf("a stranger: got %v, %s; want exit code 3", err, out)
	}
}
