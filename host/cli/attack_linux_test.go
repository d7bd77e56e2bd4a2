package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

func init() { programs["attacker"] = func() { os.Exit(attacker()) } }

// prey is the attacking program's knowledge: more than any agent would have.
type prey struct {
	Base, Socket, Own string
	Daemon, Approver  int // processes
	DaemonUID         int
	TTY               string
	// Tokens are secrets by where they come from.
	Tokens map[string]string
	// Operations are "METHOD /path" of all those not for agents.
	Operations []string
}

// attempt is the result of one attack.
type attempt struct {
	Name string
	// Held means: it failed for want of permission, and for nothing else.
	Held   bool
	Detail string
}

// errHeld is a failed attack, or a required function still at work.
var errHeld = errors.New("held")

// attacker is a program started by an allowed call: it runs as the agent's account and tries to
// get around the gate. Its only argument is the prey.
func attacker() int {
	var p prey
	if err := json.Unmarshal([]byte(os.Args[1]), &p); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	out := json.NewEncoder(os.Stdout)
	try := func(name string, do func() error) {
		err := do()
		a := attempt{Name: name, Held: errors.Is(err, fs.ErrPermission) || errors.Is(err, errHeld), Detail: "it was done"}
		if err != nil {
			a.Detail = err.Error()
		}
		_ = out.Encode(a) // a broken pipe is the end of the test
	}
	p.files(try)
	p.links(try)
	p.processes(try)
	p.sockets(try)
	p.commands(try)
	p.interfaces(try, p.Operations)
	p.ownAsk(try)
	return 0
}

func (p prey) at(path ...string) string { return filepath.Join(append([]string{p.Base}, path...)...) }

// attackPatience bounds operations that would go on if not refused.
const attackPatience = 10 * time.Second

type trying func(name string, do func() error)

// files writes, reads and moves the daemon's files.
func (p prey) files(try trying) {
	for _, path := range []string{
		"bin/callgate", "etc/callgate/callgate.yaml", "etc/claude-code/managed-settings.json", "var/callgate/callgate.db", "var/callgate/admin.token",
		"var/callgate/callgate.db-wal", "cache/callgate/file", "run/callgate/callgate.sock.lock", "units/callgate.service",
	} {
		try("write "+path, func() error { return opened(p.at(path), os.O_WRONLY) })
		try("remove "+path, func() error { return os.Remove(p.at(path)) })
		try("replace "+path, func() error { return os.Rename(p.at("own/mine"), p.at(path)) })
		try("chmod "+path, func() error { return os.Chmod(p.at(path), 0o777) })
	}
	for _, path := range []string{"var/callgate/admin.token", "var/callgate/agents/alice.token", "var/callgate/callgate.db", "var/callgate/callgate.db-shm", "cache/callgate/file", "run/callgate/callgate.sock.lock"} {
		try("read "+path, func() error { return opened(p.at(path), os.O_RDONLY) })
	}
	for _, dir := range []string{"bin", "etc/callgate", "etc/callgate/modules", "etc/callgate/agents", "etc/claude-code", "etc/claude-code/managed-settings.d", "var/callgate", "cache/callgate", "run/callgate", "units", "."} {
		try("make a file in "+dir, func() error { return opened(p.at(dir, "planted"), os.O_CREATE|os.O_WRONLY) })
	}
	for _, dir := range []string{"bin", "etc/callgate", "etc/claude-code", "var/callgate", "cache/callgate", "run/callgate"} {
		try("move directory "+dir, func() error { return os.Rename(p.at(dir), p.at("own", filepath.Base(dir))) })
	}
	try("list the state", func() error { _, err := os.ReadDir(p.at("var/callgate")); return err })
	try("replace the agent's own token", func() error { return os.Rename(p.at("own/mine"), p.at("etc/callgate/agents/alice.token")) })
}

