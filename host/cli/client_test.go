package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// clientVariable names the program of Claude Code for TestClaudeCode. It is not part
// of the tree, and needs no network: a model of the test's own answers it.
const clientVariable = "CALLGATE_CLAUDE"

// realClient is the real Claude Code in a project and a home of its own.
type realClient struct {
	w             *gateWorld
	program, home string
	project       string
}

// newRealClient installs the hook as a person does.
func newRealClient(t *testing.T, yaml string) *realClient {
	t.Helper()
	program := os.Getenv(clientVariable)
	if program == "" {
		t.Skip("SKIPPED: " + clientVariable + " does not name the program of Claude Code")
	}
	c := &realClient{w: newGateWorld(t, yaml), program: program, project: t.TempDir()}
	c.home = c.w.Dirs.Home
	install := exec.Command("callgate", "hook", "claude-code", "--install")
	install.Env = append(os.Environ(), c.w.XDG()...)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return c
}

// begin starts a session without a person and with these commands of its agent.
func (c *realClient) begin(t *testing.T, commands ...string) (*exec.Cmd, *model) {
	t.Helper()
	m := &model{commands: commands}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	cmd := exec.CommandContext(t.Context(), c.program, "-p", "go on")
	cmd.Dir, cmd.Stderr = c.project, t.Output()
	cmd.Env = []string{
		"HOME=" + c.home, "PATH=" + os.Getenv("PATH"), "ANTHROPIC_BASE_URL=" + server.URL, "ANTHROPIC_API_KEY=x",
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, m
}

// ran reports whether a command left its file behind.
func (c *realClient) ran(name string) bool {
	_, err := os.Stat(filepath.Join(c.project, name))
	return err == nil
}

// model is a scripted model behind Anthropic's Messages API.
type model struct {
	commands []string
	mu       sync.Mutex
	// told are the results of the calls, in their order.
	told []string
}

// ServeHTTP answers with the next call; those with a result are counted.
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Tools    []json.RawMessage `json:"tools"`
		Messages []struct {
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &request) != nil || !strings.HasSuffix(r.URL.Path, "/messages") {
		http.NotFound(w, r)
		return
	}
	var told []string
	for _, message := range request.Messages {
		var blocks []struct {
			Type    string          `json:"type"`
			Content json.RawMessage `json:"content"`
		}
		if json.Unmarshal(message.Content, &blocks) != nil {
			continue // a text alone
		}
		for _, b := range blocks {
			if b.Type == "tool_result" {
				told = append(told, string(b.Content))
			}
		}
	}
	block, delta, stop := `{"type":"text","text":""}`, `{"type":"text_delta","text":"Done."}`, "end_turn"
	if len(request.Tools) > 0 {
		m.mu.Lock()
		m.told = told
		m.mu.Unlock()
		if n := len(told); n < len(m.commands) {
			block = fmt.Sprintf(`{"type":"tool_use","id":"toolu_%d","name":"Bash","input":{}}`, n)
			input := fmt.Sprintf(`{"command":%q,"description":"x"}`, m.commands[n])
			delta, stop = fmt.Sprintf(`{"type":"input_json_delta","partial_json":%q}`, input), "tool_use"
		}
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range []string{
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":` + block + `}`,
		`{"type":"content_block_delta","index":0,"delta":` + delta + `}`,
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"` + stop + `"},"usage":{"output_tokens":1}}`,
		`{"type":"message_stop"}`,
	} {
		name, _, _ := strings.Cut(event[len(`{"type":"`):], `"`)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, event)
	}
}

// results are the results sent to the model.
func (m *model) results() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.told
}

const clientRules = `
rules:
  - {tool: Bash, content: "touch allowed", behavior: allow}
  - {tool: Bash, content: "touch denied", behavior: deny}
`

// TestClaudeCode: the real client treats our hook according to its contract.
func TestClaudeCode(t *testing.T) {
	t.Parallel()
	t.Run("by rule", func(t *testing.T) {
		t.Parallel()
		c := newRealClient(t, clientRules)
		cmd, m := c.begin(t, "touch allowed", "touch denied")
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if !c.ran("allowed") || c.ran("denied") {
			t.Errorf("allowed ran: %t, denied ran: %t", c.ran("allowed"), c.ran("denied"))
		}
		told := m.results()
		if len(told) != 2 || !strings.Contains(told[1], "PreToolUse:Bash hook error: Bash was denied") || strings.Contains(told[1], "--token-file") {
			t.Errorf("the model was told %q, want the denial, and nothing of how the hook is started", told)
		}
	})
	for name, verdict := range map[string]ask.Verdict{"approved": ask.Approve, "denied": ask.Deny} {
		t.Run("asked, "+name, func(t *testing.T) {
			t.Parallel()
			c := newRealClient(t, "")
			events := c.w.events()
			cmd, m := c.begin(t, "touch asked")
			id := c.w.await(events, ask.EventShown).ID
			if c.ran("asked") {
				t.Error("it ran before the answer")
			}
			c.w.answer(id, verdict)
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			if runs := verdict == ask.Approve; c.ran("asked") != runs {
				t.Errorf("ran: %t, want %t; the model was told %q", c.ran("asked"), runs, m.results())
			}
		})
	}
	t.Run("no daemon", func(t *testing.T) {
		t.Parallel()
		c := newRealClient(t, clientRules)
		c.w.stop()
		cmd, m := c.begin(t, "touch allowed")
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		if told := m.results(); c.ran("allowed") || len(told) != 1 || !strings.Contains(told[0], "callgate serve") {
			t.Errorf("ran: %t; the model was told %q", c.ran("allowed"), told)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		t.Parallel()
		c := newRealClient(t, "")
		events := c.w.events()
		cmd, _ := c.begin(t, "touch asked")
		c.w.await(events, ask.EventShown)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if a := c.w.await(events, ask.EventCancelled); a.Cause != ask.CauseCaller {
			t.Errorf("the ask ended by %s, want %s", a.Cause, ask.CauseCaller)
		}
		_ = cmd.Wait() // its exit code is the client's own affair
		if c.ran("asked") {
			t.Error("it ran all the same")
		}
	})
}
