package mcp

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// bridge is a server of HTTP as one over lines: what is written to it, a message each time, goes out
// as a request, and the messages of the answers come back as lines. It translates no message.
// RATIONALE.md, "How does a client's server over HTTP come behind the proxy?".
type bridge struct {
	server *url.URL
	header http.Header
	out    *http.Client
	note   func(string)
	back   *sink
	ctx    context.Context //nolint:containedctx // it is the bridge's life
	cancel context.CancelFunc
	work   sync.WaitGroup

	mu      sync.Mutex
	session string // of the older revision
	version string // agreed on by initialize
	listens bool   // a stream of the server's own messages is open
	open    map[string]context.CancelFunc
}

// notifyPatience bounds a notification: the next message waits for it.
const notifyPatience = 30 * time.Second

// Bridge passes messages between a client over lines and a server of HTTP until the client ends, or
// ctx does. Each request carries header, which is not logged.
func Bridge(ctx context.Context, c Config, client io.Reader, toClient io.Writer, server Upstream, header http.Header) error {
	if err := CheckName(c.Server); err != nil {
		return err
	}
	lines, back := io.Pipe()
	b := &bridge{server: server.URL, header: header, out: upstreamClient(), note: c.Note, back: &sink{out: back}, open: map[string]context.CancelFunc{}}
	b.ctx, b.cancel = context.WithCancel(ctx)
	hangUp := sync.OnceFunc(func() {
		b.leave()
		b.cancel()
		go func() {
			ended := make(chan struct{})
			go func() { b.work.Wait(); close(ended) }()
			select {
			case <-ended:
			case <-time.After(endPatience):
			}
			_ = back.Close() // it never fails
		}()
	})
	defer hangUp()
	return relay(ctx, c, client, toClient, lines, b, hangUp)
}

// Write implements io.Writer for one message. Requests run beside each other; initialize, answers and
// notifications keep their order.
func (b *bridge) Write(line []byte) (int, error) {
	m, err := read(bytes.Clone(bytes.TrimSuffix(line, []byte("\n"))))
	if err != nil {
		return 0, err // the relay has read it
	}
	switch {
	case m.method == methodCancelled && b.cancelled(m):
	case !m.isRequest():
		ctx, cancel := context.WithTimeout(b.ctx, notifyPatience)
		defer cancel()
		b.exchange(ctx, m)
		if m.method == "notifications/initialized" {
			b.listen()
		}
	case m.method == "initialize":
		b.exchange(b.ctx, m)
	default:
		ctx, cancel := context.WithCancel(b.ctx)
		b.mu.Lock()
		b.open[key(m.id)] = cancel
		b.mu.Unlock()
		b.work.Go(func() {
			defer cancel()
			b.exchange(ctx, m)
			b.mu.Lock()
			delete(b.open, key(m.id))
			b.mu.Unlock()
		})
	}
	return len(line), nil
}

// cancelled ends a request of the revision 2026-07-28: there the end of the connection cancels it.
func (b *bridge) cancelled(m message) bool {
	all, err := members(m.params, "requestId")
	b.mu.Lock()
	defer b.mu.Unlock()
	cancel := b.open[key(find(all, "requestId").value)]
	if err != nil || cancel == nil || b.version != "" {
		return false
	}
	cancel()
	return true
}

// exchange sends a message, and passes the answer.
func (b *bridge) exchange(ctx context.Context, m message) {
	res, err := send(ctx, b.out, http.MethodPost, b.server, b.headers(m), m.raw)
	if err != nil {
		b.fail(ctx, m, "the MCP server cannot be reached: "+err.Error())
		return
	}
	defer func() { _ = res.Body.Close() }() // it was only read
	answered, unread := false, error(nil)
	if kind := kindOf(res); res.StatusCode == http.StatusOK || kind == kindJSON {
		b.agreed(m, res)
		for found, err := range messages(res) {
			if unread = err; len(found.raw) == 0 {
				break
			}
			answered = answered || m.isRequest() && found.isResponse() && key(found.id) == key(m.id)
			if m.method == "initialize" && found.isResponse() {
				b.learn(found)
			}
			b.pass(found.raw)
		}
	}
	if m.isRequest() && !answered {
		b.fail(ctx, m, b.why(res, unread))
	}
}

// why says why a request has no answer; unread is the error of reading one.
func (b *bridge) why(res *http.Response, unread error) string {
	switch {
	case res.StatusCode == http.StatusOK && unread != nil:
		return "the MCP server's answer cannot be read: " + unread.Error()
	case res.StatusCode == http.StatusOK:
		return "the MCP server ended without an answer"
	case res.StatusCode >= 300 && res.StatusCode < 400:
		return fmt.Sprintf("the MCP server redirects (%d): use its new address", res.StatusCode)
	case res.StatusCode == http.StatusUnauthorized || res.StatusCode == http.StatusForbidden:
		return fmt.Sprintf("the MCP server refuses (%s): it wants another token in its headers, or to be signed in to, which the client does only without Callgate's bridge", res.Status)
	case res.StatusCode == http.StatusNotFound && b.sessionID() != "":
		return "the MCP server has ended the session: restart the client"
	}
	return "the MCP server answers with " + res.Status
}

