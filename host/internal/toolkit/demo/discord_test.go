package demo_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/toolkit/demo"
	"github.com/callgate/callgate/plugins"
)

// screen is what a person sees; the keyboard's test reads it while it is written.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// cache holds the compiled modules for all tests of the package.
var cache string

func TestMain(m *testing.M) { os.Exit(withModules(m.Run)) }

// withModules runs the tests with the modules compiled, if there are any.
func withModules(tests func() int) int {
	dir, err := os.MkdirTemp("", "callgate-demo-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	cache = dir
	if len(plugins.Names()) > 0 {
		limits := config.Limits{CompileTime: config.Duration(10 * time.Minute)}
		runtime, _, err := assembly.OpenCatalog(context.Background(), assembly.Tools{Embedded: modules(), CacheDir: cache}, config.Modules{Limits: limits})
		if err == nil {
			err = runtime.Close(context.Background())
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return tests()
}

// modules leaves the one for shells out: no test here needs it, and compiling it takes
// minutes under the race detector.
func modules() fs.FS {
	const name = "standard.wasm"
	data, err := fs.ReadFile(plugins.Modules(), name)
	if err != nil {
		return fstest.MapFS{}
	}
	return fstest.MapFS{name: &fstest.MapFile{Data: data}}
}

// calls is a session of calls of tools that no module knows, so that each asks.
func calls(inputs ...string) fstest.MapFS {
	var b strings.Builder
	for i, input := range inputs {
		fmt.Fprintf(&b, `{"id":"c%d","op":"decide","mode":"default","tool":"Deploy","input":%s,"context":{"cwd":"/project","home":"/home/user","working_directories":["/project"],"agent":"default","session":"s"}}`+"\n", i, input)
	}
	return fstest.MapFS{"s.jsonl": {Data: []byte(b.String())}}
}

// run runs the demo in Discord.
func run(t *testing.T, o demo.Options) string {
	t.Helper()
	o.InDiscord = true
	return play(t, o)
}

// play runs the demo, and checks that it leaves nothing behind.
func play(t *testing.T, o demo.Options) string {
	t.Helper()
	if len(plugins.Names()) == 0 {
		t.Skip("SKIPPED: the tool modules are not built: run make build")
	}
	out := &screen{}
	o.Out, o.Modules, o.CacheDir = out, modules(), cache
	if k, ok := o.Keyboard.(*typist); ok {
		k.screen = out
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := demo.Run(ctx, o); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if list, err := os.ReadDir(os.TempDir()); err != nil || len(list) > 0 {
		t.Errorf("left behind: %v, %v", list, err)
	}
	return out.String()
}

// inOrder wants these texts, one behind the other.
func inOrder(t *testing.T, text string, want ...string) {
	t.Helper()
	rest := text
	for _, w := range want {
		at := regexp.MustCompile(`(?m)` + w).FindStringIndex(rest)
		if at == nil {
			t.Fatalf("%q does not follow; all of it:\n%s", w, text)
		}
		rest = rest[at[1]:]
	}
}

// TestInDiscord_alice: without a keyboard alice answers, in all her ways for calls that
// may pass, and eve does not.
func TestInDiscord_alice(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var inputs []string
	for i := range 8 {
		inputs = append(inputs, fmt.Sprintf(`{"target":"t%d"}`, i))
	}
	text := run(t, demo.Options{Sessions: calls(append(inputs, `{"target":"t0"}`, `{"target":"t6"}`)...)})
	inOrder(t, text,
		"^  ┃  Call `Deploy`", "^  ┃  ends in ", `^  ┃  \[Allow once\] \[Deny\]`, "^  ┃      - allow Deploy",
		`^eve presses \[Allow once\]`, "^Only eve sees:", "may not answer",
		`^alice presses \[Session: Deploy`, "^  ┃  Allowed .* by `alice` in Discord", `stored .allow Deploy\(\{"target":"t0"\}\)`, "^allow ask_approved Deploy t0",
		"^alice chooses in the menu: allow Deploy", "^  ┃  Allowed", "^allow ask_approved Deploy t1",
		"^alice reacts with ✅", "^allow ask_approved Deploy t2",
		`^\(Cards that are answered in a way`, "^The bot posts: Call", "^alice chooses in the menu", "^The card now says: Allowed", "^allow ask_approved Deploy t3",
		"^alice replies: yes", "^allow ask_approved Deploy t4",
		`^alice presses \[Allow once\]`, "^allow ask_approved Deploy t5",
		"^alice chooses in the menu", "^Only alice sees:", `\[Undo\]`, `^alice presses \[Undo\]`, "Taken back", "its rules were taken back by alice", "^allow ask_approved Deploy t6",
		"^alice reacts with 🔓", `stored .allow Deploy\(\{"target":"t7"\}\)`, "^allow ask_approved Deploy t7",
		"^allow allow_rule   Deploy t0", // answered by the rule of the session
		"^allow ask_approved Deploy t6", // its rule was taken back, so it asks again
		"^10 calls: 1 allowed without a question, 9 approved by a person[.]$", "hash chain verified",
		"^In Discord: 9 cards posted", "^Answers there:  3 by button  3 by menu  0 by form  2 by reaction  1 by reply  1 refused",
	)
}

// typist presses, at the keyboard, the keys of what a script names in turn, and types what
// follows into lines. At the end they have left.
type typist struct {
	screen *screen
	script []string
}

func (k *typist) next(kind string) (string, bool) {
	if len(k.script) == 0 {
		return "", false
	}
	what := k.script[0]
	k.script = k.script[1:]
	text, ok := strings.CutPrefix(what, kind)
	if !ok {
		panic("the demo wants a " + kind + " where the script says " + what)
	}
	return text, true
}

func (k *typist) Key(_ context.Context, _ string, keys []string) (string, bool) {
	label, ok := k.next("key ")
	if !ok {
		return "", false
	}
	lines := strings.Split(strings.TrimSuffix(k.screen.String(), "\n"), "\n")
	for i, line := range lines[len(lines)-len(keys):] {
		if strings.Contains(line, label) && strings.HasPrefix(line, "  "+keys[i]+"  ") {
			return keys[i], true
		}
	}
	panic(fmt.Sprintf("no key for %q in %q", label, lines[len(lines)-len(keys):]))
}

func (k *typist) Line(context.Context, string) (string, bool) { return k.next("line ") }

// TestInDiscord_keyboard: what the person at the keyboard presses is what counts, and
// where they have left alice answers.
func TestInDiscord_keyboard(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	long := strings.Repeat("long ", 150)
	k := &typist{script: []string{
		"key menu: Details", "key [Deny]", // a
		"key menu: Deny with words", "line not on a Friday", // b
		"key menu: allow ", "key [go on]", // c
		"key [Session: ", "key [Undo]", // d
		"key menu: allow ", "key [Allow and store it]", "key [go on]", // long: its rule is shown first
	}}
	text := run(t, demo.Options{
		Sessions: calls(`{"target":"a"}`, `{"target":"b"}`, `{"target":"c"}`, `{"target":"c"}`, `{"target":"d"}`, `{"target":"`+long+`"}`, `{"target":"e"}`),
		Keyboard: k, Patience: 2 * time.Minute,
	})
	if len(k.script) > 0 {
		t.Errorf("nobody asked for %q", k.script)
	}
	inOrder(t, text,
		`^you choose in the menu: Details`, "^Only you see:", "file .*bytes", `^you press \[Deny\]`, "^  ┃  Denied .* by `you` in Discord", "^deny  ask_denied   Deploy a",
		"^A form opens:", "^you type: not on a Friday", "reason: `not on a Friday`", "^deny  ask_denied   Deploy b .*not on a Friday",
		"^you choose in the menu: allow Deploy", "^  ┃  Allowed", "^allow ask_approved Deploy c", "^allow allow_rule   Deploy c",
		"^you press .Session: Deploy", `^you press \[Undo\]`, "Taken back", "^allow ask_approved Deploy d",
		"^Only you see:", `\[Allow and store it\]`, "^you press .Allow and store it", "^allow ask_approved Deploy long",
		"^No answer within 2m0s: alice", "^alice presses", "^  ┃  Allowed .* by `alice`", "^allow ask_approved Deploy e",
		"^7 calls:", "^In Discord: 6 cards posted", "^Answers there:  3 by button  2 by menu  1 by form  0 by reaction  0 by reply  0 refused",
	)
}
