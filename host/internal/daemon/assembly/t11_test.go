package assembly_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// TestT11_swappedWhileAPersonThinks changes the targets of a call between ask and approval, on
// the real file system: the approval does not hold, and the next card shows the difference.
func TestT11_swappedWhileAPersonThinks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command string
		swap    func(w *world)
		want    string // in the second card; empty when there is none
	}{
		"nothing":           {"bash deploy.sh", func(*world) {}, ""},
		"an unrelated file": {"bash deploy.sh", func(w *world) { w.write("other", "x") }, ""},
		"the link leads elsewhere": {"touch build/x", func(w *world) {
			w.must(os.Remove(w.at("build")))
			w.must(os.Symlink(w.dirs.Home, w.at("build")))
		}, "build/x"},
		"the script was edited": {"bash deploy.sh", func(w *world) { w.write("deploy.sh", "echo HERE") }, "its content was sha256:"},
		"the script was replaced by its like": {"bash deploy.sh", func(w *world) {
			w.write("copy", "echo here")
			w.must(os.Rename(w.at("copy"), w.at("deploy.sh")))
		}, "another file"},
		"the script is gone":     {"bash deploy.sh", func(w *world) { w.must(os.Remove(w.at("deploy.sh"))) }, "deploy.sh"},
		"the file to write came": {"touch fresh", func(w *world) { w.write("fresh", "") }, "fresh"},
		"the directory was swapped": {"npm run build", func(w *world) {
			w.must(os.Rename(w.project, w.project+".old"))
			w.must(os.Mkdir(w.project, 0o700))
			w.must(os.CopyFS(w.project, os.DirFS(w.project+".old")))
		}, "the current directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, worker)
			w.Asks.Attach(ask.Surface{Name: "test"})
			w.write("deploy.sh", "echo here")
			w.write("target/keep", "")
			w.must(os.Symlink(w.at("target"), w.at("build")))
			shown, done := w.asked(w.bash(c.command))
			first := w.next(shown, done)
			c.swap(w)
			w.approve(first)
			if c.want == "" {
				if res := <-done; res.Outcome != store.AskApproved {
					t.Errorf("got %+v, want ask_approved", res)
				}
				return
			}
			again := w.next(shown, done)
			if got := strings.Join(again.Changed, "\n"); !strings.Contains(got, c.want) {
				t.Errorf("the second card says %q, want %q in it", got, c.want)
			}
			if _, err := w.Gate.Answer(t.Context(), again.ID, ask.Answer{By: "ann"}); err != nil {
				t.Fatal(err)
			}
			if res := <-done; res.Decision.Behavior != engine.Deny {
				t.Errorf("got %+v, want deny", res)
			}
		})
	}
}

// A retry of an approved call asks anew when its program was edited since.
func TestT11_retryOfAnEditedScript(t *testing.T) {
	t.Parallel()
	w := newWorld(t, worker)
	w.Asks.Attach(ask.Surface{Name: "test"})
	w.write("deploy.sh", "echo here")
	r := w.named("c1", "bash deploy.sh")
	shown, done := w.asked(r)
	w.approve(w.next(shown, done))
	first := <-done
	if again := w.check("worker", r); again.AskID != first.AskID || again.Outcome != store.AskApproved {
		t.Fatalf("unchanged: got %+v, want the same approval", again)
	}
	w.write("deploy.sh", "echo HERE")
	shown, done = w.asked(r)
	if again := w.next(shown, done); !strings.Contains(strings.Join(again.Changed, "\n"), "deploy.sh") {
		t.Errorf("the new card says %q, want what was edited", again.Changed)
	} else {
		w.approve(again)
	}
	if res := <-done; res.Outcome != store.AskApproved || res.AskID == first.AskID {
		t.Errorf("got %+v, want the new approval", res)
	}
}

const batch = `
rules:
  - {tool: Bash, content: "cd /", behavior: allow}
  - {tool: Bash, content: "rm -rf build", behavior: allow}
  - {tool: Read, content: "secret/**", behavior: deny}
agents:
  worker: {mode: accept_edits, working_directories: [PROJECT]}
  loose: {mode: bypass, working_directories: [PROJECT]}
  careful: {mode: dont_ask, working_directories: [PROJECT]}
`

