package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// codeHeader is the error of a header that differs from the body, since the revision 2026-07-28.
const codeHeader = -32020

// serve answers a request to the server's path.
func (c *httpClient) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		x := &exchange{c: c, to: &stream{out: w}, long: r.Method == http.MethodGet}
		x.forward(r.Context(), r, nil)
		if r.Method == http.MethodDelete {
			c.d.gone(r)
		}
		return
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxMessage))
	switch {
	case kind != "application/json" || len(r.Header.Values("Content-Encoding")) > 0:
		http.Error(w, "Callgate: want a body of application/json, not encoded", http.StatusUnsupportedMediaType)
		return
	case err != nil:
		answer(w, http.StatusRequestEntityTooLarge, problem(nil, codeInvalid, "refused by Callgate: the body cannot be read: "+err.Error()))
		return
	}
	m, err := read(body)
	if err != nil {
		answer(w, http.StatusBadRequest, problem(looseID(body), codeInvalid, "refused by Callgate: the message cannot be read: "+err.Error()))
		return
	}
	if err := headers(r.Header, m); err != nil {
		answer(w, http.StatusBadRequest, problem(m.id, codeHeader, "refused by Callgate: "+err.Error()))
		return
	}
	x := &exchange{c: c, to: &stream{out: w}, m: m}
	switch {
	case m.isRequest() && m.method == methodCall:
		x.decide(r)
	case m.method == methodCall:
		answer(w, http.StatusBadRequest, problem(nil, codeInvalid, "refused by Callgate: a tools/call without an id"))
	case m.method == methodCancelled && c.cancelled(m):
		w.WriteHeader(http.StatusAccepted)
	default:
		x.forward(r.Context(), r, body)
	}
}

// headers compares the headers of the revision 2026-07-28 with the message: a server may believe
// either.
func headers(h http.Header, m message) error {
	name := ""
	if m.method == methodCall {
		all, err := members(m.params, "name")
		if err != nil {
			return fmt.Errorf("params: %w", err)
		}
		if name, err = text(find(all, "name").value); err != nil {
			return errors.New("params.name: want a string")
		}
	}
	for header, want := range map[string]string{"Mcp-Method": m.method, "Mcp-Name": name} {
		values := h.Values(header)
		if len(values) == 0 || header == "Mcp-Name" && m.method != methodCall {
			continue
		}
		got := values[0]
		if inner, ok := strings.CutPrefix(got, "=?base64?"); ok {
			if data, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(inner, "?=")); err == nil {
				got = string(data)
			}
		}
		if len(values) > 1 || got != want {
			return fmt.Errorf("the header %s differs from the message", header)
		}
	}
	return nil
}

// cancelled withdraws a call that is being decided. The server has not heard of it.
func (c *httpClient) cancelled(m message) bool {
	all, err := members(m.params, "requestId")
	if err != nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	cancel := c.deciding[key(find(all, "requestId").value)]
	if cancel == nil {
		return false
	}
	cancel()
	return true
}

// exchange is one request of a client and its answer.
type exchange struct {
	c    *httpClient
	to   *stream
	m    message // the zero message for a request other than POST
	call *toolCall
	// long means a stream of the server's own messages.
	long bool
}

