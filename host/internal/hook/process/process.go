package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/codex"
	"github.com/callgate/callgate/host/internal/hook/gemini"
	"github.com/callgate/callgate/host/internal/hook/opencode"
	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
	"github.com/callgate/callgate/host/internal/machine/account"
)

// Clients are the clients with a hook, as after "callgate hook".
var Clients = []string{string(settings.ClaudeCode), string(settings.Codex), string(settings.GeminiCLI), "opencode"}

// Run answers one event of a client of Clients until the client stops waiting: a signal, or a closed output.
// It returns the exit code.
func Run(ctx context.Context, client string, in io.Reader, stdout, stderr io.Writer, timeout time.Duration, connect func() (runner.Daemon, error)) int {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		<-ended
		cancel(runner.ErrEnded)
	}()
	out, ok := stdout.(*os.File)
	errOut, also := stderr.(*os.File)
	if ok && also {
		go runner.WatchClient(ctx, out, errOut, func() { cancel(runner.ErrClientGone) })
	}
	if timeout <= 0 {
		timeout = claudecode.DefaultTimeout
	}
	switch settings.Client(client) {
	case settings.Codex:
		return codex.Client(codex.Servers{User: dirs(CodexHome, ".codex")}).Run(ctx, in, stdout, stderr, timeout, connect)
	case settings.GeminiCLI:
		return gemini.Client().Run(ctx, in, stdout, stderr, timeout, connect)
	case "opencode":
		return opencode.Client().Run(ctx, in, stdout, stderr, timeout, connect)
	case settings.ClaudeCode:
	default:
		return claudecode.Deny("", "Denied: Callgate has no hook for the client "+client+".").Give(stdout, stderr)
	}
	h := claudecode.Hook{Timeout: timeout, Servers: mcpServers(), Agents: clientAgents(), Plans: clientDirs("plans"), Settings: clientSettings, Connect: connect}
	return h.Run(ctx, in).Give(stdout, stderr)
}

// Dial talks to the daemon at an endpoint with the token of a file; daemonUID below 0 is
// one's own account, or root.
func Dial(endpoint, tokenFile string, daemonUID int) (runner.Daemon, error) {
	token, err := tokenfile.Read(tokenFile)
	if err != nil {
		return nil, err
	}
	if daemonUID < 0 {
		return caller.Dial(endpoint, token)
	}
	return caller.Dial(endpoint, token, caller.DaemonUID(daemonUID))
}

// home is this account's home directory. The list of accounts is read once.
var home = sync.OnceValues(account.Home)

// mcpServers are the places of the client's MCP server definitions: in the account's home, and at
// CLAUDE_CONFIG_DIR. A project may set the variable without harm: definitions in one more place
// only narrow.
func mcpServers() claudecode.Servers {
	s := claudecode.Servers{Managed: filepath.Join(filepath.Dir(settings.ManagedFile()), "managed-mcp.json")}
	if dir, err := home(); err == nil && filepath.IsAbs(dir) {
		s.User = append(s.User, filepath.Join(dir, ".claude.json"))
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
	if dir, err := home(); err == nil && filepath.IsAbs(dir) {
		places.Home = dir
	}
	found := settings.Read(places)
	if other := os.Getenv(ConfigDir); filepath.IsAbs(other) {
		places.ConfigDir = other
		found.Files = append(found.Files, settings.Read(places).Files...)
	}
	return found
}

// clientDirs are the client's directories of this name for the account's data.
func clientDirs(name string) []string {
	found := dirs(ConfigDir, ".claude")
	for i, dir := range found {
		found[i] = filepath.Join(dir, name)
	}
	return found
}

// dirs are a client's directories: in its variable, and in the home directory. A project can add a
// place through the variable, and remove none.
func dirs(variable, name string) []string {
	var found []string
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		found = append(found, dir)
	}
	if dir, err := home(); err == nil && filepath.IsAbs(dir) {
		found = append(found, filepath.Join(dir, name))
	}
	return slices.Compact(found)
}

// exitError is the exit code of the program's other commands for an error.
const exitError = 3

// The variables for other places of the clients' directories ~/.claude and ~/.codex.
const (
	ConfigDir = "CLAUDE_CONFIG_DIR"
	CodexHome = "CODEX_HOME"
)

// Guarded runs a hook's command, and turns every failure into a denial: the exit code is 0 only
// when the hook has answered. Of the environment only the places of the clients' files reach it,
// and a client that closes its end early does not kill it. RATIONALE.md, "Why does the hook read
// /etc/passwd itself, and clear its environment?".
func Guarded(run func() (code int)) (code int) {
	dir, codexDir := os.Getenv(ConfigDir), os.Getenv(CodexHome)
	os.Clearenv()
	_ = os.Setenv(ConfigDir, dir) // without them fewer places are read
	_ = os.Setenv(CodexHome, codexDir)
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
