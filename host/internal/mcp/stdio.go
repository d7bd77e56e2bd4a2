package mcp

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// errServerEnded is a server that ended before its client.
var errServerEnded = errors.New("the MCP server has ended")

// pipe is the proxy between one client and one server over lines.
type pipe struct {
	j                *judge
	toClient         *sink
	toServer         *sink
	fromClient       *lines
	fromServer       *lines
	mine             string // begins the ids of our own requests
	deciding, listed sync.WaitGroup

	mu     sync.Mutex
	open   map[string]*request
	modern bool
	count  int
}

// request is a client's request without an answer, or one of ours.
type request struct {
	m      message
	call   toolCall
	cancel context.CancelFunc // of a call being decided
	// sent means the server has it.
	sent bool
	// own takes the answer to a request of ours.
	own chan message
}

// relay passes messages until the client or the server ends, or ctx does. The error is nil when the
// client ended. hangUp closes the server's input.
func relay(ctx context.Context, c Config, client io.Reader, toClient io.Writer, server io.Reader, toServer io.Writer, hangUp func()) error {
	p := &pipe{
		toClient: &sink{out: toClient}, toServer: &sink{out: toServer}, fromClient: newLines(client), fromServer: newLines(server),
		mine: "callgate-" + strings.ToLower(rand.Text()), open: map[string]*request{},
	}
	p.j = newJudge(c, p.changed)
	defer p.j.withdraw()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	clientEnd, serverEnd := make(chan error, 1), make(chan error, 1)
	go func() { clientEnd <- p.readClient(ctx) }()
	go func() { serverEnd <- p.readServer(ctx) }()
	var err error
	select {
	case err = <-clientEnd:
	case <-ctx.Done():
	case err = <-serverEnd:
		// Lists under way are from the server's last words.
		p.listed.Wait()
		cancel()
		p.deciding.Wait()
		p.abandon()
		if err == nil {
			err = errServerEnded
		}
		return err
	}
	cancel()
	p.j.withdraw()
	p.deciding.Wait()
	hangUp()
	<-serverEnd // the end of the process ends it
	p.listed.Wait()
	return err
}

// readClient handles the client's messages in order, until there are no more.
func (p *pipe) readClient(ctx context.Context) error {
	for {
		raw, err := p.fromClient.next()
		switch {
		case errors.Is(err, errLong):
			err = p.toClient.send(problem(nil, codeInvalid, "refused by Callgate: "+err.Error()))
		case errors.Is(err, io.EOF):
			return nil
		case err == nil:
			err = p.client(ctx, raw)
		}
		if err != nil {
			return err
		}
	}
}

// client handles one message of the client.
func (p *pipe) client(ctx context.Context, raw []byte) error {
	m, err := read(raw)
	if err != nil {
		code := codeInvalid
		if m.raw.Kind() == 0 {
			code = codeParse
		}
		return p.toClient.send(problem(looseID(raw), code, "refused by Callgate: the message cannot be read: "+err.Error()))
	}
	switch {
	case m.isRequest():
		return p.request(ctx, m)
	case m.method == methodCall:
		p.j.c.Note("a tools/call without an id was dropped")
		return nil
	case m.method == methodCancelled && p.cancelled(m):
		return nil
	}
	return p.toServer.send(raw)
}

// request passes a request, or has it decided.
func (p *pipe) request(ctx context.Context, m message) error {
	r := &request{m: m}
	id := key(m.id)
	p.mu.Lock()
	_, taken := p.open[id]
	taken = taken || strings.HasPrefix(id, "s"+p.mine)
	if !taken {
		p.open[id] = r
	}
	p.mu.Unlock()
	if taken {
		return p.toClient.send(problem(m.id, codeInvalid, "refused by Callgate: another request with this id is under way"))
	}
	if m.method != methodCall {
		p.mu.Lock()
		r.sent = true
		p.mu.Unlock()
		return p.toServer.send(m.raw)
	}
	call, err := readCall(m)
	if err != nil {
		p.forget(id)
		return p.toClient.send(call.denial("Denied by Callgate: the call cannot be read: " + err.Error() + ". Do not retry it in this form."))
	}
	ctx, r.cancel = context.WithCancel(ctx)
	p.mu.Lock()
	r.call = call
	p.modern = p.modern || call.modern
	p.mu.Unlock()
	p.deciding.Go(func() {
		defer r.cancel()
		p.decide(ctx, id, r)
	})
	return nil
}