// TestT11_batch is `cd /` beside `rm -rf build`: while the first has not ended, no relative
// path is allowed, by any rule or mode; denials stay.
func TestT11_batch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch)
	w.write("build/x", "")
	w.write("a.txt", "a")
	rm := w.named("c2", "rm -rf build")
	if d := w.evaluate("worker", rm); d.Behavior != engine.Allow {
		t.Fatalf("alone: got %+v, want allow", d)
	}
	for _, agent := range []string{"worker", "loose"} {
		cd := w.named("c1", "cd /")
		if res := w.check(agent, cd); res.Decision.Behavior != engine.Allow {
			t.Fatalf("%s: cd /: got %+v, want allow", agent, res.Decision)
		}
		for _, command := range []string{"rm -rf build", "cat a.txt", "touch b.txt"} {
			d := w.evaluate(agent, w.named("c2", command))
			if d.Behavior != engine.Ask || d.Code != engine.CodeUnsettled || !strings.Contains(d.Reason, `"c1"`) || len(d.Suggestions) > 0 {
				t.Errorf("%s: %s beside cd /: got %s %s %q, want an ask that names c1 and offers no rule", agent, command, d.Behavior, d.Code, d.Reason)
			}
		}
		if d := w.evaluate(agent, w.named("c2", "cat secret/key")); d.Behavior != engine.Deny || d.Stage != engine.StageDenyRule {
			t.Errorf("%s: a deny rule beside cd /: got %+v", agent, d)
		}
		if d := w.evaluate(agent, w.named("c2", "cat "+w.at("a.txt"))); d.Behavior != engine.Allow {
			t.Errorf("%s: an absolute path beside cd /: got %+v, want allow", agent, d)
		}
		other := w.named("c2", "cat a.txt")
		other.Context.Session = "s2"
		if d := w.evaluate(agent, other); d.Behavior != engine.Allow {
			t.Errorf("%s: another session: got %+v, want allow", agent, d)
		}
		silent := w.named("c2", "cat a.txt")
		silent.Reports = false
		if d := w.evaluate(agent, silent); d.Behavior != engine.Allow {
			t.Errorf("%s: a client that does not report: got %+v, want allow", agent, d)
		}
		m, err := w.Gate.Finish(t.Context(), caller(agent), wire.Finished{CallID: "c1", Tool: "Bash", Input: cd.Input, Context: cd.Context})
		if err != nil || !m.Match {
			t.Fatalf("finish: got %+v, %v", m, err)
		}
		if d := w.evaluate(agent, w.named("c2", "rm -rf build")); d.Behavior != engine.Allow {
			t.Errorf("%s: after cd has ended: got %+v, want allow", agent, d)
		}
	}
	if res := w.check("careful", w.named("c1", "cd /")); res.Decision.Behavior != engine.Allow {
		t.Fatalf("careful: cd /: got %+v", res.Decision)
	}
	if d := w.evaluate("careful", rm); d.Behavior != engine.Deny || d.Code != engine.CodeUnsettled {
		t.Errorf("careful: got %+v, want deny", d)
	}
}

// Reading calls delay no one: a client runs several of them at once.
func TestT11_readersDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t, batch)
	w.write("a.txt", "a")
	w.write("src/a.txt", "a")
	for i, r := range []wire.Request{
		w.bash("cat a.txt"), w.bash("grep -rn x src"), w.request("Read", object("file_path", w.at("a.txt"))),
		w.request("Grep", object("pattern", "x", "path", w.at("src"))), w.request("Write", object("file_path", w.at("new"), "content", "x")), w.bash("cat a.txt"),
	} {
		r.CallID, r.Reports = fmt.Sprint("r", i), true
		if res := w.check("worker", r); res.Decision.Behavior != engine.Allow {
			t.Errorf("%s %s: got %+v, want allow", r.Tool, r.Input, res.Decision)
		}
	}
}

// named is a call with an id of a client with reports of ends. Without a session of its own it
// is in that of its token and agent.
func (w *world) named(id, command string) wire.Request {
	r := w.bash(command)
	r.CallID, r.Reports = id, true
	return r
}

func (w *world) at(name string) string { return filepath.Join(w.project, name) }

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// asked checks in the background and reports every shown ask.
func (w *world) asked(r wire.Request) (<-chan ask.Ask, <-chan wire.Result) {
	ctx, cancel := context.WithCancel(context.Background())
	w.t.Cleanup(cancel)
	events := w.Asks.Subscribe(ctx)
	shown, done := make(chan ask.Ask, 8), make(chan wire.Result, 1)
	go func() {
		for ev := range events {
			if ev.Kind == ask.EventShown {
				shown <- ev.Ask
			}
		}
	}()
	go func() {
		res, err := w.Gate.Check(ctx, caller("worker"), r, nil)
		if err != nil && ctx.Err() == nil {
			w.t.Errorf("Check(%s): %v", r.Input, err)
		}
		done <- res
	}()
	return shown, done
}

// next is the next shown ask of an unanswered call.
func (w *world) next(shown <-chan ask.Ask, done <-chan wire.Result) ask.Ask {
	w.t.Helper()
	select {
	case a := <-shown:
		return a
	case res := <-done:
		w.t.Fatalf("got %s (%s) without another ask", res.Outcome, res.Decision.Reason)
	}
	return ask.Ask{}
}

func (w *world) approve(a ask.Ask) {
	w.t.Helper()
	answer := ask.Answer{Verdict: ask.Approve, By: "ann", ConfirmID: a.ID}
	if _, err := w.Gate.Answer(w.t.Context(), a.ID, answer); err != nil {
		w.t.Fatal(err)
	}
}