func opened(path string, flag int) error {
	f, err := os.OpenFile(path, flag, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// links reaches for the same files by other names.
func (p prey) links(try trying) {
	for _, path := range []string{"var/callgate/admin.token", "var/callgate/callgate.db"} {
		try("hard link to "+path, func() error { return os.Link(p.at(path), p.at("own/hard-"+filepath.Base(path))) })
		try("symbolic link to "+path, func() error {
			name := p.at("own/soft-" + filepath.Base(path))
			return errors.Join(os.Symlink(p.at(path), name), opened(name, os.O_RDONLY))
		})
	}
	try("write the configuration through a hard link", func() error {
		name := p.at("own/hard.yaml")
		if err := os.Link(p.at("etc/callgate/callgate.yaml"), name); err != nil {
			return err
		}
		return opened(name, os.O_WRONLY)
	})
	try("a link for the socket's lock", func() error { return os.Symlink(p.at("own/mine"), p.at("run/callgate/new.lock")) })
	try("a link for a module", func() error { return os.Symlink(p.at("own/mine"), p.at("etc/callgate/modules/x.wasm")) })
}

// processes reaches into the daemon, and into the approver's terminal.
func (p prey) processes(try trying) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for who, pid := range map[string]int{"the daemon": p.Daemon, "the approver": p.Approver} {
		proc := func(name string) string { return fmt.Sprintf("/proc/%d/%s", pid, name) }
		try("ptrace "+who, func() error { return unix.PtraceAttach(pid) })
		try("seize "+who, func() error { return unix.PtraceSeize(pid) })
		try("memory of "+who, func() error { return opened(proc("mem"), os.O_RDWR) })
		try("environment of "+who, func() error { _, err := os.ReadFile(proc("environ")); return err })
		try("open files of "+who, func() error { _, err := os.ReadDir(proc("fd")); return err })
		try("standard input of "+who, func() error { return opened(proc("fd/0"), os.O_WRONLY) })
		try("root of "+who, func() error { _, err := os.ReadDir(proc("root")); return err })
		try("read by system call from "+who, func() error {
			buf := make([]byte, 8)
			local := []unix.Iovec{{Base: &buf[0], Len: 8}}
			_, err := unix.ProcessVMReadv(pid, local, []unix.RemoteIovec{{Base: 0x400000, Len: 8}}, 0)
			return err
		})
		try("a file descriptor of "+who, func() error {
			fd, err := unix.PidfdOpen(pid, 0)
			if err != nil {
				return err
			}
			defer func() { _ = unix.Close(fd) }()
			_, err = unix.PidfdGetfd(fd, 0, 0)
			return err
		})
		try("limits of "+who, func() error { return unix.Prlimit(pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1, Max: 1}, nil) })
		for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL, syscall.SIGSTOP} {
			try(fmt.Sprintf("%s to %s", unix.SignalName(s), who), func() error { return syscall.Kill(pid, s) })
		}
	}
	try("type into the approver's terminal", func() error {
		f, err := os.OpenFile(p.TTY, os.O_RDWR|syscall.O_NOCTTY, 0)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		_, err = f.WriteString("y\n")
		return err
	})
	if _, err := exec.LookPath("tmux"); err == nil {
		try("keys to the approver's tmux", func() error {
			out, err := exec.Command("tmux", "-S", p.at("approver/tmux.sock"), "send-keys", "y", "Enter").CombinedOutput()
			if err != nil && strings.Contains(string(out), "ermission denied") {
				return errHeld
			}
			return fmt.Errorf("%w: %s", orDone(err), out)
		})
	}
}

func orDone(err error) error {
	if err == nil {
		return errors.New("it ended well")
	}
	return err
}

// sockets puts itself in the daemon's place.
func (p prey) sockets(try trying) {
	try("remove the socket", func() error { return os.Remove(p.Socket) })
	try("move the socket", func() error { return os.Rename(p.Socket, p.at("own/sock")) })
	try("put a socket in its place", func() error { return os.Rename(p.at("own/mine"), p.Socket) })
	try("listen beside it", func() error {
		l, err := net.Listen("unix", filepath.Join(filepath.Dir(p.Socket), "callgate2.sock"))
		if err != nil {
			return err
		}
		return l.Close()
	})
	try("a fake daemon for the hook", p.fakeDaemon)
}

