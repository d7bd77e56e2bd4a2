package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// lister reads one page of the server's tools: the result of a tools/list. cursor is nil for the
// first page, meta the _meta of a modern request.
type lister func(ctx context.Context, cursor, meta jsontext.Value) (jsontext.Value, error)

// The bounds of a server's tools.
const (
	maxTools = 4096
	maxPages = 256
)

// stateLife is how long the daemon's word about an accepted definition is believed: a person may
// take it back.
const stateLife = 10 * time.Second

// refusedLife is how long a refused question about definitions is not put again.
const refusedLife = time.Minute

// definition is a tool as the server defines it.
type definition struct {
	name   string
	raw    jsontext.Value
	digest string
	hints  jsontext.Value
}

// readDefinition reads a tool's definition.
func readDefinition(raw jsontext.Value) (d definition, err error) {
	all, err := members(raw, "name", "title", "description", "inputSchema", "outputSchema", "annotations")
	if err != nil {
		return d, err
	}
	if d.name, err = text(find(all, "name").value); err != nil || d.name == "" {
		return d, fmt.Errorf("name: want a string")
	}
	canonical, err := strictjson.Object(raw)
	if err != nil {
		return d, err
	}
	sum := sha256.Sum256(canonical)
	d.raw, d.digest = raw.Clone(), hex.EncodeToString(sum[:])
	if d.hints = find(all, "annotations").value; d.hints.Kind() != '{' {
		d.hints = nil
	}
	return d, nil
}

// catalog are the definitions of a server, and how they stand. It is safe for concurrent use.
type catalog struct {
	j *judge
	// changed is called when a person has accepted definitions that the client has not seen.
	changed func()
	// life is how long definitions are believed without a word of the server that they changed; 0
	// is for ever.
	life time.Duration

	fetching sync.Mutex

	mu     sync.Mutex
	seen   map[string]definition
	states map[string]wire.MCPToolState
	at     map[string]time.Time
	stale  bool
	read   time.Time
	asks   map[string]*acceptance
}

// acceptance is one question to a person about definitions.
type acceptance struct {
	done   chan struct{}
	err    error
	reason string
	ended  time.Time
	// quiet means a list under way shows the answer itself.
	quiet bool
}

// toolsError is a tool that no call may use; its text is the model's.
type toolsError struct{ text string }

func (e *toolsError) Error() string { return e.text }

// outdated makes the next call read the definitions anew.
func (c *catalog) outdated() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = true
}

// hints are a tool's annotations, nil for none.
func (c *catalog) hints(tool string) jsontext.Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seen[tool].hints
}

// accepted returns the annotations of a called tool after a person has accepted its definition. It
// waits for that person.
func (c *catalog) accepted(ctx context.Context, call toolCall, l lister) (hints jsontext.Value, err error) {
	c.mu.Lock()
	d, ok := c.seen[call.name]
	stale := c.stale || c.life > 0 && time.Since(c.read) > c.life
	c.mu.Unlock()
	if !ok || stale {
		if err := c.fetch(ctx, l, call.meta); err != nil {
			return nil, &toolsError{fmt.Sprintf("the MCP server %s does not list its tools (%s), so its calls cannot be compared with them. Do not retry.", c.j.c.Server, strings.TrimRight(err.Error(), "."))}
		}
		c.mu.Lock()
		d, ok = c.seen[call.name]
		c.mu.Unlock()
		if !ok {
			return nil, &toolsError{fmt.Sprintf("the MCP server %s lists no tool %.100q. Do not retry; use a listed tool.", c.j.c.Server, call.name)}
		}
	}
	if c.known(d) {
		return d.hints, nil
	}
	for range 2 {
		open, err := c.compare(ctx, []definition{d})
		if err != nil {
			return nil, err
		}
		if len(open) == 0 {
			return d.hints, nil
		}
		a, _ := c.ask(open, false)
		select {
		case <-a.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		if a.err != nil {
			return nil, a.err
		}
		if a.reason != "" && !c.known(d) {
			return nil, &toolsError{fmt.Sprintf("the definition of the tool %.100q was not accepted: %s. Ask the user to look at it with callgate mcp tools. Do not retry before that.", call.name, strings.TrimRight(a.reason, "."))}
		}
	}
	return nil, &toolsError{fmt.Sprintf("the definition of the tool %.100q was not accepted. Ask the user to look at it with callgate mcp tools.", call.name)}
}

// known reports whether this definition was accepted a short time ago.
func (c *catalog) known(d definition) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.states[d.name]
	return s.State == wire.MCPAccepted && s.Digest == d.digest && time.Since(c.at[d.name]) < stateLife
}

