package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// otherAgent is a real client besides Claude Code, with a scripted model. A variable names its
// program; without one its tests are skipped.
type otherAgent struct {
	name, variable string
	// files are the client's configuration: for its files below the home directory (~) or the
	// project, with MODELURL for the model's address and SERVERS for the MCP servers: each a server
	// with NAME and PROGRAM, joined by comma.
	files         map[string]string
	server, comma string
	// kept is one of those that the install changes, added the files that it adds.
	kept, added []string
	// managed is the machine's file below /etc, with a text that it may have before the hook. off are
	// arguments, and offFile a text of a project's file, that switch an account's hook off.
	managed map[string]string
	off     []string
	offFile map[string]string
	// serverFile is the file, by its name in files, whose servers callgate mcp install changes; empty
	// for a client whose servers a person puts behind the gate by hand.
	serverFile string
	env, args  []string
	speak      speech
	// shell, write, edit and mcp are the client's calls: of a command line, of a new file with a text,
	// of a change of "old" to "new" in a file, and of a server's tool.
	shell, write, edit func(text string) modelCall
	mcp                func(server, tool string, input map[string]any) modelCall
	// child is a sub-agent's start, with childModel in place of gpt-5.5, childEnd its last call where it
	// needs one.
	child      modelCall
	childModel string
	childEnd   *modelCall
	// refused is a part of what the model reads of a denial.
	refused string
}

// otherAgents are the clients, with the versions in docs/client-*.md.
var otherAgents = []otherAgent{
	{
		name: "codex", variable: "CALLGATE_CODEX", speak: responses{}, refused: "blocked by PreToolUse hook",
		files: map[string]string{"~/.codex/config.toml": `model = "gpt-5.5"
model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "MODELURL/v1"
wire_api = "responses"

SERVERS`},
		server: "[mcp_servers.NAME]\ncommand = \"PROGRAM\"\nrequired = true\nstartup_timeout_sec = 120\n",
		kept:   []string{"~/.codex/config.toml"}, added: []string{"~/.codex/hooks.json"},
		managed: map[string]string{"codex/requirements.toml": "# the operator's"}, off: []string{"--disable", "hooks"},
		args: []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "go on"},
		shell: func(line string) modelCall {
			return modelCall{name: "exec_command", input: map[string]any{"cmd": line}}
		},
		write: func(file string) modelCall {
			return modelCall{name: "apply_patch", text: "*** Begin Patch\n*** Add File: " + file + "\n+x\n*** End Patch\n"}
		},
		edit: func(file string) modelCall {
			return modelCall{name: "apply_patch", text: "*** Begin Patch\n*** Update File: " + file + "\n@@\n-old\n+new\n*** End Patch\n"}
		},
		mcp: func(server, tool string, input map[string]any) modelCall {
			return modelCall{name: tool, space: "mcp__" + server, input: input}
		},
		child: modelCall{name: "spawn_agent", space: "multi_agent_v1", input: map[string]any{"message": childPrompt}}, childModel: "m",
	},
	{
		name: "gemini-cli", variable: "CALLGATE_GEMINI", speak: generate{}, refused: "Tool execution blocked",
		files: map[string]string{"~/.gemini/settings.json": `{"mcpServers": {SERVERS}, "security": {"auth": {"selectedType": "gemini-api-key"}}}
`},
		server: `"NAME": {"command": "PROGRAM"}`, comma: ", ",
		kept: []string{"~/.gemini/settings.json"}, serverFile: "~/.gemini/settings.json",
		managed: map[string]string{"gemini-cli/settings.json": "{\"hooksConfig\": {\"enabled\": true}, \"ui\": {}}"},
		offFile: map[string]string{".gemini/settings.json": "{\"hooksConfig\": {\"enabled\": false}}"},
		env:     []string{"GOOGLE_GEMINI_BASE_URL=MODELURL", "GEMINI_API_KEY=x", "GEMINI_CLI_TRUST_WORKSPACE=true"},
		args:    []string{"--approval-mode", "yolo", "-m", "gemini-2.5-flash", "-p", "go on"},
		shell: func(line string) modelCall {
			return modelCall{name: "run_shell_command", input: map[string]any{"command": line}}
		},
		write: func(file string) modelCall {
			return modelCall{name: "write_file", input: map[string]any{"file_path": file, "content": "x\n"}}
		},
		edit: func(file string) modelCall {
			return modelCall{name: "replace", input: map[string]any{"file_path": file, "old_string": "old", "new_string": "new", "instruction": "x"}}
		},
		mcp: func(server, tool string, input map[string]any) modelCall {
			return modelCall{name: "mcp_" + server + "_" + tool, input: input}
		},
		child:    modelCall{name: "invoke_agent", input: map[string]any{"agent_name": "generalist", "prompt": childPrompt}},
		childEnd: &modelCall{name: "complete_task", input: map[string]any{"result": map[string]any{"response": "done"}}},
	},
	{
		name: "opencode", variable: "CALLGATE_OPENCODE", speak: chat{}, refused: "denied",
		files: map[string]string{"opencode.json": `{"$schema": "https://opencode.ai/config.json", "model": "scripted/m", "small_model": "scripted/m", "autoupdate": false, "share": "disabled",
  "provider": {"scripted": {"npm": "@ai-sdk/openai-compatible", "options": {"baseURL": "MODELURL/v1", "apiKey": "x"}, "models": {"m": {}}}},
  "mcp": {SERVERS}}
`, "~/.config/opencode/opencode.json": "{\n}\n"},
		server: `"NAME": {"type": "local", "command": ["PROGRAM"]}`, comma: ", ",
		kept: []string{"~/.config/opencode/opencode.json"}, added: []string{"~/.config/opencode/plugins/callgate.js"}, serverFile: "opencode.json",
		args: []string{"run", "go on"},
		shell: func(line string) modelCall {
			return modelCall{name: "bash", input: map[string]any{"command": line, "description": "x"}}
		},
		write: func(file string) modelCall {
			return modelCall{name: "write", input: map[string]any{"filePath": file, "content": "x\n"}}
		},
		edit: func(file string) modelCall {
			return modelCall{name: "edit", input: map[string]any{"filePath": file, "oldString": "old", "newString": "new"}}
		},
		mcp: func(server, tool string, input map[string]any) modelCall {
			return modelCall{name: server + "_" + tool, input: input}
		},
		child: modelCall{name: "task", input: map[string]any{"description": "x", "prompt": childPrompt, "subagent_type": "general"}},
	},
}

