package socket

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// pair is both ends of one connection.
func pair(t *testing.T, network, address string) (server, client net.Conn) {
	t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if client, err = net.Dial(network, l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	if server, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server, client
}

func TestConnPeer(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "cg")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	self := Peer{UID: os.Geteuid(), PID: os.Getpid(), Known: true}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		self = Peer{}
	}
	for network, tc := range map[string]struct {
		address string
		want    Peer
	}{
		"unix": {filepath.Join(dir, "s"), self},
		"tcp":  {"127.0.0.1:0", Peer{}},
	} {
		server, client := pair(t, network, tc.address)
		for end, conn := range map[string]net.Conn{"server": server, "client": client} {
			if got := PeerOf(conn); got != tc.want {
				t.Errorf("%s, %s: got %+v, want %+v", network, end, got, tc.want)
			}
		}
	}
}