// fakeDaemon has the hook, as it is installed but with its endpoint changed, talk
// to a program of the agent's: it must deny and keep its token to itself.
func (p prey) fakeDaemon() error {
	l, err := net.Listen("unix", p.at("own/fake.sock"))
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }()
	var mu sync.Mutex
	var heard strings.Builder
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			text, _ := io.ReadAll(conn) // for any answer
			mu.Lock()
			heard.Write(text)
			mu.Unlock()
		}
	}()
	cmd := exec.Command(p.at("bin/callgate"), "hook", "claude-code", "--endpoint", "unix:"+p.at("own/fake.sock"), "--token-file", p.at("etc/callgate/agents/alice.token"),
		"--timeout", "20s", "--daemon-uid", fmt.Sprint(p.DaemonUID))
	cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"hook_event_name":"PreToolUse","session_id":"f","cwd":%q,"tool_name":"Bash","tool_input":{"command":"ls"},"tool_use_id":"f1"}`, p.Own))
	out, err := cmd.Output()
	var failed *exec.ExitError
	mu.Lock()
	defer mu.Unlock()
	if !errors.As(err, &failed) || failed.ExitCode() != 2 || strings.Contains(string(out), "allow") || strings.Contains(heard.String(), p.Tokens["own"]) {
		return fmt.Errorf("the hook: got %v, %q, and the fake daemon heard %q", err, out, heard.String())
	}
	return errHeld
}

// commands uses the product's own program with every token.
func (p prey) commands(try trying) {
	for from, secret := range p.Tokens {
		file := p.at("own", from+".token")
		if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
			try("note a token", func() error { return err })
		}
		for _, args := range []string{
			"asks list", "rules add allow Bash", "rules list", "audit list", "sessions list", "config accept", "tokens list",
			"tokens create --kind admin --name mine", "tokens rotate admin",
		} {
			try("callgate "+args+" with token "+from, func() error { return p.command(args, file) })
		}
	}
	try("callgate asks list with a linked token", func() error {
		return errors.Join(os.Symlink(p.at("var/callgate/admin.token"), p.at("own/linked.token")), p.command("asks list", p.at("own/linked.token")))
	})
	try("callgate service install", func() error {
		return p.command("service install --level b --agent-account daemon", p.at("own/own.token"))
	})
}

func (p prey) command(args, tokenFile string) error {
	ctx, cancel := context.WithTimeout(context.Background(), attackPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.at("bin/callgate"), append(strings.Fields(args), "--endpoint", "unix:"+p.Socket, "--token-file", tokenFile, "--daemon-uid", fmt.Sprint(p.DaemonUID))...)
	cmd.Env = append(os.Environ(), "HOME="+p.Own, "XDG_STATE_HOME="+p.Own, "XDG_CONFIG_HOME="+p.Own, "XDG_CACHE_HOME="+p.Own)
	text, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	for _, why := range []string{"belongs to an agent", "invalid token", "is not the Callgate daemon", "symbolic link", "permission denied", "no terminal", "run it with sudo", "not a Callgate token"} {
		if strings.Contains(string(text), why) {
			return errHeld
		}
	}
	return fmt.Errorf("%w: %s", err, text)
}

// interfaces tries every operation not for agents with every token, past the product's own
// client.
func (p prey) interfaces(try trying, operations []string) {
	client := &http.Client{Timeout: attackPatience, Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", p.Socket)
	}}}
	for from, secret := range p.Tokens {
		for _, op := range operations {
			try(op+" with token "+from, func() error { return p.request(client, op, secret) })
		}
		if from == "own" {
			continue
		}
		try("POST /v1/check with token "+from, func() error { return p.request(client, "POST /v1/check", secret) })
	}
}

func (p prey) request(client *http.Client, op, secret string) error {
	method, path, _ := strings.Cut(op, " ")
	r, err := http.NewRequest(method, "http://callgate"+path, strings.NewReader("{}"))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+secret)
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1000)) // for the report
	if resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusUnauthorized {
		return errHeld
	}
	return fmt.Errorf("status %d: %s", resp.StatusCode, body)
}

// ownAsk has a call asked about, tries to answer it with every token once the
// approver has seen it (a line on standard input says so), and takes it back.
func (p prey) ownAsk(try trying) {
	c, err := client.Dial("unix:"+p.Socket, p.Tokens["own"], client.DaemonUID(p.DaemonUID))
	if err != nil {
		try("dial", func() error { return err })
		return
	}
	defer c.Close()
	try("and an ordinary check is still answered", func() error {
		res, err := c.Check(context.Background(), p.bash("ls", "c1"), nil)
		if err == nil && res.Decision.Behavior == engine.Allow {
			return errHeld // as it should be
		}
		return fmt.Errorf("got %+v, %w", res.Decision, orDone(err))
	})
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	shown := make(chan string, 1)
	ended := make(chan error, 1)
	go func() {
		res, err := c.Check(ctx, p.bash("npm run attack", "c2"), func(g protocol.Progress) {
			if g.AskID != "" {
				select {
				case shown <- g.AskID:
				default:
				}
			}
		})
		ended <- errors.Join(err, fmt.Errorf("behavior %s", res.Decision.Behavior))
	}()
	var id string
	select {
	case id = <-shown:
	case err := <-ended:
		try("have a call asked about", func() error { return err })
		return
	}
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		try("hear of the approver", func() error { return err })
	}
	p.interfaces(try, []string{"POST /v1/asks/" + id + "/answer", "POST /v1/asks/" + id + "/seen", "GET /v1/asks/" + id})
	cancel()
	try("and it takes its own ask back", func() error {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			return err
		}
		return errHeld // as it should be
	})
}

func (p prey) bash(command, id string) wire.Request {
	input, _ := json.Marshal(map[string]string{"command": command}) // a text always encodes
	return wire.Request{CallID: id, Tool: "Bash", Input: input, Context: wire.CallContext{Session: "attack", CWD: p.Own}}
}
