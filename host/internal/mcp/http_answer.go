package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"slices"
)

// The types of the server's answers.
const (
	kindJSON   = "application/json"
	kindStream = "text/event-stream"
)

func kindOf(res *http.Response) string {
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return kind
}

// messages reads the messages of an answer.
func messages(res *http.Response) iter.Seq2[message, error] {
	return func(yield func(message, error) bool) {
		if kindOf(res) != kindStream {
			body, err := whole(res.Body)
			var m message
			if err == nil {
				m, err = read(body)
			}
			yield(m, err)
			return
		}
		for in := newEvents(res.Body); ; {
			ev, err := in.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err == nil && len(ev.data) == 0 {
				continue
			}
			var m message
			if err == nil {
				m, err = read(ev.data)
			}
			if !yield(m, err) || err != nil {
				return
			}
		}
	}
}

// whole reads a body of bounded length.
func whole(in io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(in, maxMessage+1))
	if err == nil && len(body) > maxMessage {
		err = errLong
	}
	return body, err
}

// forward sends the request with this body, and passes the answer.
func (x *exchange) forward(ctx context.Context, r *http.Request, body []byte) {
	res, err := x.c.d.request(ctx, r.Method, x.c.d.server, r.Header, body)
	if err != nil {
		x.fail(http.StatusBadGateway, "the MCP server cannot be reached: "+err.Error())
		return
	}
	defer func() { _ = res.Body.Close() }() // it was only read
	switch kind := kindOf(res); {
	case res.StatusCode >= 300 && res.StatusCode < 400:
		x.fail(http.StatusBadGateway, fmt.Sprintf("the MCP server redirects (%d): use its address in --upstream", res.StatusCode))
	case len(res.Header.Values("Content-Encoding")) > 0:
		x.fail(http.StatusBadGateway, "the MCP server's answer is compressed, so it cannot be read")
	case kind == kindStream && res.StatusCode == http.StatusOK:
		x.events(ctx, res)
	default:
		x.document(ctx, res, kind)
	}
}

// fail answers a request that the server has not answered.
func (x *exchange) fail(status int, words string) {
	out := problem(x.m.id, codeInternal, "Callgate: "+words)
	if x.to.started() {
		x.to.send(event{data: out})
		return
	}
	answer(x.to.out, status, out)
}

// document passes an answer of one message, or none.
func (x *exchange) document(ctx context.Context, res *http.Response, kind string) {
	body, err := whole(res.Body)
	good := res.StatusCode < 300
	switch {
	case err != nil:
		x.fail(http.StatusBadGateway, "the MCP server's answer cannot be read: "+err.Error())
		return
	case good && len(body) > 0 && kind != kindJSON:
		x.fail(http.StatusBadGateway, fmt.Sprintf("the MCP server answers with the type %.60q: want %s or %s", kind, kindJSON, kindStream))
		return
	}
	out := body
	if len(body) > 0 && (good || kind == kindJSON) {
		out = x.inspect(ctx, body)
		if _, err := read(body); err != nil && !good {
			out = body // an error that is no message, as of signing in
		}
	}
	if !x.to.started() {
		x.copy(res, bytes.NewReader(out))
		return
	}
	if _, err := read(out); err != nil {
		out = problem(x.m.id, codeInternal, "the MCP server answers with "+res.Status)
	}
	x.to.send(event{data: out})
}

// copy passes an answer's head, and this body.
func (x *exchange) copy(res *http.Response, body io.Reader) {
	x.head(res)
	x.to.out.WriteHeader(res.StatusCode)
	_, _ = io.Copy(x.to.out, body) // a client that is gone needs none
}

// head passes the headers of an answer.
func (x *exchange) head(res *http.Response) {
	for name, values := range passed(res.Header) {
		x.to.out.Header()[name] = slices.Clone(values)
	}
}

// events passes a stream, each event as it comes.
func (x *exchange) events(ctx context.Context, res *http.Response) {
	if !x.to.started() {
		x.head(res)
		x.to.mu.Lock()
		x.to.begin(http.StatusOK)
		x.to.err = http.NewResponseController(x.to.out).Flush()
		x.to.mu.Unlock()
	}
	if x.long {
		x.c.mu.Lock()
		x.c.streams[x.to] = true
		x.c.mu.Unlock()
		defer func() {
			x.c.mu.Lock()
			delete(x.c.streams, x.to)
			x.c.mu.Unlock()
		}()
	}
	for in := newEvents(res.Body); ; {
		ev, err := in.next()
		if err != nil {
			if errors.Is(err, errLong) {
				x.c.j.c.Note("a stream of the MCP server was ended: " + err.Error())
			}
			return
		}
		if len(ev.data) > 0 {
			if ev.data = x.inspect(ctx, ev.data); ev.data == nil {
				continue
			}
		}
		x.to.send(ev)
	}
}

// inspect is a message of the server as the client may see it; nil for none.
func (x *exchange) inspect(ctx context.Context, raw []byte) []byte {
	m, err := read(raw)
	if err != nil {
		x.c.j.c.Note("a message of the MCP server was dropped: " + err.Error())
		if id := looseID(raw); id != nil {
			return problem(id, codeInternal, "Callgate dropped the server's answer: "+err.Error())
		}
		return nil
	}
	if m.method == methodChanged {
		x.c.j.tools.outdated()
	}
	if !m.isResponse() || m.failed {
		return raw
	}
	mine := x.m.id != nil && key(m.id) == key(x.m.id)
	switch {
	case mine && x.call != nil:
		x.c.j.expectLeg(*x.call, m.result.value)
	case mine && x.m.method == methodList, !mine && lists(m):
		// Another answer may be an earlier one that the client reads again.
		if raw, err = x.c.j.tools.filter(ctx, m); err != nil {
			return problem(m.id, codeInternal, "Callgate: "+err.Error())
		}
	}
	return raw
}

// lists reports whether an answer holds tools, or may to some reader.
func lists(m message) bool {
	all, err := members(m.result.value, "tools")
	return err != nil && m.result.value.Kind() == '{' || find(all, "tools").value != nil
}