// pass gives the client a message, on one line.
func (b *bridge) pass(raw jsontext.Value) {
	if bytes.ContainsAny(raw, "\r\n") {
		raw = raw.Clone()
		if err := raw.Compact(); err != nil {
			b.note("a message of the MCP server was dropped: " + err.Error())
			return
		}
	}
	_ = b.back.send(raw) // a client that is gone ends us
}

// fail answers a request that the server has not answered.
func (b *bridge) fail(ctx context.Context, m message, words string) {
	switch {
	case ctx.Err() != nil && b.ctx.Err() == nil && m.isRequest(): // cancelled: no answer is wanted
	case m.isRequest():
		_ = b.back.send(problem(m.id, codeInternal, "Callgate: "+words)) // a client that is gone needs none
	case b.ctx.Err() == nil:
		b.note("a message to the MCP server was lost: " + words)
	}
}

// headers are those of a message's request.
func (b *bridge) headers(m message) http.Header {
	h := b.header.Clone()
	h.Set("Content-Type", kindJSON)
	h.Set("Accept", kindJSON+", "+kindStream)
	b.mu.Lock()
	session, version := b.session, b.version
	b.mu.Unlock()
	if session != "" {
		h.Set(sessionHeader, session)
	}
	if modern := modernVersion(m); modern != "" {
		version = modern
		h.Set("Mcp-Method", m.method)
		if name := nameOf(m); name != "" {
			h.Set("Mcp-Name", name)
		}
	}
	if version != "" && m.method != "initialize" {
		h.Set(versionHeader, version)
	}
	return h
}

// versionHeader names the revision of a request.
const versionHeader = "Mcp-Protocol-Version"

// modernVersion is the revision that a message names itself, as those since 2026-07-28 do.
func modernVersion(m message) string {
	all, err := members(m.params)
	if err != nil {
		return ""
	}
	meta, err := members(find(all, "_meta").value)
	if err != nil {
		return ""
	}
	version, err := text(find(meta, modernPrefix+"protocolVersion").value)
	if err != nil {
		return ""
	}
	return version
}

// nameOf is the subject of a request, as the header Mcp-Name has it.
func nameOf(m message) string {
	all, err := members(m.params)
	if err != nil {
		return ""
	}
	member := map[string]string{methodCall: "name", "prompts/get": "name", "resources/read": "uri"}[m.method]
	name, err := text(find(all, member).value)
	if err != nil {
		return ""
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f }) || strings.HasPrefix(name, "=?base64?") {
		return "=?base64?" + base64.StdEncoding.EncodeToString([]byte(name)) + "?="
	}
	return name
}

// agreed notes the session that the server begins.
func (b *bridge) agreed(m message, res *http.Response) {
	if id := res.Header.Get(sessionHeader); m.method == "initialize" && id != "" {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.session = id
	}
}

// learn notes the revision that the server agrees to.
func (b *bridge) learn(m message) {
	all, err := members(m.result.value)
	if err != nil {
		return
	}
	if version, err := text(find(all, "protocolVersion").value); err == nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.version = version
	}
}

func (b *bridge) sessionID() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.session
}

// listenPause is the pause before a stream of the server's own messages is opened again.
const listenPause = 3 * time.Second

// listen reads the server's own messages, of the older revision, where it has such a stream.
func (b *bridge) listen() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listens || b.version == "" {
		return
	}
	b.listens = true
	b.work.Go(func() {
		last := ""
		for b.ctx.Err() == nil && b.stream(&last) {
			select {
			case <-time.After(listenPause):
			case <-b.ctx.Done():
			}
		}
	})
}

// stream reads one stream to its end, and reports whether to open it again.
func (b *bridge) stream(last *string) bool {
	h := b.headers(message{})
	h.Del("Content-Type")
	h.Set("Accept", kindStream)
	if *last != "" {
		h.Set("Last-Event-Id", *last)
	}
	res, err := send(b.ctx, b.out, http.MethodGet, b.server, h, nil)
	if err != nil {
		return true
	}
	defer func() { _ = res.Body.Close() }() // it was only read
	if res.StatusCode != http.StatusOK || kindOf(res) != kindStream {
		return false
	}
	for in := newEvents(res.Body); ; {
		ev, err := in.next()
		if err != nil {
			return true
		}
		for _, l := range ev.lines {
			if id, ok := strings.CutPrefix(l, "id: "); ok {
				*last = id
			}
		}
		if len(ev.data) > 0 {
			b.pass(ev.data)
		}
	}
}

// leave ends the server's session.
func (b *bridge) leave() {
	session := b.sessionID()
	if session == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(b.ctx), endPatience)
	defer cancel()
	h := b.headers(message{})
	h.Del("Content-Type")
	if res, err := send(ctx, b.out, http.MethodDelete, b.server, h, nil); err == nil {
		_ = res.Body.Close() // nothing of it is read
	}
}