// otherRun is a client in a home and a project of its own.
type otherRun struct {
	otherAgent
	w                *gateWorld
	program, project string
	// hook is the program that the client's hook starts: a test may put another one there.
	hook string
	// servers are the programs of the MCP servers, by name.
	servers map[string]string
	// etc stands for /etc, as the client and the product's commands see it.
	etc ownEtc
}

func newOtherRun(t *testing.T, a otherAgent, yaml string) *otherRun {
	t.Helper()
	program := os.Getenv(a.variable)
	if program == "" {
		t.Skip("SKIPPED: " + a.variable + " does not name the program of " + a.name)
	}
	server, err := exec.LookPath("mcpserver")
	if err != nil {
		t.Fatal(err)
	}
	r := &otherRun{otherAgent: a, w: newGateWorld(t, yaml), program: program, project: t.TempDir(), servers: map[string]string{"files": server}}
	r.hook = filepath.Join(t.TempDir(), "callgate")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cp", self, r.hook).CombinedOutput(); err != nil { // one that a test may replace
		t.Fatalf("%v: %s", err, out)
	}
	return r
}

// place is the file of a name in files.
func (r *otherRun) place(name string) string {
	if rest, config := strings.CutPrefix(name, "~/.config/"); config {
		return filepath.Join(filepath.Dir(r.w.Dirs.Config), rest)
	}
	if rest, home := strings.CutPrefix(name, "~/"); home {
		return filepath.Join(r.w.Dirs.Home, rest)
	}
	return filepath.Join(r.project, name)
}

