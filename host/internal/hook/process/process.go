package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/account"
)

// Run answers one event of the client until the client stops waiting: a signal, or a closed output.
// It returns the exit code.
func Run(ctx context.Context, in io.Reader, stdout, stderr io.Writer, timeout time.Duration, connect func() (claudecode.Daemon, error)) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-ended
		cancel(claudecode.ErrEnded)
	}()
	if out, ok := stdout.(*os.File); ok {
		go claudecode.WatchClient(ctx, out, func() { cancel(claudecode.ErrClientGone) })
	}
	h := claudecode.Hook{Timeout: timeout, Servers: mcpServers(), Agents: clientAgents(), Plans: clientDirs("plans"), Settings: clientSettings, Connect: connect}
	return h.Run(ctx, in).Give(stdout, stderr)
}

// Dial talks to the daemon at an endpoint with the token of a file; daemonUID below 0 is
// one's own account, or root.
func Dial(endpoint, tokenFile string, daemonUID int) (claudecode.Daemon, error) {
	token, err := tokenfile.Read(tokenFile)
	if err != nil {
		return nil, err
	}
	if daemonUID < 0 {
		return caller.Dial(endpoint, token)
	}
	return caller.Dial(endpoint, token, caller.DaemonUID(daemonUID))
}

// mcpServers are the places of the client's MCP server definitions: in the account's home, and at
// CLAUDE_CONFIG_DIR. A project may set the variable without harm: definitions in one more place
// only narrow.
func mcpServers() claudecode.Servers {
	s := claudecode.Servers{Managed: filepath.Join(filepath.Dir(settings.ManagedFile()), "managed-mcp.json")}
	if home, err := account.Home(); err == nil && filepath.IsAbs(home) {
		s.User = append(s.User, filepath.Join(home, ".claude.json"))
	}
	if dir := os.Getenv(ConfigDir); filepath.IsAbs(dir) {
		s.User = append(s.User, filepath.Join(dir, ".claude.json"))
	}
	return s
}

// clientAgents is where the client keeps the account's sub-agents.
func clientAgents() claudecode.Agents { return claudecode.Agents{User: clientDirs("agents")} }

// clientSettings are the client's settings files for a directory: those of the account, the
// machine, the project, and at CLAUDE_CONFIG_DIR.
func clientSettings(dir string) *settings.Settings {
	places := settings.Places{Project: dir}
	if home, err := account.Home(); err == nil && filepath.IsAbs(home) {
		places.Home = home
	}
	found := settings.Read(places)
	if other := os.Getenv(ConfigDir); filepath.IsAbs(other) {
		places.ConfigDir = other
		found.Files = append(found.Files, settings.Read(places).Files...)
	}
	return found
}

// clientDirs are the client's directories of this name for the account's data. A project can add a
// place through CLAUDE_CONFIG_DIR, and remove none.
func clientDirs(name string) []string {
	var found []string
	if dir := os.Getenv(ConfigDir); filepath.IsAbs(dir) {
		found = append(found, filepath.Join(dir, name))
	}
	if home, err := account.Home(); err == nil && filepath.IsAbs(home) {
		found = append(found, filepath.Join(home, ".claude", name))
	}
	return found
}

// exitError is the exit code of the program's other commands for an error.
const exitError = 3

// ConfigDir is the variable for another place of the client's directory ~/.claude.
const ConfigDir = "CLAUDE_CONFIG_DIR"

// Guarded runs a hook's command, and turns every failure into a denial: the exit code is 0 only
// when the hook has answered. Of the environment only the place of the client's files reaches it,
// and a client that closes its end early does not kill it. RATIONALE.md, "Why does the hook read
// /etc/passwd itself, and clear its environment?".
func Guarded(run func() (code int)) (code int) {
	dir := os.Getenv(ConfigDir)
	os.Clearenv()
	_ = os.Setenv(ConfigDir, dir) // without it fewer places are read
	signal.Ignore(syscall.SIGPIPE)
	defer func() {
		if p := recover(); p != nil {
			code = claudecode.Deny("", fmt.Sprintf("Denied: the Callgate hook failed (%T). Tell the user to run \"callgate doctor\". Do not retry.", p)).Give(os.Stdout, os.Stderr)
		}
	}()
	if code = run(); code == exitError {
		code = claudecode.ExitDenied // a client goes on after any other code
	}
	return code
}
