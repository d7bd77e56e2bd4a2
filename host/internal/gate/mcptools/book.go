package mcptools

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Store keeps the accepted definitions; store.Store is one.
type Store interface {
	Setting(ctx context.Context, name string) ([]byte, error)
	SaveSetting(ctx context.Context, name string, value []byte, row store.Row) error
}

// ErrUnknown means: no server has that id, or no definition of that digest waits.
var ErrUnknown = errors.New("no such MCP server or waiting definition")

// ErrRequest marks a malformed request.
var ErrRequest = errors.New("bad request")

// The tools of the questions to a person. Rules name them: an allow rule for NewServer accepts a
// server's tools at first sight, a deny rule for ChangedTools keeps every change out.
const (
	NewServer    = "McpServer"
	ChangedTools = "McpToolChange"
)

// The names in the store: the list of servers, and each server's tools.
const (
	indexSetting = "mcp_servers"
	toolsSetting = "mcp_server/"
)

// The bounds of the book.
const (
	maxServers = 500
	maxWaiting = 16
	patience   = 10 * time.Second
)

// Key is a server as people accept it. The same name with another definition is another server.
type Key struct{ Agent, Name, Definition string }

// id is short, and the same for the same key.
func (k Key) id() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d %s %s", len(k.Agent), k.Agent, len(k.Name), k.Name, k.Definition))
	return "m" + hex.EncodeToString(sum[:5])
}

// server is a server in the index.
type server struct {
	ID, Agent, Name, Definition, Program, By string
	At                                       time.Time
}

// kept are a server's accepted tools, by name.
type kept map[string]acceptedTool

type acceptedTool struct {
	Digest string
	Text   json.RawMessage
}

// waiting are definitions reported by a proxy and not accepted.
type waiting struct {
	key     Key
	program string
	tools   []definition
	at      time.Time
}

// Book are the accepted definitions. It is safe for concurrent use; only this process writes them.
type Book struct {
	store Store
	now   func() time.Time

	mu      sync.Mutex
	index   []server // nil until read
	tools   map[string]kept
	waiting map[string]waiting
}

// NewBook returns the book of a store.
func NewBook(s Store, now func() time.Time) *Book {
	return &Book{store: s, now: now, tools: map[string]kept{}, waiting: map[string]waiting{}}
}

// Comparison is how the definitions of a server stand.
type Comparison struct {
	States []wire.MCPToolState
	// Tool and Input are the question to a person about those not accepted; empty when all are.
	Tool  string
	Input json.RawMessage
	// Texts are those of the question: see Texts.
	Texts []string

	key     Key
	program string
	open    []definition
}

// Compare tells how definitions stand, and keeps those not accepted for a person to see.
// ErrRequest marks definitions that cannot be read.
func (b *Book) Compare(ctx context.Context, k Key, program string, tools []json.RawMessage) (Comparison, error) {
	c := Comparison{key: k, program: program, States: []wire.MCPToolState{}}
	if k.Name == "" || k.Definition == "" || len(program) > maxProgram {
		return c, fmt.Errorf("%w: context.server: want a name, a definition, and a program of at most %d bytes", ErrRequest, maxProgram)
	}
	all, err := read(tools)
	if err != nil {
		return c, fmt.Errorf("%w: %w", ErrRequest, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	accepted, err := b.held(ctx, k.id())
	if err != nil {
		return c, err
	}
	for _, d := range all {
		s := wire.MCPToolState{Name: d.name, Digest: d.digest, State: wire.MCPAccepted}
		old, ok := accepted[d.name]
		switch {
		case !ok:
			s.State = wire.MCPNew
		case old.Digest != d.digest:
			s.State, s.Accepted = wire.MCPChanged, old.Text
		}
		if s.State != wire.MCPAccepted {
			c.open = append(c.open, d)
		}
		c.States = append(c.States, s)
	}
	if len(c.open) == 0 {
		return c, nil
	}
	b.wait(c)
	others, err := b.others(ctx, k)
	if err != nil {
		return c, err
	}
	c.Tool, c.Input, err = question(c, accepted, others)
	c.Texts = Texts(c.Tool)
	return c, err
}

// Texts are the members of a question's input with words of the server; none for any other tool. The
// other members tell of the server itself: its name, and the program or host.
func Texts(tool string) []string {
	if tool != NewServer && tool != ChangedTools {
		return nil
	}
	return []string{"warnings", "changed_tools", "new_tools"}
}

// question is what a person is asked.
func question(c Comparison, accepted kept, others bool) (tool string, input json.RawMessage, err error) {
	type change struct {
		Changed []string        `json:"changed"`
		Was     json.RawMessage `json:"was"`
		Now     json.RawMessage `json:"now"`
	}
	q := struct {
		Server     string                     `json:"server"`
		Program    string                     `json:"program,omitempty"`
		Definition string                     `json:"definition"`
		Namesake   string                     `json:"another_server,omitempty"`
		Warnings   []string                   `json:"warnings,omitempty"`
		Changed    map[string]change          `json:"changed_tools,omitempty"`
		New        map[string]json.RawMessage `json:"new_tools,omitempty"`
	}{Server: c.key.Name, Program: c.program, Definition: c.key.Definition, Changed: map[string]change{}, New: map[string]json.RawMessage{}}
	if others {
		q.Namesake = "another server was accepted under this name: this one is started in another way, or stands elsewhere"
	}
	for _, d := range c.open {
		if old, ok := accepted[d.name]; ok {
			q.Changed[d.name] = change{differing(old.Text, d.text), old.Text, d.text}
		} else {
			q.New[d.name] = d.text
		}
		for _, w := range warnings(d.text) {
			q.Warnings = append(q.Warnings, d.name+": "+w)
		}
	}
	tool = ChangedTools
	if len(accepted) == 0 {
		tool = NewServer
	}
	input, err = json.Marshal(q)
	return tool, input, err
}

// wait keeps definitions for a person to see. The caller holds the lock.
func (b *Book) wait(c Comparison) {
	id := c.key.id()
	w := b.waiting[id]
	open := slices.Clone(c.open)
	for _, d := range w.tools {
		if !slices.ContainsFunc(open, func(o definition) bool { return o.name == d.name }) && len(open) < maxTools {
			open = append(open, d)
		}
	}
	b.waiting[id] = waiting{c.key, c.program, open, b.now()}
	for len(b.waiting) > maxWaiting {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(b.waiting)), func(x, y string) int { return b.waiting[x].at.Compare(b.waiting[y].at) })
		delete(b.waiting, oldest)
	}
}

