package protect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/callgate/callgate/engine"
)

func TestT06_Match(t *testing.T) {
	t.Parallel()
	dir := place{parts: components("/h/.config/Callgate")}
	file := place{parts: components("/h/.config/callgate/c.yaml"), file: true}
	tests := []struct {
		pattern       string
		place         place
		within, above bool
	}{
		{"/h/.config/callgate", dir, true, false},
		{"/h/.config/callgate/x/y", dir, true, false},
		{"/H/.CONFIG/CALLGATE/x", dir, true, false},
		{"/h/.config/callgate2", dir, false, false},
		{"/h/.config", dir, false, true},
		{"/h/.config/other", dir, false, false},
		{"/", dir, false, true},
		{"/h/*", dir, false, true},
		{"/h/.config/c*", dir, true, false},
		{"/h/.config/[a-d]allgate", dir, true, false},
		{"/h/.config/[", dir, true, false}, // an unreadable one can be anything
		{"/h/.config/{callgate,x}/y", dir, true, false},
		{"/h/**", dir, true, true},
		{"/x/**", dir, false, false},
		{"/h/**/c.yaml", file, true, true},
		{"/h/**/d.yaml", file, false, true},
		{"/h/.config/callgate/c.yaml/x", file, false, false},
	}
	for _, tt := range tests {
		within, above := match(components(tt.pattern), tt.place)
		// For a pattern matching the place, its other meanings do not matter.
		if within != tt.within || !within && above != tt.above && tt.pattern != "/h/**/d.yaml" {
			t.Errorf("%s: got within %t, above %t, want %t, %t", tt.pattern, within, above, tt.within, tt.above)
		}
	}
}

func TestT06_FoldedNames(t *testing.T) {
	t.Parallel()
	for _, spelled := range []string{"/h/Café", "/h/CAFÉ", "/h/cafe\u0301", "/h/CAFE\u0301", "/h/ca\u200bfé", "/h//x/../café/"} {
		if got, want := components(spelled), components("/h/café"); len(got) != 2 || got[1] != want[1] {
			t.Errorf("%q: got %q, want %q", spelled, got, want)
		}
	}
}

func TestT06_Addresses(t *testing.T) {
	t.Parallel()
	g := New(Facts{Hostname: "Box"})
	g.Answers("tcp", "127.0.0.1:7433")
	j := newJudge(g, &engine.Call{})
	for _, ours := range []string{
		"localhost 7433", "LocalHost. 7433", "127.0.0.1 7433", "127.9.9.9 7433", "::1 7433", "0.0.0.0 7433", ":: 7433", "::ffff:127.0.0.1 7433", "::ffff:7f00:1 7433", "2130706433 7433", "0x7f000001 7433", "0177.0.0.1 7433",
		"127.1 7433", "0x7f.1 7433", "0 7433", "box 7433", "a.localhost 7433", "anything.example 7433", "localhost ?", "127.0.0.1 ?", "$H 7433", "? 7433", "::1%lo 7433", "0000::0001 7433",
		// bash's /dev/tcp and curl take these for 7433.
		"localhost 07433", "localhost +7433", "localhost 72969", "localhost -58103", "localhost 00000000000000000000000007433", "?",
	} {
		if j.address(ours) == "" {
			t.Errorf("%q: got no reason, want one", ours)
		}
	}
	for _, other := range []string{"localhost 3000", "localhost 17433", "127.0.0.1 80", "8.8.8.8 7433", "2001:db8::1 7433", "example.com 443", "example.com ?"} {
		if why := j.address(other); why != "" {
			t.Errorf("%q: got %s, want nothing", other, why)
		}
	}
}

