package replay_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/replay"
	"github.com/callgate/callgate/plugins"
)

// cache holds the compiled modules of all tests of this package.
var cache string

func TestMain(m *testing.M) {
	os.Exit(compiledtest.Main(plugins.Modules(), func(dir string) int {
		cache = dir
		return m.Run()
	}))
}

// options are those of a replay over the real modules; it skips where they have not been
// built.
func options(t *testing.T, mode string) replay.Options {
	t.Helper()
	if len(plugins.Names()) == 0 {
		t.Skip("SKIPPED: the tool modules are not built: run make build")
	}
	return replay.Options{Modules: plugins.Modules(), CacheDir: cache, Mode: mode}
}

func read(t *testing.T, source, text string) []replay.Session {
	t.Helper()
	sessions, err := replay.Read(source, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return sessions
}

func run(t *testing.T, sessions []replay.Session, o replay.Options) []replay.Outcome {
	t.Helper()
	outcomes, err := replay.Run(t.Context(), sessions, o)
	if err != nil {
		t.Fatal(err)
	}
	return outcomes
}

// bash is a transcript of one session's commands, each in the project.
func bash(session string, commands ...string) string {
	var b strings.Builder
	for _, c := range commands {
		text, _ := json.Marshal(map[string]any{"tool": "Bash", "input": map[string]string{"command": c}, "cwd": "/home/ann/shop", "root": "/home/ann/shop", "session": session, "agent": "x"})
		b.Write(append(text, '\n'))
	}
	return b.String()
}

// TestWorkTrees: sessions in work trees of one repository share its rules, in a place known for work
// trees or made by a recorded call, and no other directory does.
func TestWorkTrees(t *testing.T) {
	t.Parallel()
	o := options(t, "default")
	o.Store, o.Shared = true, true
	session := func(root string, commands ...string) string {
		return strings.ReplaceAll(bash(root, commands...), "/home/ann/shop", root)
	}
	outcomes := run(t, read(t, "s", session("/home/ann/shop/.worktrees/ann/x", "make build")+
		session("/home/ann/shop", "make build", "git worktree add -b y ../tree main && ls")+
		session("/home/ann/tree", "make build")+
		session("/home/ann/shop/.claude/worktrees/z", "make build")+
		session("/home/ann/other", "make build")), o)
	var asked []string
	for _, out := range outcomes {
		if strings.Contains(string(out.Input), "make") && out.Asked {
			asked = append(asked, out.CWD)
		}
	}
	if want := []string{"/home/ann/shop/.worktrees/ann/x", "/home/ann/other"}; !slices.Equal(asked, want) {
		t.Errorf("asked in %q, want %q", asked, want)
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	got := read(t, "s", bash("a", "ls")+"\n"+bash("b", "pwd")+bash("a", "id")+
		`{"id":"1","op":"decide","mode":"default","tool":"Read","input":{"file_path":"/project/x"},"context":{"cwd":"/project/api","home":"/home/user","working_directories":["/project"],"agent":"a","session":"c"}}`)
	var told []string
	for _, s := range got {
		for _, c := range s.Calls {
			told = append(told, strings.Join([]string{s.Source, s.ID, s.Root, s.Home, c.Tool, c.CWD, string(c.Input)}, " "))
		}
	}
	want := []string{
		`s a /home/ann/shop  Bash /home/ann/shop {"command":"ls"}`,
		`s a /home/ann/shop  Bash /home/ann/shop {"command":"id"}`,
		`s b /home/ann/shop  Bash /home/ann/shop {"command":"pwd"}`,
		`s c /project /home/user Read /project/api {"file_path":"/project/x"}`,
	}
	if !slices.Equal(told, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(told, "\n"), strings.Join(want, "\n"))
	}
}

// refusedLines are invalid lines, with their errors.
var refusedLines = map[string]string{
	`{"input":{},"cwd":"/p"}`:                          "tool: missing",
	`{"tool":"Bash","cwd":"/p"}`:                       "input: want an object",
	`{"tool":"Bash","input":"ls","cwd":"/p"}`:          "input: want an object",
	`{"tool":"Bash","input":{}}`:                       "want clean absolute directories",
	`{"tool":"Bash","input":{},"cwd":"p"}`:             "want clean absolute directories",
	`{"tool":"Bash","input":{},"cwd":"/"}`:             "want clean absolute directories",
	`{"tool":"Bash","input":{},"cwd":"/p/../../etc"}`:  "want clean absolute directories",
	`{"tool":"Bash","input":{},"root":"/a","cwd":"x"}`: "want clean absolute directories",
	`{"tool":"Bash"`:                                   "not strict JSON",
}

func TestRead_refuses(t *testing.T) {
	t.Parallel()
	for text, want := range refusedLines {
		if _, err := replay.Read("s", strings.NewReader("\n"+text)); err == nil || !strings.Contains(err.Error(), "line 2: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want line 2 and %q", text, err, want)
		}
	}
}