// configure writes the client's own files, for a model at a URL.
func (r *otherRun) configure(t *testing.T, url string) {
	t.Helper()
	var servers []string
	for _, name := range slices.Sorted(maps.Keys(r.servers)) {
		servers = append(servers, strings.NewReplacer("NAME", name, "PROGRAM", r.servers[name]).Replace(r.server))
	}
	filled := strings.NewReplacer("MODELURL", url, "SERVERS", strings.Join(servers, r.comma))
	for name, text := range r.files {
		path := r.place(name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(filled.Replace(text)), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
}

// callgate runs a command of the product as the account.
func (r *otherRun) callgate(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.Command(r.hook, args...)
	cmd.Env = append(os.Environ(), r.w.XDG()...)
	cmd.Dir = r.project
	r.etc.enter(t, cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("callgate %v: %v: %s", args, err, out)
	}
}

// model starts the scripted model and gives the client its address.
func (r *otherRun) model(t *testing.T, calls ...modelCall) *otherModel {
	t.Helper()
	m := &otherModel{
		speak: r.speak, calls: calls, child: []modelCall{r.shell("touch allowed"), r.shell("touch child")}, childEnd: r.childEnd, childDone: make(chan struct{}),
	}
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	r.configure(t, server.URL)
	m.url = server.URL
	return m
}

// begin starts a session without a person.
func (r *otherRun) begin(t *testing.T, m *otherModel) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), r.program, r.args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.project, t.Output(), t.Output()
	cmd.Env = []string{"PATH=" + filepath.Dir(r.program) + ":" + os.Getenv("PATH"), "SHELL=/bin/sh", "NO_COLOR=1"}
	for _, v := range append(r.w.XDG(), r.env...) {
		if !strings.HasPrefix(v, "XDG_STATE") && !strings.HasPrefix(v, "XDG_CACHE") { // the product's alone
			cmd.Env = append(cmd.Env, strings.Replace(v, "MODELURL", m.url, 1))
		}
	}
	r.etc.enter(t, cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// wait waits for the session's end; its exit code is the client's own affair.
func (r *otherRun) wait(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var ended *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
}

// ran reports whether a call left its file behind.
func (r *otherRun) ran(name string) bool {
	_, err := os.Stat(filepath.Join(r.project, name))
	return err == nil
}

// installed sets up the model and the hook.
func (r *otherRun) installed(t *testing.T, calls ...modelCall) *otherModel {
	t.Helper()
	m := r.model(t, calls...)
	r.callgate(t, "hook", r.name, "--install")
	return m
}

const otherRules = `
rules:
  - {tool: Bash, content: "touch allowed", behavior: allow}
  - {tool: Bash, content: "touch child", behavior: deny}
  - {tool: Bash, content: "touch denied", behavior: deny}
  - {tool: Write, content: "denied.txt", behavior: deny}
  - {tool: ApplyPatch, behavior: ask}
  - {tool: mcp__files__write_file, behavior: deny}
`

// TestOtherAgents: the real clients treat the installed hook as docs/client-*.md say.
func TestOtherAgents(t *testing.T) {
	t.Parallel()
	for _, a := range otherAgents {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			t.Run("by rule", func(t *testing.T) { otherByRule(t, a) })
			for name, verdict := range map[string]ask.Verdict{"approved": ask.Approve, "denied": ask.Deny} {
				t.Run("asked, "+name, func(t *testing.T) { otherAsked(t, a, verdict) })
				t.Run("edited, "+name, func(t *testing.T) { otherEdited(t, a, verdict) })
			}
			t.Run("sub-agent", func(t *testing.T) { otherChild(t, a) })
			t.Run("failures", func(t *testing.T) { otherFailures(t, a) })
			t.Run("uninstalled", func(t *testing.T) { otherUninstalled(t, a) })
		})
	}
}

func otherByRule(t *testing.T, a otherAgent) {
	r := newOtherRun(t, a, otherRules)
	m := r.installed(t, r.shell("touch allowed"), r.shell("touch denied"))
	r.wait(t, r.begin(t, m))
	told := m.results()
	if !r.ran("allowed") || r.ran("denied") || len(told) != 2 || !strings.Contains(told[1], r.refused) {
		t.Errorf("allowed ran: %t, denied ran: %t; the model was told %q", r.ran("allowed"), r.ran("denied"), told)
	}
}

// otherAsked: a command, a new file and a server's tool wait, each for its own answer.
func otherAsked(t *testing.T, a otherAgent, verdict ask.Verdict) {
	r := newOtherRun(t, a, "")
	told := r.answered(t, verdict, []string{"asked", "written"}, r.shell("touch asked"), r.write(filepath.Join(r.project, "written")), r.mcp("files", "read_file", map[string]any{"path": "x"}))
	runs := verdict == ask.Approve
	if r.ran("asked") != runs || r.ran("written") != runs || len(told) != 3 || strings.Contains(told[2], "ran read_file") != runs {
		t.Errorf("ran: %t, %t, want %t; the model was told %q", r.ran("asked"), r.ran("written"), runs, told)
	}
}