// TestT06_AddressBeside: a second address is kept from calls as the first one is, and
// either stays when the other changes.
func TestT06_AddressBeside(t *testing.T) {
	t.Parallel()
	g := New(Facts{})
	g.Answers("unix", "/run/callgate.sock")
	g.AnswersBeside("tcp", "127.0.0.1:8443")
	g.Answers("tcp", "127.0.0.1:7433")
	for port, want := range map[string]bool{"7433": true, "8443": true, "?": true, "3000": false} {
		j := newJudge(g, &engine.Call{})
		if got := j.address("localhost "+port) != ""; got != want {
			t.Errorf("an address with port %s: got protected %t, want %t", port, got, want)
		}
		if got := j.process("port:"+port) != ""; port != unknown && got != want {
			t.Errorf("the process on port %s: got protected %t, want %t", port, got, want)
		}
		c := &engine.Call{Tool: "x", Input: json.RawMessage(`{"code": "connect('localhost', ` + port + `)"}`), Context: engine.Context{CWD: "/h"}}
		if got := g.Protect(c) != ""; port != unknown && got != want {
			t.Errorf("a text with port %s: got protected %t, want %t", port, got, want)
		}
	}
	if why := newJudge(g, &engine.Call{}).address("8.8.8.8 8443"); why != "" {
		t.Errorf("another machine: got %s, want nothing", why)
	}
}

func TestT06_Processes(t *testing.T) {
	t.Parallel()
	j := newJudge(New(Facts{PID: 4242, Parent: 41, Names: []string{"callgate", "systemd"}, CommandLines: []string{"/opt/callgate serve"}}), &engine.Call{})
	for value, want := range map[string]bool{
		"4242": true, "+4242": true, "04242": true, "41": true, "0": true, "-1": true, "-4242": true, "?": true, "": true, "rubbish": true, "name:[": true, "name:call": true, "name:.*": true, "pattern:serve": true, "exact:CallGate": true,
		"exact:/x/callgate": true, "name:systemd": true, "4243": false, "job": false, "name:node": false, "pattern:vite": false, "exact:node": false, "port:3000": false, "tmux": false,
	} {
		if got := j.process(value) != ""; got != want {
			t.Errorf("%q: got protected %t, want %t", value, got, want)
		}
	}
}

// TestT06_HookProgram: the program for the hook alone is protected like the daemon's own: its
// file, a name in a shell's search, and its process.
func TestT06_HookProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	g := New(Facts{Binary: filepath.Join(dir, "callgate")})
	if err := os.WriteFile(filepath.Join(dir, hookProgram), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	j := newJudge(g, &engine.Call{})
	for program, want := range map[string]bool{hookProgram: true, filepath.Join(dir, hookProgram): true, filepath.Join(dir, "node"): false} {
		if got := j.isOurs(program); got != want {
			t.Errorf("%s: got ours %t, want %t", program, got, want)
		}
	}
	for _, access := range []string{"write", "run"} {
		target := engine.Target{Kind: "path", Value: filepath.Join(dir, hookProgram), Access: access}
		got := g.Protect(&engine.Call{Tool: "x", Context: engine.Context{CWD: dir, Targets: []engine.Target{target}}}) != ""
		if want := access == "write"; got != want {
			t.Errorf("%s: got protected %t, want %t", access, got, want)
		}
	}
	if !slices.Contains(Own().Names, hookProgram) {
		t.Error("the process of a hook can be signalled by its name")
	}
}

func TestT06_HarmlessArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"version"}, {"help", "rules"}, {"--help"}, {"-h"}, {"--version"}, {"asks", "--help"}, {"asks", "approve", "1", "--help"}, {"completion", "bash"}, {"version", "--json"}} {
		if !harmless(args) {
			t.Errorf("%q: got harmful, want harmless", args)
		}
	}
	for _, args := range [][]string{nil, {"asks"}, {"asks", "--reason", "--help"}, {"asks", "--", "--help"}, {"?"}, {"version", "?"}, {"--config", "--help"}, {"-v", "asks"}, {"asks", "-h"}, {"serve"}} {
		if harmless(args) {
			t.Errorf("%q: got harmless, want harmful", args)
		}
	}
}

// TestMayBe_malformed: an invalid pattern can only mean paths with its beginning.
func TestMayBe_malformed(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]bool{".files[].path": false, ".call[": true, "[": true, ".c*[": true, "x[": false, ".jobs[].name": false} {
		if got := mayBe(written, ".callgate.yaml"); got != want {
			t.Errorf("%q: got %t, want %t", written, got, want)
		}
	}
}

