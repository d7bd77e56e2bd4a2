package storetest

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the database driver
)

// Server is a PostgreSQL server of a test, on a unix socket.
type Server struct {
	t       testing.TB
	bin     string
	dir     string
	durable bool
}

// StartServer starts a server for the length of the test, or skips the test where PostgreSQL is not
// installed: its programs are looked for in CALLGATE_TEST_POSTGRES, PATH and the places of Debian.
func StartServer(t testing.TB) *Server {
	t.Helper()
	s := newServer(t)
	t.Cleanup(s.end)
	s.create()
	return s
}

// StartDurable is StartServer for measurements: a commit waits for the disk.
func StartDurable(t testing.TB) *Server {
	t.Helper()
	s := newServer(t)
	s.durable = true
	t.Cleanup(s.end)
	s.create()
	return s
}

// create makes the server's data and starts it.
func (s *Server) create() {
	s.t.Helper()
	s.run("initdb", "-D", s.data(), "-A", "trust", "-U", "postgres", "--no-locale", "-E", "UTF8", "--no-sync")
	s.Start()
}

// newServer is a server without data, with a directory of its own.
func newServer(t testing.TB) *Server {
	t.Helper()
	s := &Server{t: t, bin: findServer()}
	if s.bin == "" {
		t.Skip("PostgreSQL is not installed: put initdb and pg_ctl on PATH, or their directory in CALLGATE_TEST_POSTGRES")
	}
	// Not t.TempDir: the path of a socket is short, and the server's account enters the directory.
	dir, err := os.MkdirTemp("", "cgpg")
	if err != nil {
		t.Fatal(err)
	}
	s.dir = dir
	if err := giveToServer(dir); err != nil {
		_ = os.RemoveAll(dir) // it is empty
		t.Skip("PostgreSQL cannot run here: " + err.Error())
	}
	return s
}

// end stops the server and removes its data.
func (s *Server) end() {
	s.Stop("immediate")
	if err := os.RemoveAll(s.dir); err != nil {
		s.t.Error(err)
	}
}

// shared is the server of [SharedServer], and the number of its users.
var shared struct {
	sync.Mutex
	server *Server
	users  int
}

// SharedServer returns the URL of a server for tests that leave it running, each with a [Schema] of
// its own. Tests at the same time have the same server.
func SharedServer(t testing.TB) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	s := shared.server
	first := s == nil
	if first {
		s = newServer(t)
	}
	t.Cleanup(func() { endShared(t, s) })
	if first {
		s.create() // it may end the test
		shared.server = s
	}
	shared.users++
	return s.URL()
}

// endShared ends a user of the shared server, and with the last one the server.
func endShared(t testing.TB, s *Server) {
	shared.Lock()
	defer shared.Unlock()
	if shared.server == s {
		if shared.users--; shared.users > 0 {
			return
		}
		shared.server = nil
	}
	s.t = t // its first user has ended
	s.end()
}

// Replica starts a standby that streams from the server, for the length of the test.
func (s *Server) Replica() *Server {
	s.t.Helper()
	r := newServer(s.t)
	s.t.Cleanup(r.end)
	r.run("pg_basebackup", "-h", s.dir, "-U", "postgres", "-D", r.data(), "-R", "-X", "stream", "--checkpoint=fast", "--no-sync")
	r.Start()
	return r
}

// Promote makes a standby a server of its own.
func (s *Server) Promote() {
	s.t.Helper()
	s.run("pg_ctl", "-D", s.data(), "-w", "promote")
}

// findServer returns the directory of initdb and pg_ctl; empty without one.
func findServer() string {
	dirs := []string{os.Getenv("CALLGATE_TEST_POSTGRES")}
	if path, err := exec.LookPath("initdb"); err == nil {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target // the other programs are beside it
		}
		dirs = append(dirs, filepath.Dir(path))
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // a fixed pattern
	for _, dir := range append(dirs, found...) {
		if _, err := os.Stat(filepath.Join(dir, "pg_ctl")); err == nil && dir != "" {
			return dir
		}
	}
	return ""
}

func (s *Server) data() string { return filepath.Join(s.dir, "data") }

func (s *Server) run(program string, args ...string) {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(s.bin, program), args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, asServer()
	// A file, not a pipe: the server keeps it open.
	out, err := os.Create(filepath.Join(s.dir, "out"))
	if err == nil {
		cmd.Stdout, cmd.Stderr = out, out
		err = errors.Join(cmd.Run(), out.Close())
	}
	if err != nil {
		said, _ := os.ReadFile(filepath.Join(s.dir, "out")) // a help only
		s.t.Fatalf("%s: %v\n%s", program, err, said)
	}
}

// Start starts a stopped server and waits until it answers. Unless it is durable it does not wait for
// the disk: what a crash of the server loses without that, only a crash of the machine loses.
func (s *Server) Start() {
	s.t.Helper()
	options := fmt.Sprintf("-c listen_addresses= -c unix_socket_directories=%s -c max_connections=400", s.dir)
	if !s.durable {
		options += " -c fsync=off"
	}
	s.run("pg_ctl", "-D", s.data(), "-w", "-l", filepath.Join(s.dir, "log"), "-o", options, "start")
}

// PID is the process of the running server; its children serve the connections.
func (s *Server) PID() int {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.data(), "postmaster.pid"))
	if err != nil {
		s.t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
}

// Stop stops the server: "fast" ends its connections, "immediate" is a crash. Stopping twice is
// harmless.
func (s *Server) Stop(mode string) {
	s.t.Helper()
	if _, err := os.Stat(filepath.Join(s.data(), "postmaster.pid")); err == nil {
		s.run("pg_ctl", "-D", s.data(), "-w", "-m", mode, "stop")
	}
}

// Socket is the path of the server's socket.
func (s *Server) Socket() string { return filepath.Join(s.dir, ".s.PGSQL.5432") }

// URL is the place of the server's own database.
func (s *Server) URL() string {
	q := url.Values{"host": {s.dir}}
	return "postgres://postgres@/postgres?" + q.Encode()
}

// Moved is the URL of a schema as it is on this server.
func (s *Server) Moved(schema string) string {
	u, err := url.Parse(schema)
	if err != nil {
		s.t.Fatal(err)
	}
	q := u.Query()
	q.Set("host", s.dir)
	u.RawQuery = q.Encode()
	return u.String()
}

// Schema makes an empty schema on the server at a URL and returns its own URL.
func Schema(t testing.TB, server string) string {
	t.Helper()
	name := "t" + strings.ToLower(rand.Text())
	Exec(t, server, "CREATE SCHEMA "+name)
	return server + "&search_path=" + name
}

// Exec runs statements on the database at a URL, behind the store's back.
func Exec(t testing.TB, place, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("pgx", place)
	if err == nil {
		_, err = db.ExecContext(context.Background(), query, args...)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}