// FuzzRead: accepted input has clean places, as the replay makes directories below them.
func FuzzRead(f *testing.F) {
	for text := range refusedLines {
		f.Add([]byte(text))
	}
	f.Add([]byte(bash("a", "ls")))
	f.Fuzz(func(t *testing.T, data []byte) {
		sessions, err := replay.Read("s", bytes.NewReader(data))
		for _, s := range sessions {
			if err == nil && (s.Root == "/" || filepath.Clean(s.Root) != s.Root || !filepath.IsAbs(s.Root) || len(s.Calls) == 0) {
				t.Errorf("%q: read as %+v", data, s)
			}
		}
	})
}

// TestLoad_theDemosSessions: the output of `callgate record` can be read, and the injected
// agent's worst calls are denied without an ask.
func TestLoad_theDemosSessions(t *testing.T) {
	t.Parallel()
	sessions, err := replay.Load(repo.File("testdata/sessions"))
	if err != nil {
		t.Fatal(err)
	}
	r := replay.Summarize(run(t, sessions, options(t, "default")))
	if r.All.Sessions != 3 || r.All.Calls != 46 || r.All.Denied != 2 || r.All.Failed != 0 || len(r.Sources) != 3 {
		t.Errorf("got %+v, want 3 sessions of 3 sources, 46 calls, 2 denied, none failed", r.All)
	}
	if _, err := replay.Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "callgate record writes them") {
		t.Errorf("an empty directory: got %v, want what writes records", err)
	}
}

// counts are the compared numbers of a row.
type counts struct{ asks, repeats, again, unstored, noOffer int }

func countsOf(r replay.Row) counts {
	return counts{r.Asks, r.Repeats, r.Again, r.AgainUnstored, r.NoOffer}
}

