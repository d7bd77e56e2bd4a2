package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
)

// The variables with the programs of two MCP servers: server-filesystem and server-everything of
// npm's @modelcontextprotocol.
const (
	filesystemVariable = "CALLGATE_MCP_FILESYSTEM"
	everythingVariable = "CALLGATE_MCP_EVERYTHING"
)

// TestMCPRealServers: each real client uses two real servers through the proxy, and has no hook. An
// allowed call runs; one that asks waits and follows the answer.
func TestMCPRealServers(t *testing.T) {
	t.Parallel()
	for _, a := range otherAgents {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			realServers(t, a)
		})
	}
}

func realServers(t *testing.T, a otherAgent) {
	files, everything := os.Getenv(filesystemVariable), os.Getenv(everythingVariable)
	if files == "" || everything == "" {
		t.Skip("SKIPPED: " + filesystemVariable + " and " + everythingVariable + " do not name the servers")
	}
	r := newOtherRun(t, a, `
rules:
  - {tool: McpServer, behavior: allow}
  - {tool: mcp__files__read_text_file, behavior: allow}
  - {tool: mcp__every__echo, behavior: allow}
`)
	r.servers = map[string]string{"files": r.proxy(t, "files", files, r.project), "every": r.proxy(t, "every", everything)}
	if err := os.WriteFile(filepath.Join(r.project, "there"), []byte("the text of a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	in := func(name string) string { return filepath.Join(r.project, name) }
	events := r.w.events()
	m := r.model(t,
		r.mcp("files", "read_text_file", map[string]any{"path": in("there")}),
		r.mcp("files", "write_file", map[string]any{"path": in("refused"), "content": "x"}),
		r.mcp("every", "echo", map[string]any{"message": "hello"}),
		r.mcp("files", "write_file", map[string]any{"path": in("approved"), "content": "x"}),
	)
	cmd := r.begin(t, m)
	for _, verdict := range []ask.Verdict{ask.Deny, ask.Approve} {
		r.w.answer(r.w.awaitFor(clientPatience, events, ask.EventShown).ID, verdict)
	}
	r.wait(t, cmd)
	told := m.results()
	for i, want := range []string{"the text of a file", "a person denied it", "Echo: hello", "Successfully wrote"} {
		if len(told) != 4 || !strings.Contains(told[i], want) {
			t.Errorf("call %d: the model was told %q, want %q", i+1, told, want)
		}
	}
	if r.ran("refused") || !r.ran("approved") {
		t.Errorf("refused ran: %t, approved ran: %t", r.ran("refused"), r.ran("approved"))
	}
}

// proxy is a program that starts a server behind the gate: not every client hands its environment
// on.
func (r *otherRun) proxy(t *testing.T, name string, server ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	line := []string{"exec", r.hook, "mcp", "--server", name, "--endpoint", r.w.Dirs.Socket(), "--token-file", tokenfile.Check(r.w.Dirs.State, tokenfile.DefaultAgent), "--"}
	line = append(line, server...)
	if out, err := exec.Command("sh", "-c", `printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 700 "$0"`, path, strings.Join(line, " ")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}
