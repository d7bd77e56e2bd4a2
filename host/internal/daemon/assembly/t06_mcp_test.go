package assembly_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/mcptools"
	"github.com/callgate/callgate/host/wire"
)

// searchTool is search_files of the official MCP server for files, with its description.
const searchTool = `{"name":"search_files","description":"Recursively search for files and directories matching a pattern. The patterns should be glob-style patterns that match paths relative to the working directory. Use pattern like '*.ext' to match files in current directory, and '**/*.ext' to match files in all subdirectories. Returns full paths to all matching items. Great for finding files when you don't know their exact location. Only searches within allowed directories.","inputSchema":{"type":"object","properties":{"path":{"type":"string"},"pattern":{"type":"string","examples":["**/*.ts","STATE/admin.token"]},"excludePatterns":{"type":"array","items":{"type":"string"},"default":[]}}}}`

// question is the daemon's question about a server's tools, at the root above Callgate's state.
func (w protectedWorld) question(t *testing.T, name, program string, accepted, tools string) wire.Request {
	t.Helper()
	book, ctx := mcptools.NewBook(w.Store, time.Now), context.Background()
	key := mcptools.Key{Agent: "default", Name: name, Definition: "d1"}
	compare := func(text string) mcptools.Comparison {
		got, err := book.Compare(ctx, key, w.Replace(program), []json.RawMessage{json.RawMessage(w.Replace(text))})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if accepted != "" {
		if _, err := book.Accept(ctx, compare(accepted), "ann", ""); err != nil {
			t.Fatal(err)
		}
	}
	c := compare(tools)
	r := w.request(c.Tool, c.Input)
	r.Texts, r.Context.CWD = c.Texts, w.Replace("ROOT")
	return r
}

// TestT06_definitionsAreTexts: the patterns and paths in a tool's definition are words for the model
// and open nothing. A glob in one, read as a path from a directory above Callgate's state, denied
// the question about the official server for files before a person saw it.
func TestT06_definitionsAreTexts(t *testing.T) {
	t.Parallel()
	w := newProtectedWorld(t)
	for tool, r := range map[string]wire.Request{
		mcptools.NewServer:    w.question(t, "files", "npx", "", searchTool),
		mcptools.ChangedTools: w.question(t, "changing", "npx", `{"name":"search_files"}`, searchTool),
	} {
		if d := w.evaluate("default", r); r.Tool != tool || d.Behavior != engine.Ask {
			t.Errorf("%s: got %s, code %s (%s), want an ask of %s", r.Tool, d.Behavior, d.Code, d.Reason, tool)
		}
		// The same input as a call of an agent's is no question of the daemon's.
		r.Texts = nil
		w.wantProtected(t, r)
	}
}

// TestT06_serversOfCallgatesOwn: with definitions as texts, a server is still judged by its name, its
// program and its directory. Attack: a server out of Callgate's state is put to a person as one for
// files.
func TestT06_serversOfCallgatesOwn(t *testing.T) {
	t.Parallel()
	w := newProtectedWorld(t)
	for _, program := range []string{"STATE/agents/default.token", "state/agents/run", "callgate asks approve 1", "node STATE/x.js", "**/default.token"} {
		w.wantProtected(t, w.question(t, "files", program, "", searchTool))
	}
	w.wantProtected(t, w.question(t, w.Replace("STATE/x"), "npx", "", searchTool))
	inside := w.question(t, "files", "npx", "", searchTool)
	inside.Context.CWD = w.Replace("STATE")
	w.wantProtected(t, inside)
	// The exemption is of named members: any other member of the same question counts.
	other := w.question(t, "files", "npx", "", searchTool)
	other.Input = json.RawMessage(w.Replace(`{"server":"files","new_tools":{},"path":"STATE/admin.token"}`))
	w.wantProtected(t, other)
}
