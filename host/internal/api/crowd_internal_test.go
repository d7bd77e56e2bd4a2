package api

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/machine/ratelog"
	"github.com/callgate/callgate/host/internal/machine/socket"
)

// TestT12_AgentsConnections: an agent's account has a bounded number of connections, and gets a
// place back with each one closed.
func TestT12_AgentsConnections(t *testing.T) {
	t.Parallel()
	if !socket.KnowsPeers {
		t.Skip("this system does not tell who connects")
	}
	dir, err := os.MkdirTemp("", "cg") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // the temporary directory is swept anyhow
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Fatal(err)
	}
	a := admitting{Listener: l, boundary: Boundary{Agents: []int{os.Geteuid()}}, refused: &ratelog.Tally{}, crowd: newPlaces(4), log: slog.New(slog.DiscardHandler)}
	admitted := make(chan net.Conn, 4)
	go func() {
		defer close(admitted)
		for {
			conn, err := a.Accept()
			if err != nil {
				return
			}
			admitted <- conn
		}
	}()
	dial := func() net.Conn {
		conn, err := net.Dial("unix", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() }) // nothing was sent
		return conn
	}
	dial()
	dial()
	first, second := <-admitted, <-admitted
	if p := socket.PeerOf(first); !p.Known || p.UID != os.Geteuid() {
		t.Errorf("peer of a counted connection: got %+v", p)
	}
	if _, err := dial().Read(make([]byte, 1)); err == nil {
		t.Error("a third connection: got an answer, want it cut off")
	}
	for range 2 { // closing twice gives one place back
		_ = first.Close()
	}
	dial()
	if conn := <-admitted; conn == nil {
		t.Error("after one was closed: got none, want a place")
	}
	if n := a.crowd.used(); n != 2 {
		t.Errorf("places taken: got %d, want 2", n)
	}
	_ = second.Close()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	for conn := range admitted {
		t.Errorf("one more was admitted: %v", conn.RemoteAddr())
	}
}