// fetch reads all pages of the server's tools.
func (c *catalog) fetch(ctx context.Context, l lister, meta jsontext.Value) error {
	c.fetching.Lock()
	defer c.fetching.Unlock()
	c.mu.Lock()
	c.stale = false
	c.mu.Unlock()
	var all []definition
	var cursor jsontext.Value
	for range maxPages {
		result, err := l(ctx, cursor, meta)
		if err != nil {
			c.outdated()
			return err
		}
		page, err := readList(result)
		if err != nil {
			c.outdated()
			return err
		}
		all = append(all, page.tools...)
		if cursor = page.next; cursor == nil {
			c.observe(all)
			return nil
		}
		if len(all) > maxTools {
			break
		}
	}
	return fmt.Errorf("it has more than %d tools or %d pages", maxTools, maxPages)
}

// observe takes definitions as the present ones.
func (c *catalog) observe(all []definition) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read = time.Now()
	for _, d := range all {
		c.seen[d.name] = d
	}
	if len(c.seen) > 2*maxTools { // a server that renames its tools
		clear(c.seen)
	}
}

// list is a tools/list result.
type list struct {
	tools []definition
	// array is the member with the tools.
	array member
	// dropped says that elements other than tools, or second ones of a name, were left out.
	dropped bool
	next    jsontext.Value
}

func readList(result jsontext.Value) (out list, err error) {
	all, err := members(result, "tools", "nextCursor")
	if err != nil {
		return out, err
	}
	out.array, out.next = find(all, "tools"), find(all, "nextCursor").value
	if out.next.Kind() == 'n' {
		out.next = nil
	}
	var elements []jsontext.Value
	if out.array.value.Kind() != '[' {
		return out, fmt.Errorf("tools: want an array")
	}
	if elements, err = array(out.array.value); err != nil {
		return out, err
	}
	names := map[string]bool{}
	for _, e := range elements {
		d, err := readDefinition(e)
		if err != nil || names[d.name] || len(out.tools) >= maxTools {
			out.dropped = true
			continue
		}
		names[d.name] = true
		out.tools = append(out.tools, d)
	}
	return out, nil
}

// array are the elements of an array.
func array(v jsontext.Value) ([]jsontext.Value, error) {
	var out []jsontext.Value
	in := jsontext.NewDecoder(strings.NewReader(string(v)))
	if _, err := in.ReadToken(); err != nil {
		return nil, err
	}
	for in.PeekKind() != ']' {
		e, err := in.ReadValue()
		if err != nil {
			return nil, err
		}
		out = append(out, e.Clone())
	}
	return out, nil
}

// filter is a list of tools as the model may see it: without tools whose every call would be
// denied, and each with its accepted definition. An unaccepted one is put to a person, and the
// client hears of the answer. The error says why there is no list.
func (c *catalog) filter(ctx context.Context, m message) ([]byte, error) {
	l, err := readList(m.result.value)
	if err != nil {
		return nil, fmt.Errorf("the server's list of tools cannot be read: %w", err)
	}
	c.observe(l.tools)
	open, err := c.compare(ctx, l.tools)
	if err != nil {
		if !c.allKnown(l.tools) {
			return nil, fmt.Errorf("the tools cannot be compared with the accepted ones: %w", err)
		}
		return m.raw, nil // every definition was accepted; calls are judged in any case
	}
	if len(open) > 0 {
		if a, begun := c.ask(open, true); begun {
			timer := time.NewTimer(c.j.c.ListPatience)
			defer timer.Stop()
			select {
			case <-a.done:
			case <-timer.C:
				c.mu.Lock()
				a.quiet = false
				c.mu.Unlock()
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	offered, err := c.offered(ctx, l.tools)
	if err != nil {
		return nil, fmt.Errorf("the tools cannot be compared with the rules: %w", err)
	}
	return c.rewrite(m, l, offered), nil
}

// allKnown reports whether this process has seen the acceptance of each definition.
func (c *catalog) allKnown(tools []definition) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !slices.ContainsFunc(tools, func(d definition) bool {
		return c.states[d.name].State != wire.MCPAccepted || c.states[d.name].Digest != d.digest
	})
}

// offered are the tools of which some call may be allowed.
func (c *catalog) offered(ctx context.Context, tools []definition) (map[string]bool, error) {
	d, err := c.j.connect()
	if err != nil {
		return nil, err
	}
	r := wire.VisibleToolsRequest{Context: c.j.context()}
	for _, t := range tools {
		r.Tools = append(r.Tools, c.j.toolName(t.name))
	}
	out := map[string]bool{}
	if len(r.Tools) == 0 {
		return out, nil
	}
	r.Context.Server = nil // it is of no one tool
	visible, err := d.VisibleTools(ctx, r)
	if err != nil {
		c.j.lost(d)
		return nil, err
	}
	for _, t := range visible.Tools {
		out[t.Name] = t.Offered
	}
	return out, nil
}

// rewrite puts the visible tools into the list. A list without a change stays as it came.
func (c *catalog) rewrite(m message, l list, offered map[string]bool) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	same := !l.dropped
	var kept [][]byte
	for _, d := range l.tools {
		s := c.states[d.name]
		switch {
		case !offered[c.j.toolName(d.name)]:
			same = false
		case s.Digest == d.digest && s.State == wire.MCPAccepted:
			kept = append(kept, d.raw)
		case s.Digest == d.digest && s.State == wire.MCPChanged && len(s.Accepted) > 0:
			same, kept = false, append(kept, s.Accepted)
		default:
			same = false
		}
	}
	if same {
		return m.raw
	}
	from, to := m.result.start+l.array.start, m.result.start+l.array.end
	out := slices.Concat(m.raw[:from], []byte("["))
	for i, k := range kept {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, k...)
	}
	return slices.Concat(out, []byte("]"), m.raw[to:])
}