// decide has a call decided, and forwards it or answers it. A call that waits is answered by a
// stream, so that the client sees life.
func (x *exchange) decide(r *http.Request) {
	call, err := readCall(x.m)
	if err != nil {
		x.deny(call, "Denied by Callgate: the call cannot be read: "+err.Error()+". Do not retry it in this form.")
		return
	}
	x.call = &call
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	id := key(call.id)
	x.c.mu.Lock()
	taken := x.c.deciding[id] != nil
	if !taken {
		x.c.deciding[id] = cancel
	}
	x.c.mu.Unlock()
	if taken {
		answer(x.to.out, http.StatusBadRequest, problem(call.id, codeInvalid, "refused by Callgate: another request with this id is under way"))
		return
	}
	streams := strings.Contains(strings.ToLower(strings.Join(r.Header.Values("Accept"), ",")), "text/event-stream")
	n := 0
	v := x.c.j.decide(ctx, call, x.c.lister(r.Header), func(words string) {
		switch n++; {
		case !streams:
		case call.progress != nil:
			x.to.send(event{data: call.progressNote(n, words)})
		default:
			x.to.send(event{lines: []string{": " + words}})
		}
	})
	x.c.mu.Lock()
	delete(x.c.deciding, id)
	x.c.mu.Unlock()
	if !v.allowed || ctx.Err() != nil {
		x.deny(call, v.why)
		return
	}
	x.forward(r.Context(), r, x.m.raw)
}

// deny answers a call that does not run.
func (x *exchange) deny(call toolCall, why string) {
	if out := call.denial(why); x.to.started() {
		x.to.send(event{data: out})
	} else {
		answer(x.to.out, http.StatusOK, out)
	}
}

// answer writes an answer of ours.
func answer(w http.ResponseWriter, status int, text []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that is gone needs none
}

// hop are the headers of one connection, and those the proxy answers for.
var hop = []string{
	"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Content-Length", "Accept-Encoding", "Origin", "Referer", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
}

// passed are the headers that go on.
func passed(h http.Header) http.Header {
	out := h.Clone()
	for _, names := range h.Values("Connection") {
		for name := range strings.SplitSeq(names, ",") {
			out.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hop {
		out.Del(name)
	}
	return out
}

// request sends a request to the server with the client's headers and this body.
func (d *door) request(ctx context.Context, method string, at *url.URL, header http.Header, body []byte) (*http.Response, error) {
	return send(ctx, d.out, method, at, header, body)
}

// send sends a request with those of the headers that go on.
func send(ctx context.Context, out *http.Client, method string, at *url.URL, header http.Header, body []byte) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header = passed(header)
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", "") // none, in place of ours
	}
	res, err := out.Do(r)
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without the address, which may hold a secret
	}
	return res, err
}

// metadata passes what a client reads before it signs in.
func (d *door) metadata(w http.ResponseWriter, r *http.Request) {
	at := *d.server
	at.Path, at.RawPath, at.RawQuery = r.URL.Path, "", ""
	x := &exchange{c: &httpClient{d: d}, to: &stream{out: w}}
	res, err := d.request(r.Context(), r.Method, &at, r.Header, nil)
	if err != nil {
		x.fail(http.StatusBadGateway, "the MCP server cannot be reached: "+err.Error())
		return
	}
	defer func() { _ = res.Body.Close() }() // it was only read
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		x.fail(http.StatusBadGateway, "the MCP server redirects")
		return
	}
	x.copy(res, io.LimitReader(res.Body, 1<<20))
}

// lister reads the server's tools with the headers of a client's request.
func (c *httpClient) lister(header http.Header) lister {
	return func(ctx context.Context, cursor, meta jsontext.Value) (jsontext.Value, error) {
		own := header.Clone()
		own.Del("Mcp-Name")
		own.Del("Last-Event-ID")
		if own.Get("Mcp-Method") != "" {
			own.Set("Mcp-Method", methodList)
		}
		id := quote("callgate-list")
		res, err := c.d.request(ctx, http.MethodPost, c.d.server, own, listRequest(id, cursor, meta))
		if err != nil {
			return nil, err
		}
		defer func() { _ = res.Body.Close() }() // it was only read
		if res.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("it answers tools/list with %s", res.Status)
		}
		for m, err := range messages(res) {
			switch {
			case err != nil:
				return nil, err
			case !m.isResponse() || key(m.id) != key(id):
			case m.failed:
				return nil, errors.New("it answers tools/list with an error")
			default:
				return m.result.value, nil
			}
		}
		return nil, errors.New("it does not answer tools/list")
	}
}
