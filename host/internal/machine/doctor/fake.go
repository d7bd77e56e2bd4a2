package doctor

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/callgate/callgate/host/internal/hook/runner"
	"github.com/callgate/callgate/host/internal/hook/settings"
)

// withFake connects the hook to something other than the daemon.
func (d *examination) withFake(h settings.Hook, serve func(net.Conn), try func(settings.Hook) runner.Outcome) runner.Outcome {
	endpoint, stop, err := fake(serve)
	if err != nil {
		return runner.Outcome{NotStarted: true, Stderr: []byte(err.Error())}
	}
	defer stop()
	if !h.Exec { // its command line is a shell's; such an entry is reported anyhow
		h.Args, h.Exec, h.Command = []string{"hook", "claude-code"}, true, d.Binary
	}
	h.Args = setFlag(h.Args, "endpoint", endpoint)
	return try(h)
}

// fake listens at an endpoint of its own.
func fake(serve func(net.Conn)) (endpoint string, stop func(), err error) {
	dir, err := os.MkdirTemp("", "callgate-doctor-")
	if err != nil {
		return "", nil, err
	}
	network, address := "unix", filepath.Join(dir, "s")
	if runtime.GOOS == "windows" {
		network, address = "tcp", "127.0.0.1:0"
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	var open sync.WaitGroup
	done := make(chan struct{})
	open.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				serve(conn)
				<-done
				_ = conn.Close() // the other end is gone
			})
		}
	})
	return Endpoint(network, l.Addr().String()), func() {
		close(done)
		_ = l.Close() // nothing was stored
		open.Wait()
		_ = os.RemoveAll(dir) // the system empties its temporary directory
	}, nil
}

// silent never answers.
func silent(net.Conn) {}

// babbling sends unasked answers, like a program other than the daemon.
func babbling(conn net.Conn) {
	_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 18\r\n\r\n{\"decision\":allow}")) // the hook may be gone
}
