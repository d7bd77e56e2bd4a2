package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
)

func init() { programs["neighbour"] = func() { os.Exit(neighbour()) } }

// levelA is the list of possible and impossible actions of a program of the daemon's own
// account, with the code of the refusal: the list of docs/security.md.
var levelA = map[string]string{
	"read the operator's token":         "",
	"read an agent's token":             "",
	"write the configuration":           "",
	"put a module beside the others":    "",
	"write the store":                   "",
	"write the cache":                   "",
	"send the daemon signals":           "",
	"read the audit":                    "",
	"add a deny rule":                   "",
	"add an allow rule without the PIN": "presence_required",
	"make a token without the PIN":      "presence_required",
	"choose the PIN without a terminal": "no_terminal",
	"accept a configuration":            "presence_required",
	"remove the socket":                 "",
}

// neighbour is such a program: os.Args are the base directory and the daemon's process. It
// prints its successes.
func neighbour() int {
	base, out := os.Args[1], json.NewEncoder(os.Stdout)
	var pid int
	if _, err := fmt.Sscan(os.Args[2], &pid); err != nil {
		return 1
	}
	at := func(path string) string { return filepath.Join(base, path) }
	token, err := tokenfile.Read(at("var/callgate/admin.token"))
	try := func(name string, err error) {
		a := attempt{Name: name, Held: err != nil}
		if err != nil {
			a.Detail = err.Error()
		}
		_ = out.Encode(a) // a broken pipe is the end of the test
	}
	try("read the operator's token", err)
	try("read an agent's token", opened(at("var/callgate/agents/default.token"), os.O_RDONLY))
	try("write the configuration", opened(at("etc/callgate/callgate.yaml"), os.O_WRONLY))
	try("put a module beside the others", opened(at("etc/callgate/modules/x"), os.O_CREATE|os.O_WRONLY))
	try("write the store", opened(at("var/callgate/callgate.db"), os.O_RDWR))
	try("write the cache", opened(at("cache/callgate/x"), os.O_CREATE|os.O_WRONLY))
	try("send the daemon signals", syscall.Kill(pid, 0))
	socket := at("var/callgate/callgate.sock")
	client := &http.Client{Timeout: attackPatience, Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	for name, op := range map[string][2]string{
		"read the audit":                    {"GET /v1/audit", ""},
		"add a deny rule":                   {"POST /v1/rules", `{"rule": "Write", "behavior": "deny"}`},
		"add an allow rule without the PIN": {"POST /v1/rules", `{"rule": "Write", "behavior": "allow"}`},
		"make a token without the PIN":      {"POST /v1/tokens", `{"kind": "admin", "name": "mine"}`},
		"choose the PIN without a terminal": {"POST /v1/presence/set", `{"pin": "273645"}`},
		"accept a configuration":            {"POST /v1/config/accept", `{"digest": "` + strings.Repeat("0", 64) + `"}`},
	} {
		try(name, spoken(client, token, op))
	}
	try("remove the socket", os.Remove(socket))
	return 0
}

// spoken sends a request with the operator's token. The error of a refusal begins
// with its code.
func spoken(client *http.Client, token string, op [2]string) error {
	method, path, _ := strings.Cut(op[0], " ")
	r, err := http.NewRequest(method, "http://callgate"+path, strings.NewReader(op[1]))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+token)
	resp, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	if resp.StatusCode < 300 {
		return nil
	}
	var problem struct{ Error protocol.Error }
	if err := json.NewDecoder(resp.Body).Decode(&problem); err != nil {
		return err
	}
	return fmt.Errorf("%s: %s", problem.Error.Code, problem.Error.Message)
}

// TestT06_levelA: the powers of a program of the same account are exactly those in
// docs/security.md.
func TestT06_levelA(t *testing.T) {
	t.Parallel()
	compiledtest.Modules(t)
	base := t.TempDir()
	uid := os.Geteuid()
	if uid == 0 { // root may do more; any other account stands for a user's
		uid = 61005
		var err error
		if base, err = os.MkdirTemp("/tmp", "callgate-t06a-"); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(base) }) // the system empties it
	}
	for _, dir := range []string{".", "etc", "etc/callgate", "etc/callgate/modules", "var", "cache", "cache/callgate", "bin"} {
		if err := errors.Join(os.MkdirAll(filepath.Join(base, dir), 0o700), os.Chown(filepath.Join(base, dir), uid, -1)); err != nil {
			t.Fatal(err)
		}
	}
	b := &levelB{base: base}
	b.program(t, uid)
	b.write(t, "etc/callgate/callgate.yaml", "asks: {timeout: 60s}\n", uid, 0o600)
	b.daemon = b.command(uid, "callgate", "serve", "--quiet")
	b.started(t)
	out, err := b.command(uid, "neighbour", base, fmt.Sprint(b.daemon.Process.Pid)).Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	seen := map[string]bool{}
	lines := bufio.NewScanner(strings.NewReader(string(out)))
	for lines.Scan() {
		var a attempt
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatalf("the program said %q: %v", lines.Text(), err)
		}
		seen[a.Name] = true
		want, known := levelA[a.Name]
		if code, _, _ := strings.Cut(a.Detail, ":"); !known || code != want {
			t.Errorf("%s: got %q, want %q", a.Name, a.Detail, want)
		}
	}
	if len(seen) != len(levelA) {
		t.Errorf("got %d of %d attempts", len(seen), len(levelA))
	}
}