// compare asks the daemon how definitions stand, and returns those not accepted.
func (c *catalog) compare(ctx context.Context, tools []definition) (open []definition, err error) {
	states, err := c.send(ctx, tools, false)
	if err != nil {
		return nil, err
	}
	for i, s := range states.Tools {
		if s.State != wire.MCPAccepted {
			open = append(open, tools[i])
		}
	}
	return open, nil
}

// send sends definitions to the daemon and keeps its answer.
func (c *catalog) send(ctx context.Context, tools []definition, wait bool) (out wire.MCPTools, err error) {
	d, err := c.j.connect()
	if err != nil {
		return out, err
	}
	r := wire.MCPToolsRequest{Context: c.j.context(), Program: c.j.c.Program, Tools: []json.RawMessage{}}
	for _, t := range tools {
		r.Tools = append(r.Tools, json.RawMessage(t.raw))
	}
	if out, err = d.MCPTools(ctx, r, wait); err != nil {
		c.j.lost(d)
		return out, err
	}
	if len(out.Tools) != len(tools) {
		return out, fmt.Errorf("the daemon answered for %d tools of %d", len(out.Tools), len(tools))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, s := range out.Tools {
		if s.Name != tools[i].name || s.Digest != tools[i].digest {
			return out, fmt.Errorf("the daemon answered for the tool %.100q in place of %.100q", s.Name, tools[i].name)
		}
	}
	for _, s := range out.Tools {
		c.states[s.Name] = s
		c.at[s.Name] = time.Now()
	}
	return out, nil
}

// ask puts definitions to a person, in the background; begun is false when the same question
// stands, or was refused a short time ago.
func (c *catalog) ask(open []definition, quiet bool) (a *acceptance, begun bool) {
	var digests []string
	for _, d := range open {
		digests = append(digests, d.digest)
	}
	slices.Sort(digests)
	id := strings.Join(digests, " ")
	c.mu.Lock()
	defer c.mu.Unlock()
	for old, a := range c.asks {
		if !a.ended.IsZero() && time.Since(a.ended) > refusedLife {
			delete(c.asks, old)
		}
	}
	if a := c.asks[id]; a != nil {
		return a, false
	}
	a = &acceptance{done: make(chan struct{}), quiet: quiet}
	c.asks[id] = a
	go func() {
		defer close(a.done)
		out, err := c.send(c.j.life, open, true)
		c.mu.Lock()
		a.err, a.reason, a.ended = err, out.Reason, time.Now()
		ok := err == nil && !slices.ContainsFunc(out.Tools, func(s wire.MCPToolState) bool { return s.State != wire.MCPAccepted })
		if ok || err != nil {
			delete(c.asks, id)
		}
		tell := ok && !a.quiet
		c.mu.Unlock()
		if tell {
			c.changed()
		}
	}()
	return a, true
}
