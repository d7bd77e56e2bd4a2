package cli

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
	"github.com/callgate/callgate/host/internal/testkit/world"
)

// team is three daemons as processes of their own over one PostgreSQL server, each behind a proxy.
type team struct {
	t       *testing.T
	server  *storetest.Server
	schema  string // the URL of the store, without a proxy
	members []*member
}

// member is one daemon.
type member struct {
	*world.World
	proxy *storetest.Proxy

	mu      sync.Mutex
	cmd     *exec.Cmd
	address string
	id      string // among the daemons of the store, once it is known
}

// newDaemons starts three daemons with this configuration. The first one's tokens count for all.
func newDaemons(t *testing.T, yaml string) *team {
	t.Helper()
	tm := &team{t: t, server: storetest.StartServer(t)}
	tm.schema = storetest.Schema(t, tm.server.URL())
	for range 3 {
		m := &member{proxy: storetest.NewProxy(t, tm.server)}
		place, err := m.proxy.Place(tm.schema)
		if err != nil {
			t.Fatal(err)
		}
		tm.add(m, place, yaml)
	}
	return tm
}

// add starts a daemon with its store at place; "" is a file of its own.
func (tm *team) add(m *member, place, yaml string) {
	tm.t.Helper()
	if place != "" {
		yaml = "store: \"" + place + "\"\n" + yaml
	}
	m.World = world.New(tm.t, "listen: 127.0.0.1:0\n"+yaml)
	if len(tm.members) == 0 {
		d, stop := m.Serve(nil) // a PIN takes a terminal, or the process itself
		m.ChoosePIN(d)
		stop()
	} else {
		copyTokens(tm.t, tm.members[0].Dirs.State, m.Dirs.State)
	}
	tm.members = append(tm.members, m)
	m.start(tm.t)
}

// copyTokens gives a machine the token files of another.
func copyTokens(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Join(to, "agents"), 0o700); err != nil {
		t.Fatal(err)
	}
	agents, err := filepath.Glob(filepath.Join(from, "agents", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(agents, tokenfile.Admin(from)) {
		name, err := filepath.Rel(from, file)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// start starts the daemon and waits until it serves. It tries again, as a service manager does: the
// database may be away, for as long as its own start takes on a crowded machine.
func (m *member) start(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if m.startOnce(t) {
			return
		}
	}
	t.Error("the daemon does not start")
}

func (m *member) startOnce(t *testing.T) bool {
	t.Helper()
	cmd := exec.Command("callgate", "serve", "--quiet")
	cmd.Env = append(os.Environ(), m.XDG()...)
	log, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return false
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended, as a rule
	var said strings.Builder
	for lines := bufio.NewScanner(log); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if _, rest, ok := strings.Cut(lines.Text(), "msg=serving address="); ok {
			go func() { _, _ = io.Copy(io.Discard, log) }()
			m.mu.Lock()
			defer m.mu.Unlock()
			m.address, _, _ = strings.Cut(rest, " ")
			m.cmd = cmd
			return true
		}
	}
	_ = cmd.Wait() // the log says why
	t.Logf("the daemon ended before it served:\n%s", said.String())
	return false
}

// kill ends the daemon at once.
func (m *member) kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	_ = m.cmd.Process.Kill() // it may have ended
	_ = m.cmd.Wait()
}

// ready compares the exit code of callgate ready, as a health check has it.
func (m *member) ready(t *testing.T, want int) {
	t.Helper()
	cmd := exec.Command("callgate", "ready", "--endpoint", m.at())
	cmd.Env = append(os.Environ(), m.XDG()...)
	out, err := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != want {
		t.Errorf("callgate ready: got exit code %d (%v: %s), want %d", got, err, out, want)
	}
}

// at is the daemon's present address: each start has another one.
func (m *member) at() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.address
}

func (m *member) admin(t *testing.T) *client.Client {
	t.Helper()
	return m.Admin(m.at())
}

func (m *member) agent(t *testing.T) *client.Client {
	t.Helper()
	return m.Agent(m.at(), tokenfile.DefaultAgent)
}

// rows ends all daemons and reads the audit, which must be one whole chain.
func (tm *team) rows() (rows []store.Row) {
	t := tm.t
	t.Helper()
	for _, m := range tm.members {
		m.kill()
	}
	s, err := store.Open(t.Context(), tm.schema, store.Options{LockWait: patience})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // it was only read
	if report, err := s.VerifyAudit(t.Context()); err != nil || !report.OK() {
		t.Errorf("audit: got %+v, %v, want one whole chain", report, err)
	}
	for row, err := range s.Audit(t.Context(), store.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}