// decide has a call decided, and passes it or answers it.
func (p *pipe) decide(ctx context.Context, id string, r *request) {
	n := 0
	v := p.j.decide(ctx, r.call, p.list, func(words string) {
		if n++; r.call.progress != nil {
			_ = p.toClient.send(r.call.progressNote(n, words)) // a client that is gone ends us
		}
	})
	p.mu.Lock()
	standing := p.open[id] == r
	if standing && v.allowed && ctx.Err() == nil {
		r.sent = true
		p.mu.Unlock()
		_ = p.toServer.send(r.m.raw) // a server that is gone ends us
		return
	}
	if standing {
		delete(p.open, id)
	}
	p.mu.Unlock()
	if standing && ctx.Err() == nil {
		_ = p.toClient.send(r.call.denial(v.why))
	}
}

// cancelled withdraws a call that is being decided. The server has not heard of it.
func (p *pipe) cancelled(m message) bool {
	all, err := members(m.params, "requestId")
	if err != nil {
		return false
	}
	id := key(find(all, "requestId").value)
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.open[id]
	if r == nil || r.sent || r.cancel == nil {
		return false
	}
	delete(p.open, id)
	r.cancel()
	return true
}

func (p *pipe) forget(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, id)
}

// readServer handles the server's messages in order, until there are no more.
func (p *pipe) readServer(ctx context.Context) error {
	for {
		raw, err := p.fromServer.next()
		switch {
		case errors.Is(err, errLong):
			return fmt.Errorf("the MCP server: %w", err)
		case err != nil:
			return nil //nolint:nilerr // its end, and an end in half a line, are the same
		}
		if err := p.server(ctx, raw); err != nil {
			return err
		}
	}
}

// server handles one message of the server.
func (p *pipe) server(ctx context.Context, raw []byte) error {
	m, err := read(raw)
	if err != nil {
		id := looseID(raw)
		p.j.c.Note("a message of the MCP server was dropped: " + err.Error())
		if r := p.take(id); r != nil && r.own == nil {
			return p.toClient.send(problem(id, codeInternal, "Callgate dropped the server's answer: "+err.Error()))
		}
		return nil
	}
	if m.method == methodChanged {
		p.j.tools.outdated()
	}
	if !m.isResponse() || m.id.Kind() == 'n' {
		return p.toClient.send(raw)
	}
	r := p.take(m.id)
	switch {
	case r == nil:
		p.j.c.Note("an answer of the MCP server without a request was dropped")
		return nil
	case r.own != nil:
		r.own <- m
		return nil
	case r.m.method == methodList && !m.failed:
		p.listed.Go(func() {
			out, err := p.j.tools.filter(ctx, m)
			if err != nil {
				out = problem(m.id, codeInternal, "Callgate: "+err.Error())
			}
			_ = p.toClient.send(out) // a client that is gone ends us
		})
		return nil
	case r.m.method == methodCall && !m.failed:
		p.j.expectLeg(r.call, m.result.value)
	}
	return p.toClient.send(raw)
}

// take ends a request that the server has; nil when there is none with this id.
func (p *pipe) take(id jsontext.Value) *request {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.open[key(id)]
	if id == nil || r == nil || !r.sent {
		return nil
	}
	delete(p.open, key(id))
	return r
}

// abandon answers the requests that no server will answer.
func (p *pipe) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, r := range p.open {
		if r.own == nil && r.sent {
			_ = p.toClient.send(problem(r.m.id, codeInternal, errServerEnded.Error())) // a client that is gone needs none
		}
		delete(p.open, id)
	}
}

// list is a tools/list of ours.
func (p *pipe) list(ctx context.Context, cursor, meta jsontext.Value) (jsontext.Value, error) {
	p.mu.Lock()
	p.count++
	name := fmt.Sprintf("%s-%d", p.mine, p.count)
	r := &request{sent: true, own: make(chan message, 1)}
	p.open["s"+name] = r
	p.mu.Unlock()
	defer p.forget("s" + name)
	if err := p.toServer.send(listRequest(quote(name), cursor, meta)); err != nil {
		return nil, err
	}
	select {
	case m := <-r.own:
		if m.failed {
			return nil, errors.New("it answers tools/list with an error")
		}
		return m.result.value, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// listRequest is a tools/list.
func listRequest(id, cursor, meta jsontext.Value) []byte {
	params := ""
	if cursor != nil {
		params = `"cursor":` + string(cursor)
	}
	if meta != nil {
		if params != "" {
			params += ","
		}
		params += `"_meta":` + string(meta)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":%q,"params":{%s}}`, id, methodList, params)
}

// changed lets the client read the tools anew. A modern client reads them by itself.
func (p *pipe) changed() {
	p.mu.Lock()
	modern := p.modern
	p.mu.Unlock()
	if !modern {
		_ = p.toClient.send([]byte(`{"jsonrpc":"2.0","method":"` + methodChanged + `"}`)) // a client that is gone ends us
	}
}
