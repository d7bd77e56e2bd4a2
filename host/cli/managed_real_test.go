package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// ownEtc is a directory that takes what some commands write below /etc; empty for the real /etc.
type ownEtc string

// newOwnEtc makes one. The machine's files show through it and stay as they are.
func newOwnEtc(t *testing.T) ownEtc {
	t.Helper()
	e := ownEtc(t.TempDir())
	for _, dir := range []string{"upper", "work"} {
		if err := os.Mkdir(filepath.Join(string(e), dir), 0o755); err != nil { //nolint:gosec // /etc is everybody's to read
			t.Fatal(err)
		}
	}
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Skip("SKIPPED: " + err.Error())
	}
	try := exec.Command("true")
	if e.enter(t, try); try.Err != nil {
		t.Fatal(try.Err)
	}
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: this account cannot lay a directory over /etc: %v: %s", err, out)
	}
	return e
}

// enter makes a command see the directory over /etc, in a mount namespace of its own.
func (e ownEtc) enter(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if e == "" {
		return
	}
	shell := exec.Command("unshare", "-m", "sh", "-c", `mount -t overlay overlay -o "lowerdir=/etc,upperdir=$0/upper,workdir=$0/work" /etc && exec "$@"`, string(e), cmd.Path)
	cmd.Path, cmd.Args = shell.Path, append(shell.Args, cmd.Args[1:]...)
}

func (e ownEtc) file(name string) string { return filepath.Join(string(e), "upper", name) }

// text is the text of a file; nil without one.
func (e ownEtc) text(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(e.file(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return text
}

// put writes a file; nil means none.
func put(t *testing.T, path string, text []byte) {
	t.Helper()
	if text == nil {
		return
	}
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil { //nolint:gosec // a file of /etc
		t.Fatal(err)
	}
}

// TestManagedHooks: the machine's hook judges calls whatever a project and a flag say, and its
// uninstall gives the file back to the byte.
func TestManagedHooks(t *testing.T) {
	t.Parallel()
	for _, a := range otherAgents {
		for name, text := range a.managed {
			for kind, before := range map[string][]byte{"new file": nil, "operator's file": []byte(text)} {
				t.Run(a.name+"/"+kind, func(t *testing.T) {
					t.Parallel()
					managedHook(t, a, name, before)
				})
			}
		}
	}
}

func managedHook(t *testing.T, a otherAgent, file string, before []byte) {
	r := newOtherRun(t, a, otherRules)
	r.etc = newOwnEtc(t)
	put(t, r.etc.file(file), before)
	r.callgate(t, "hook", r.name, "--install", "--managed")
	// What a project or a flag says against the hook.
	if len(a.off) > 0 {
		r.args = slices.Insert(slices.Clone(a.args), 1, a.off...)
	}
	for name, text := range a.offFile {
		put(t, r.place(name), []byte(text))
	}
	for verdict, asked := range map[ask.Verdict]string{ask.Approve: "approved", ask.Deny: "refused"} {
		events := r.w.events()
		m := r.model(t, r.shell("touch allowed"), r.shell("touch denied"), r.shell("touch "+asked))
		cmd := r.begin(t, m)
		id := r.w.awaitFor(clientPatience, events, ask.EventShown).ID
		if r.ran(asked) {
			t.Error("a call ran before its answer")
		}
		r.w.answer(id, verdict)
		r.wait(t, cmd)
		told := m.results()
		if !r.ran("allowed") || r.ran("denied") || r.ran(asked) != (verdict == ask.Approve) || len(told) != 3 || !strings.Contains(told[1], r.refused) {
			t.Errorf("allowed ran: %t, denied: %t, %s: %t; the model was told %q", r.ran("allowed"), r.ran("denied"), asked, r.ran(asked), told)
		}
	}
	r.callgate(t, "hook", r.name, "--uninstall", "--managed")
	if got := r.etc.text(t, file); string(got) != string(before) || (got == nil) != (before == nil) {
		t.Errorf("%s after the uninstall: got %q, want %q", file, got, before)
	}
	// The operator's own file may hold the switch off too.
	if err := os.Remove(r.etc.file(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	m := r.installed(t, r.shell("touch denied"))
	r.wait(t, r.begin(t, m))
	if !r.ran("denied") {
		t.Errorf("the account's hook was not switched off, so the test proves nothing of the machine's; the model was told %q", m.results())
	}
}

// TestMCPInstall: callgate mcp install puts a client's server behind the gate, and its uninstall
// gives the file back to the byte.
func TestMCPInstall(t *testing.T) {
	t.Parallel()
	for _, a := range otherAgents {
		if a.serverFile == "" {
			continue
		}
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			mcpInstalledFor(t, a)
		})
	}
}

func mcpInstalledFor(t *testing.T, a otherAgent) {
	r := newOtherRun(t, a, `
rules:
  - {tool: McpServer, behavior: allow}
  - {tool: mcp__files__read_file, behavior: allow}
`)
	events := r.w.events()
	call := r.mcp("files", "write_file", map[string]any{"path": "x", "content": "x"})
	other := r.mcp("files", "write_file", map[string]any{"path": "y", "content": "x"})
	m := r.model(t, r.mcp("files", "read_file", map[string]any{"path": "x"}), call, other)
	before, err := os.ReadFile(r.place(a.serverFile))
	if err != nil {
		t.Fatal(err)
	}
	r.callgate(t, "mcp", "install", r.name, "--file", r.place(a.serverFile))
	cmd := r.begin(t, m)
	for _, verdict := range []ask.Verdict{ask.Deny, ask.Approve} {
		r.w.answer(r.w.awaitFor(clientPatience, events, ask.EventShown).ID, verdict)
	}
	r.wait(t, cmd)
	told := m.results()
	for i, want := range []string{"ran read_file", "a person denied it", "ran write_file"} {
		if len(told) != 3 || !strings.Contains(told[i], want) {
			t.Errorf("call %d: the model was told %q, want %q", i+1, told, want)
		}
	}
	r.callgate(t, "mcp", "uninstall", r.name, "--file", r.place(a.serverFile))
	if after, err := os.ReadFile(r.place(a.serverFile)); err != nil || string(after) != string(before) {
		t.Errorf("after the uninstall: got %q, %v, want %q", after, err, before)
	}
}