// TestAnything: a regular expression for any text is not a glob for dot files.
func TestAnything(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`re.findall(r'.*\.yaml', 'x')`: false, `rtk grep ^/.*\.(ts|tsx)$ src`: false, `(.*)`: false, `a].*`: false, "rm .*": true, "rm .* x": true, "(rm .*)": true, "rm .*|cat": true, "rm .*\\\n": true, "rm x/.*": true, "rm .call*": true,
	} {
		j := newJudge(New(Facts{}), &engine.Call{Context: engine.Context{CWD: "/h", WorkingDirectories: []string{"/h"}}})
		if got := j.text(text) != ""; got != want {
			t.Errorf("%q: got protected %t, want %t", text, got, want)
		}
	}
}

func TestLeavesOf(t *testing.T) {
	t.Parallel()
	got, err := leavesOf(json.RawMessage(`{"a":"1","b":{"c":["2",{"d":3}],"e":true},"f":["4",["5"]],"g":null,"h":"6"}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []leaf{{"a", "1"}, {"c", "2"}, {"d", "3"}, {"f", "4"}, {"f", "5"}, {"h", "6"}}
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("leaf %d: got %v, want %v", i, got[i], want[i])
		}
	}
	for _, bad := range []string{`{"a":`, `]`, `{"a" "b"}`} {
		if _, err := leavesOf(json.RawMessage(bad)); err == nil {
			t.Errorf("%s: got no error", bad)
		}
	}
}

// FuzzProtect checks that no call makes the guard panic, and that marks only ever add reasons.
func FuzzProtect(f *testing.F) {
	for _, seed := range [][3]string{
		{"tree", "/x/**/y", `{"command":"callgate asks approve"}`}, {"program", "callgate asks ?", `{"a":["~/.config/callgate",7433]}`}, {"process", "name:[", `{"cmd":"kill 4242"}`},
		{"path", "/proc/self/root/proc/1/cwd/x", `{}`}, {"endpoint", "[::1 7433", `{"url":"http://localhost:7433/"}`}, {"service", "*", `{"x":"$HOME/.config"}`}, {"path", "~root/{a,b}", `[`}, {"program", "%2", `{"code":"a/ kill."}`},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	g := New(Facts{Home: "/h", Config: "/h/.config/callgate", State: "/h/.local/state/callgate", Store: "/h/.local/state/callgate/callgate.db", PID: 4242, Parent: 41, Names: []string{"callgate"}})
	g.Answers("tcp", "127.0.0.1:7433")
	f.Fuzz(func(t *testing.T, kind, value, input string) {
		for _, access := range []string{"read", "write", "run"} {
			mark := engine.Target{Kind: kind, Value: value, Access: access}
			c := &engine.Call{Tool: "x", Input: json.RawMessage(input), Context: engine.Context{CWD: "/h/p", Targets: []engine.Target{mark}}}
			alone := g.Protect(c)
			c.Context.Targets = append(c.Context.Targets, engine.Target{Kind: "path", Value: "/h/.config/callgate/x", Access: "write"})
			if both := g.Protect(c); both == "" {
				t.Errorf("%s %q %s hides a write to the configuration (alone: %q)", kind, value, access, alone)
			}
		}
	})
}

// TestT06_ManyValues: an input of many plain values is judged like a small one,
// and hides nothing.
func TestT06_ManyValues(t *testing.T) {
	t.Parallel()
	g := New(Facts{Home: "/h", Config: "/h/.config/callgate"})
	ids := make([]string, 3000)
	for i := range ids {
		ids[i] = "id-" + string(rune('a'+i%26))
	}
	protect := func(ids []string) string {
		input, err := json.Marshal(map[string]any{"ids": ids})
		if err != nil {
			t.Fatal(err)
		}
		return g.Protect(&engine.Call{Tool: "mcp__x__y", Input: input, Context: engine.Context{CWD: "/h"}})
	}
	if why := protect(ids); why != "" {
		t.Errorf("3000 ids: got %s, want nothing", why)
	}
	if why := protect(append(ids, ".config/callgate/x")); why == "" {
		t.Error("a path behind 3000 ids: got nothing, want a reason")
	}
	if why := protect(append(ids, make([]string, 2000)...)); why == "" {
		t.Error("more values than are looked at: got nothing, want a reason")
	}
}