// TestRun_whoSharesWhatIsStored: an answer settles the next call of those who share the
// project, and nothing where nothing is stored.
func TestRun_whoSharesWhatIsStored(t *testing.T) {
	t.Parallel()
	sessions := read(t, "s", bash("a", "npm run build", "npm run build", "npm run lint", "git status")+bash("b", "npm run build"))
	for name, c := range map[string]struct {
		store, shared bool
		want          counts
	}{
		"stored for the project": {true, true, counts{asks: 1}},
		"stored for the session": {true, false, counts{asks: 2}},
		"approved once":          {false, true, counts{asks: 4, repeats: 1, unstored: 2}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := options(t, "default")
			o.Store, o.Shared = c.store, c.shared
			if got := countsOf(replay.Summarize(run(t, sessions, o)).All); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

// TestRun_paths: the gate sees the project where the replay has it, the report where it
// was; nothing is made outside of the replay's own directory.
func TestRun_paths(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "made")
	text := bash("a", "cat /home/ann/shop/a.ts /home/ann/other/b.ts") +
		`{"tool":"Write","input":{"file_path":"/home/ann/shop/a.ts","content":"x"},"cwd":"/home/ann/shop/api","root":"/home/ann/shop","session":"a"}` + "\n" +
		`{"tool":"Write","input":{"file_path":"/home/ann/other/a.ts","content":"x"},"cwd":"` + outside + `","root":"/home/ann/shop","session":"a"}` + "\n"
	o := options(t, "accept_edits")
	o.Store = true
	got := run(t, read(t, "s", text), o)
	if got[1].Asked || !got[2].Asked {
		t.Errorf("an edit in the project asked %t, one outside asked %t: want only the second", got[1].Asked, got[2].Asked)
	}
	told, err := json.Marshal(got)
	if err != nil || strings.Contains(string(told), "callgate-replay-") || !strings.Contains(string(told), "/home/ann/other") {
		t.Errorf("got %s, %v: want the places as they were recorded", told, err)
	}
	if _, err := os.Stat(outside); err == nil {
		t.Errorf("%s was made", outside)
	}
}

// TestRun_modes: each call in its own mode, or all in one.
func TestRun_modes(t *testing.T) {
	t.Parallel()
	text := `{"op":"decide","mode":"accept_edits","tool":"Write","input":{"file_path":"/project/a","content":"x"},"context":{"cwd":"/project","session":"s"}}
{"op":"decide","mode":"default","tool":"Write","input":{"file_path":"/project/b","content":"x"},"context":{"cwd":"/project","session":"s"}}
{"op":"decide","tool":"Write","input":{"file_path":"/project/c","content":"x"},"context":{"cwd":"/project","session":"s"}}
`
	for _, c := range []struct {
		mode, config string
		want         []bool
	}{
		{"", "", []bool{false, true, true}},
		{"", "defaults:\n  mode: accept_edits\n", []bool{false, true, false}},
		{"accept_edits", "", []bool{false, false, false}},
	} {
		o := options(t, c.mode)
		o.Config = []byte(c.config)
		var got []bool
		for _, out := range run(t, read(t, "s", text), o) {
			got = append(got, out.Asked)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("mode %q, configuration %q: asked %v, want %v", c.mode, c.config, got, c.want)
		}
	}
}

// TestSettings: a replay decides by the operator's rules, and reaches nothing of the operator's
// daemon.
func TestSettings(t *testing.T) {
	t.Parallel()
	text := "# mine\nstore: /home/ann/callgate.db\nrules:\n  - allow: \"Bash(make:*)\"\n  - deny: Write\nlisten: 127.0.0.1:7777\nwebhooks:\n  - url: http://127.0.0.1:9/x\n    secret_file: /x\n"
	got, err := replay.Settings("callgate.yaml", []byte(text))
	if want := "rules:\n  - allow: \"Bash(make:*)\"\n  - deny: Write\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	for text, ok := range map[string]bool{"": true, "listen: 127.0.0.1:7777\n": true, "rules: 5\n": false, "{rules: [{deny: Write}]}": false} {
		if got, err := replay.Settings("callgate.yaml", []byte(text)); (err == nil) != ok || len(got) > 0 {
			t.Errorf("%q: got %q, %v, want an error: %t", text, got, err, !ok)
		}
	}
}

// TestSummarize: the asks after a session's first calls, and their causes.
func TestSummarize(t *testing.T) {
	t.Parallel()
	var all []replay.Outcome
	for i := range 40 {
		all = append(all, replay.Outcome{Source: "s", Session: "a", Seq: i, Tool: "Bash", Input: []byte(`{"command":"x"}`), Outcome: "allow"})
	}
	for _, i := range []int{0, 35, 36} {
		all[i].Asked, all[i].Outcome, all[i].Offending = true, "ask_approved", []string{"make test:*"}
	}
	all[36].Offending = []string{"curl -s https://x"}
	all[7].Outcome, all[7].Reason = "deny", "it is Callgate's own"
	r := replay.Summarize(all)
	if r.All.Asks != 3 || r.All.Per100 != 7.5 || r.All.Late100 != 20 || r.All.Median != 7.5 || r.All.Quiet != 0 || r.All.Denied != 1 {
		t.Errorf("got %+v", r.All)
	}
	if len(r.Causes) != 2 || r.Causes[0].What != "make test:*" || r.Causes[0].Calls != 2 || r.Causes[0].NoOffer != 2 || len(r.Causes[0].Examples) != 1 {
		t.Errorf("causes: got %+v", r.Causes)
	}
	if len(r.Denials) != 1 || r.Denials[0].What != "it is Callgate's own" {
		t.Errorf("denials: got %+v", r.Denials)
	}
	var out bytes.Buffer
	r.Print(&out)
	for _, want := range []string{"7.5", "20.0", "2  Bash  make test:*  (2 without a rule on offer)", "denied, the most frequent first"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got\n%s\nwant %q in it", out.String(), want)
		}
	}
}

// TestBest: the rule with the largest saving comes first, and savings are counted by deciding
// again with the rules.
func TestBest(t *testing.T) {
	t.Parallel()
	sessions := read(t, "s", bash("a", "npm run build", "npm run lint", "npm run build && make x", "make y", "git push origin main", "cat ~/.ssh/id_rsa"))
	o := options(t, "default")
	got, err := replay.Best(context.Background(), sessions, o, 2)
	if err != nil {
		t.Fatal(err)
	}
	if got.Without != 6 || len(got.Rules) != 2 || !strings.HasPrefix(got.Rules[0].Rule, "Bash(npm run") || got.Rules[0].Saves < 2 || got.With >= got.Without {
		t.Errorf("got %+v, want a rule for npm run first of two, and fewer asks than 6", got)
	}
	saved := 0
	for _, r := range got.Rules {
		saved += r.Saves
	}
	if got.With != got.Without-saved {
		t.Errorf("got %+v: the rules were said to save %d", got, saved)
	}
	none, err := replay.Best(context.Background(), read(t, "s", bash("a", "ls")), o, 5)
	if err != nil || none.Without != 0 || len(none.Rules) != 0 {
		t.Errorf("nothing asked: got %+v, %v", none, err)
	}
}
