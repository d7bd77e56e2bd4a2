package console

import (
	"context"
	"net"
	"sync"
)

// Pipe is a listener inside the process: the console's way to the API. Its connections have no
// account and no terminal, so the PIN is proven by a ticket there.
type Pipe struct {
	conns chan net.Conn
	done  chan struct{}
	close func()
}

// NewPipe returns an open pipe.
func NewPipe() *Pipe {
	p := &Pipe{conns: make(chan net.Conn), done: make(chan struct{})}
	p.close = sync.OnceFunc(func() { close(p.done) })
	return p
}

// Dial connects with the server on the pipe.
func (p *Pipe) Dial(ctx context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.conns <- there:
		return here, nil
	case <-p.done:
	case <-ctx.Done():
	}
	_ = here.Close() // nothing was said
	return nil, net.ErrClosed
}

// Accept implements net.Listener.
func (p *Pipe) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *Pipe) Close() error {
	p.close()
	return nil
}

// Addr implements net.Listener.
func (p *Pipe) Addr() net.Addr { return pipeAddr{} }

// pipeAddr is the address of both ends, as of net.Pipe.
type pipeAddr struct{}

func (pipeAddr) Network() string { return "pipe" }
func (pipeAddr) String() string  { return "pipe" }