// Accept keeps the open definitions of a comparison as accepted by a person, and returns the new
// states.
func (b *Book) Accept(ctx context.Context, c Comparison, by, askID string) ([]wire.MCPToolState, error) {
	if err := b.accept(ctx, c.key, c.program, c.open, by, askID); err != nil {
		return nil, err
	}
	states := slices.Clone(c.States)
	for i := range states {
		states[i].State, states[i].Accepted = wire.MCPAccepted, nil
	}
	return states, nil
}

// AcceptWaiting accepts the waiting definitions of these digests.
func (b *Book) AcceptWaiting(ctx context.Context, id string, digests []string, by string) (wire.MCPServer, error) {
	b.mu.Lock()
	w, ok := b.waiting[id]
	b.mu.Unlock()
	var chosen []definition
	for _, digest := range digests {
		i := slices.IndexFunc(w.tools, func(d definition) bool { return d.digest == digest })
		if i < 0 {
			return wire.MCPServer{}, fmt.Errorf("%w: %.20q of the server %.20q", ErrUnknown, digest, id)
		}
		chosen = append(chosen, w.tools[i])
	}
	if !ok || len(chosen) == 0 {
		return wire.MCPServer{}, fmt.Errorf("%w: %.20q", ErrUnknown, id)
	}
	if err := b.accept(ctx, w.key, w.program, chosen, by, ""); err != nil {
		return wire.MCPServer{}, err
	}
	return b.one(ctx, id)
}

func (b *Book) accept(ctx context.Context, k Key, program string, tools []definition, by, askID string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	b.mu.Lock()
	defer b.mu.Unlock()
	id := k.id()
	old, err := b.held(ctx, id)
	if err != nil {
		return err
	}
	index, err := b.servers(ctx)
	if err != nil {
		return err
	}
	next := maps.Clone(old)
	if next == nil {
		next = kept{}
	}
	var names []string
	for _, d := range tools {
		next[d.name] = acceptedTool{d.digest, d.text}
		names = append(names, d.name+" "+d.digest[:12])
	}
	detail := fmt.Sprintf("MCP server %s (%s): %s", k.Name, cmp.Or(program, k.Definition), strings.Join(names, ", "))
	row := store.Row{Event: store.EventMCPAccepted, Agent: k.Agent, DecidedBy: by, AskID: askID, Detail: cut(detail)}
	list := slices.DeleteFunc(slices.Clone(index), func(s server) bool { return s.ID == id })
	if list = append(list, server{id, k.Agent, k.Name, k.Definition, program, by, b.now().UTC()}); len(list) > maxServers {
		return fmt.Errorf("%d MCP servers are accepted already: take some back with callgate mcp forget", maxServers)
	}
	if err := b.save(ctx, toolsSetting+id, next, row); err != nil {
		return err
	}
	b.tools[id] = next
	if err := b.save(ctx, indexSetting, list, row); err != nil {
		return err
	}
	b.index = list
	w := b.waiting[id]
	w.tools = slices.DeleteFunc(slices.Clone(w.tools), func(d definition) bool { return next[d.name].Digest == d.digest })
	if b.waiting[id] = w; len(w.tools) == 0 {
		delete(b.waiting, id)
	}
	return nil
}

