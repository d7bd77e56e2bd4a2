package assembly_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// addTree makes dir a work tree of the repository site, as git does.
func (w *world) addTree(site, dir string) {
	w.t.Helper()
	entry := filepath.Join(site, ".git", "worktrees", filepath.Base(dir))
	for name, text := range map[string]string{
		filepath.Join(dir, ".git"):        "gitdir: " + entry + "\n",
		filepath.Join(entry, "gitdir"):    filepath.Join(dir, ".git") + "\n",
		filepath.Join(entry, "commondir"): "../..\n",
		filepath.Join(entry, "HEAD"):      "ref: refs/heads/x\n",
	} {
		w.must(os.MkdirAll(filepath.Dir(name), 0o700))
		w.must(os.WriteFile(name, []byte(text), 0o600))
	}
}

// TestWorkTreesAreOneProject: a rule stored in a work tree holds in its repository and in each
// other work tree, its relative pattern anchored where the call is; a directory that only claims to
// be one, and every other project, ask as before.
func TestWorkTreesAreOneProject(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {worker: {user: ann}}")
	w.Asks.Attach(ask.Surface{Name: "test"})
	top, err := filepath.EvalSymlinks(t.TempDir())
	w.must(err)
	site, one, two, forged, other := filepath.Join(top, "site"), filepath.Join(top, "one"), filepath.Join(top, "two"), filepath.Join(top, "forged"), filepath.Join(top, "other")
	for _, dir := range []string{site, other} {
		for _, sub := range []string{"objects", "refs"} {
			w.must(os.MkdirAll(filepath.Join(dir, ".git", sub), 0o700))
		}
		w.must(os.WriteFile(filepath.Join(dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	}
	w.addTree(site, one)
	w.addTree(site, two)
	w.must(os.MkdirAll(forged, 0o700))
	w.must(os.WriteFile(filepath.Join(forged, ".git"), []byte("gitdir: "+filepath.Join(site, ".git", "worktrees", "one")+"\n"), 0o600))
	decide := func(dir, tool, key, value string) engine.Behavior {
		t.Helper()
		r := w.request(tool, object(key, value, "content", "x"))
		if tool == "Bash" {
			r = w.request(tool, object(key, value))
		}
		r.Context.CWD = dir
		return w.evaluate("worker", r).Behavior
	}
	want := func(when, tool, key, value string, behaviors map[string]engine.Behavior) {
		t.Helper()
		for dir, want := range behaviors {
			if got := decide(dir, tool, key, value); got != want {
				t.Errorf("%s, in %s: got %s, want %s", when, filepath.Base(dir), got, want)
			}
		}
	}

	r := w.bash("npm run build")
	r.Context.CWD = one
	out := w.answer(func(a ask.Ask) ask.Answer {
		if a.Repository != site || a.ProjectRoot != one {
			t.Errorf("the ask is of %q in %q", a.ProjectRoot, a.Repository)
		}
		return ask.Answer{Verdict: ask.Approve, Sets: []int{a.Decision.Suggestions[0].Set}, Scope: engine.Project, ConfirmID: a.ID}
	}, func() { w.check("worker", r) })
	if len(out.Rules) != 1 || out.Rules[0].ScopeKey != site {
		t.Fatalf("stored %+v", out.Rules)
	}
	want("a rule stored in a work tree", "Bash", "command", "npm run build", map[string]engine.Behavior{one: engine.Allow, two: engine.Allow, site: engine.Allow, forged: engine.Ask, other: engine.Ask})

	src := "src/**"
	_, err = w.Store.AddRule(t.Context(), engine.Rule{Tool: "Write", Content: &src, Behavior: engine.Allow, Scope: engine.Project, ScopeKey: site})
	w.must(err)
	want("a relative pattern", "Write", "file_path", "src/a", map[string]engine.Behavior{one: engine.Allow, two: engine.Allow, site: engine.Allow, forged: engine.Ask})
	want("the repository's own files", "Write", "file_path", filepath.Join(site, "src/a"), map[string]engine.Behavior{one: engine.Ask, site: engine.Allow})

	_, err = w.Store.AddRule(t.Context(), engine.Rule{Tool: "Write", Content: &src, Behavior: engine.Deny, Scope: engine.Project, ScopeKey: site})
	w.must(err)
	want("a deny rule", "Write", "file_path", "src/a", map[string]engine.Behavior{one: engine.Deny, two: engine.Deny, site: engine.Deny, forged: engine.Ask})
	want("a deny rule on the repository's own files", "Write", "file_path", filepath.Join(site, "src/a"), map[string]engine.Behavior{one: engine.Deny, site: engine.Deny})

	lone := "make x"
	_, err = w.Store.AddRule(t.Context(), engine.Rule{Tool: "Bash", Content: &lone, Behavior: engine.Allow, Scope: engine.Project, ScopeKey: two})
	w.must(err)
	want("a rule for one work tree alone", "Bash", "command", lone, map[string]engine.Behavior{one: engine.Ask, two: engine.Allow, site: engine.Ask})

	w.must(os.WriteFile(filepath.Join(site, ".callgate.yaml"), []byte("deny: [\"Bash(make:*)\"]\n"), 0o600))
	want("the repository's own file", "Bash", "command", lone, map[string]engine.Behavior{two: engine.Deny, other: engine.Ask})
}