// otherEdited: a change of a file waits too.
func otherEdited(t *testing.T, a otherAgent, verdict ask.Verdict) {
	r := newOtherRun(t, a, "")
	file := filepath.Join(r.project, "edited")
	if err := os.WriteFile(file, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	told := r.answered(t, verdict, nil, r.edit(file))
	want := map[ask.Verdict]string{ask.Approve: "new\n", ask.Deny: "old\n"}[verdict]
	if text, err := os.ReadFile(file); string(text) != want || err != nil || len(told) != 1 || (verdict == ask.Deny) != strings.Contains(told[0], "a person denied it") {
		t.Errorf("got %q, %v, want %q; the model was told %q", text, err, want, told)
	}
}

// clientPatience is how long a client may take for its start: opencode then fetches a package.
const clientPatience = 5 * time.Minute

// answered makes calls that wait, answers each, and returns what the model was told. None of the
// files is there before its call's answer.
func (r *otherRun) answered(t *testing.T, verdict ask.Verdict, files []string, calls ...modelCall) (told []string) {
	t.Helper()
	events := r.w.events()
	m := r.installed(t, calls...)
	cmd := r.begin(t, m)
	for range calls {
		id := r.w.awaitFor(clientPatience, events, ask.EventShown).ID
		if verdict == ask.Deny && slices.ContainsFunc(files, r.ran) {
			t.Error("a call ran before its answer")
		}
		r.w.answer(id, verdict)
	}
	r.wait(t, cmd)
	return m.results()
}

// otherChild: each call of a sub-agent is judged by itself.
func otherChild(t *testing.T, a otherAgent) {
	r := newOtherRun(t, a, otherRules+"  - {tool: Agent, behavior: allow}\n")
	if a.childModel != "" {
		r.files = maps.Clone(a.files)
		for name, text := range r.files {
			r.files[name] = strings.ReplaceAll(text, "gpt-5.5", a.childModel)
		}
	}
	m := r.installed(t, a.child)
	r.wait(t, r.begin(t, m))
	told := m.childResults()
	if !r.ran("allowed") || r.ran("child") || len(told) != 2 || !strings.Contains(told[1], r.refused) || !strings.Contains(told[1], "deny rule") {
		t.Errorf("allowed ran: %t, denied ran: %t; the sub-agent was told %q, the session %q", r.ran("allowed"), r.ran("child"), told, m.results())
	}
}

// otherFailures: whatever becomes of the hook, an allowed call does not run.
func otherFailures(t *testing.T, a otherAgent) {
	for name, script := range map[string]string{
		"missing": "", "killed": "kill -9 $$", "silent": "exit 0", "garbage": "echo loading", "garbage, code 1": "echo loading; exit 1",
	} {
		t.Run(name, func(t *testing.T) {
			r := newOtherRun(t, a, otherRules)
			m := r.installed(t, r.shell("touch allowed"))
			if err := os.Remove(r.hook); err != nil {
				t.Fatal(err)
			}
			if script != "" {
				if out, err := exec.Command("sh", "-c", `printf '#!/bin/sh\n%s\n' "$1" >"$0" && chmod 700 "$0"`, r.hook, script).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			r.wait(t, r.begin(t, m))
			if told := m.results(); r.ran("allowed") || len(told) != 1 {
				t.Errorf("ran: %t; the model was told %q", r.ran("allowed"), told)
			}
		})
	}
	t.Run("no daemon", func(t *testing.T) {
		r := newOtherRun(t, a, otherRules)
		m := r.installed(t, r.shell("touch allowed"))
		r.w.stop()
		r.wait(t, r.begin(t, m))
		if told := m.results(); r.ran("allowed") || len(told) != 1 || !strings.Contains(told[0], "callgate serve") {
			t.Errorf("ran: %t; the model was told %q", r.ran("allowed"), told)
		}
	})
	t.Run("too slow", func(t *testing.T) {
		r := newOtherRun(t, a, "")
		m := r.model(t, r.shell("touch asked"))
		r.callgate(t, "hook", r.name, "--install", "--timeout", "5s")
		r.wait(t, r.begin(t, m)) // the hook denies after four fifths of its time
		if told := m.results(); r.ran("asked") || len(told) != 1 {
			t.Errorf("ran: %t; the model was told %q", r.ran("asked"), told)
		}
	})
}

// otherUninstalled: the files are as they were, byte for byte, and no call is judged any more.
func otherUninstalled(t *testing.T, a otherAgent) {
	r := newOtherRun(t, a, otherRules)
	m := r.model(t, r.shell("touch denied"))
	before := map[string]string{}
	read := func(name string) string {
		text, err := os.ReadFile(r.place(name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return fmt.Sprintf("%t %s", err == nil, text)
	}
	for _, name := range append(r.kept, r.added...) {
		before[name] = read(name)
	}
	r.callgate(t, "hook", r.name, "--install")
	r.callgate(t, "hook", r.name, "--uninstall")
	for name, want := range before {
		if got := read(name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	r.wait(t, r.begin(t, m))
	if !r.ran("denied") {
		t.Errorf("without the hook the call did not run, so the other tests prove nothing; the model was told %q", m.results())
	}
}

// childPrompt is a sub-agent's task, and marks its requests.
const childPrompt = "CHILD-OF-THE-TEST"

// modelCall is a call that a model makes: with input, or with a text for a tool of free form.
type modelCall struct {
	name, space string
	input       map[string]any
	text        string
}

// starts reports whether the call starts a sub-agent.
func (c modelCall) starts() bool {
	return c.input["prompt"] == childPrompt || c.input["message"] == childPrompt
}

func (c modelCall) arguments() string {
	text, err := json.Marshal(c.input)
	if err != nil {
		panic(err)
	}
	return string(text)
}