// Forget takes back everything accepted of a server, and what waits.
func (b *Book) Forget(ctx context.Context, id, by string) (wire.MCPServer, error) {
	gone, err := b.one(ctx, id)
	if err != nil {
		return gone, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	row := store.Row{Event: store.EventMCPForgotten, Agent: gone.Agent, DecidedBy: by, Detail: "MCP server " + gone.Name + ": its tools are not accepted any more"}
	if err := b.save(ctx, toolsSetting+id, kept{}, row); err != nil {
		return gone, err
	}
	b.tools[id] = kept{}
	delete(b.waiting, id)
	index, err := b.servers(ctx)
	if err != nil {
		return gone, err
	}
	list := slices.DeleteFunc(slices.Clone(index), func(s server) bool { return s.ID == id })
	if err := b.save(ctx, indexSetting, list, row); err != nil {
		return gone, err
	}
	b.index = list
	return gone, nil
}

// save stores a value. The caller holds the lock.
func (b *Book) save(ctx context.Context, name string, v any, row store.Row) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	row.Time = b.now()
	return b.store.SaveSetting(ctx, name, text, row)
}

// Forgets drops the copies of the stored definitions when name is one of their settings, or empty.
// It reports whether it could: not during a change.
func (b *Book) Forgets(name string) bool {
	if name != "" && name != indexSetting && !strings.HasPrefix(name, toolsSetting) {
		return true
	}
	if !b.mu.TryLock() {
		return false
	}
	defer b.mu.Unlock()
	b.index = nil
	clear(b.tools)
	return true
}

// held are a server's accepted tools. The caller holds the lock.
func (b *Book) held(ctx context.Context, id string) (kept, error) {
	if k, ok := b.tools[id]; ok {
		return k, nil
	}
	var k kept
	if err := b.load(ctx, toolsSetting+id, &k); err != nil {
		return nil, err
	}
	if len(b.tools) > maxServers {
		clear(b.tools) // only a cache
	}
	b.tools[id] = k
	return k, nil
}

// servers is the index. The caller holds the lock.
func (b *Book) servers(ctx context.Context) ([]server, error) {
	if b.index != nil {
		return b.index, nil
	}
	list := []server{}
	if err := b.load(ctx, indexSetting, &list); err != nil {
		return nil, err
	}
	b.index = list
	return list, nil
}

// load reads a value; nothing for a missing one.
func (b *Book) load(ctx context.Context, name string, v any) error {
	if err := store.ReadSetting(ctx, b.store, name, v); err != nil {
		return fmt.Errorf("the accepted MCP tools cannot be read, so none counts: %w", err)
	}
	return nil
}

// others reports whether another server was accepted under the name. The caller holds the lock.
func (b *Book) others(ctx context.Context, k Key) (bool, error) {
	all, err := b.servers(ctx)
	return slices.ContainsFunc(all, func(s server) bool {
		return s.Agent == k.Agent && s.Name == k.Name && s.Definition != k.Definition
	}), err
}

// one is a server by its id.
func (b *Book) one(ctx context.Context, id string) (wire.MCPServer, error) {
	all, err := b.List(ctx)
	if err != nil {
		return wire.MCPServer{}, err
	}
	for _, s := range all {
		if s.ID == id {
			return s, nil
		}
	}
	return wire.MCPServer{}, fmt.Errorf("%w: %.20q", ErrUnknown, id)
}

// List returns the servers with accepted or waiting definitions, in the order of agents and names.
func (b *Book) List(ctx context.Context) ([]wire.MCPServer, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	index, err := b.servers(ctx)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(index)
	for id, w := range b.waiting {
		if !slices.ContainsFunc(all, func(s server) bool { return s.ID == id }) {
			all = append(all, server{ID: id, Agent: w.key.Agent, Name: w.key.Name, Definition: w.key.Definition, Program: w.program})
		}
	}
	slices.SortFunc(all, func(x, y server) int {
		return cmp.Or(strings.Compare(x.Agent, y.Agent), strings.Compare(x.Name, y.Name), strings.Compare(x.ID, y.ID))
	})
	out := []wire.MCPServer{}
	for _, s := range all {
		accepted, err := b.held(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		out = append(out, b.shown(s, accepted))
	}
	return out, nil
}

// shown is a server for people. The caller holds the lock.
func (b *Book) shown(s server, accepted kept) wire.MCPServer {
	tools := map[string]wire.MCPToolInfo{}
	for name, a := range accepted {
		tools[name] = wire.MCPToolInfo{Name: name, Accepted: a.Digest, Definition: a.Text}
	}
	for _, d := range b.waiting[s.ID].tools {
		t := tools[d.name]
		t.Name, t.Waiting, t.Definition = d.name, d.digest, d.text
		tools[d.name] = t
	}
	out := wire.MCPServer{ID: s.ID, Agent: s.Agent, Name: s.Name, Definition: s.Definition, Program: s.Program, By: s.By, At: s.At, Tools: []wire.MCPToolInfo{}}
	for _, name := range slices.Sorted(maps.Keys(tools)) {
		t := tools[name]
		t.Warnings = warnings(t.Definition)
		out.Tools = append(out.Tools, t)
	}
	return out
}

// cut bounds a text for the audit.
func cut(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + " ..."
}
