package assembly_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/gate/folder"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/projecttest"
	"github.com/callgate/callgate/host/wire"
)

// folderWorld is a world with an unconfigured project.
func folderWorld(t *testing.T, yaml string) *world {
	t.Helper()
	w := newWorld(t, yaml)
	w.Asks.Attach(ask.Surface{Name: "test"})
	w.project = projecttest.Repository(t, filepath.Join(projecttest.Dir(t), "site"))
	w.write("src/a.txt", "a")
	w.write(".env", "TOKEN=1")
	return w
}

const twoAgents = "agents: {worker: {user: ann}, careful: {user: ann, mode: dont_ask}, editor: {user: ann, mode: accept_edits}, other: {user: ann}}"

func (w *world) read(name string) wire.Request { return w.request("Read", object("file_path", name)) }

// tap trusts the folder of the next card.
func tap(access wire.FolderAccess) func(ask.Ask) ask.Answer {
	return func(a ask.Ask) ask.Answer {
		return ask.Answer{Verdict: ask.Approve, Folder: access, ConfirmID: a.ID}
	}
}

func (w *world) trust(agent string, access wire.FolderAccess, r wire.Request) ask.AnswerResult {
	w.t.Helper()
	var res wire.Result
	out := w.answer(tap(access), func() { res = w.check(agent, r) })
	if res.Decision.Behavior != engine.Allow {
		w.t.Fatalf("the call of the tap: %s (%s)", res.Decision.Behavior, res.Decision.Reason)
	}
	return out
}

// TestTrustAFolderOnce: one tap makes reading in the project free, for that agent, for Read,
// Grep and Glob as for cat; secrets, files outside, edits and other agents ask as before.
func TestTrustAFolderOnce(t *testing.T) {
	t.Parallel()
	w := folderWorld(t, twoAgents)
	w.must(os.Symlink("/etc", w.at("out")))
	out := w.trust("worker", wire.ReadFolder, w.read("src/a.txt"))
	if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], w.project+" is trusted: worker may read") {
		t.Errorf("notes %q", out.Notes)
	}
	for name, tc := range map[string]struct {
		agent string
		r     wire.Request
		want  engine.Behavior
	}{
		"Read":                    {"worker", w.read("src/a.txt"), engine.Allow},
		"Read, absolute":          {"worker", w.read(w.at("src/a.txt")), engine.Allow},
		"Read of what is not yet": {"worker", w.read("src/new"), engine.Allow},
		"Grep":                    {"worker", w.request("Grep", object("pattern", "a", "path", "src")), engine.Allow},
		"Glob":                    {"worker", w.request("Glob", object("pattern", "src/**/*.txt")), engine.Allow},
		"LS":                      {"worker", w.request("LS", object("path", w.project)), engine.Allow},
		"cat":                     {"worker", w.bash("cat src/a.txt"), engine.Allow},
		"a secret":                {"worker", w.read(".env"), engine.Ask},
		"a search of secrets":     {"worker", w.request("Grep", object("pattern", "TOKEN", "glob", ".env*")), engine.Ask},
		"a link out":              {"worker", w.read("out/passwd"), engine.Ask},
		"dots out":                {"worker", w.read("src/../../x"), engine.Ask},
		"a glob out":              {"worker", w.request("Glob", object("pattern", "../**")), engine.Ask},
		"a search out":            {"worker", w.request("Grep", object("pattern", "a", "path", "..")), engine.Ask},
		"outside":                 {"worker", w.read("/etc/hostname"), engine.Ask},
		"a write":                 {"worker", w.request("Write", object("file_path", "src/a.txt", "content", "b")), engine.Ask},
		"a removal":               {"worker", w.bash("rm src/a.txt"), engine.Ask},
		"a program":               {"worker", w.bash("npm test"), engine.Ask},
		"another agent":           {"other", w.read("src/a.txt"), engine.Ask},
	} {
		if got := w.evaluate(tc.agent, tc.r); got.Behavior != tc.want {
			t.Errorf("%s: got %s (%s at %s), want %s", name, got.Behavior, got.Reason, got.Stage, tc.want)
		}
	}
}

// TestOneRuleReadsAndSearches: the rule that the card of a search, or of a file, offers first makes
// reading and searching the project free, and nothing else: not a secret, a place outside, a link
// there, a write, a program; nor does a rule for single files or for the whole of Read search.
func TestOneRuleReadsAndSearches(t *testing.T) {
	t.Parallel()
	within := func(w *world, r wire.Request) wire.Request {
		r.Context.WorkingDirectories = []string{w.project}
		return r
	}
	for name, asked := range map[string]func(*world) wire.Request{
		"Grep":            func(w *world) wire.Request { return w.request("Grep", object("pattern", "a")) },
		"Grep, below":     func(w *world) wire.Request { return w.request("Grep", object("pattern", "a", "path", "src")) },
		"Glob":            func(w *world) wire.Request { return w.request("Glob", object("pattern", "**/*.txt")) },
		"LS":              func(w *world) wire.Request { return w.request("LS", object("path", w.project)) },
		"a file":          func(w *world) wire.Request { return w.read("src/a.txt") },
		"several at once": func(w *world) wire.Request { return w.request("ReadMany", json.RawMessage(`{"paths":["src/a.txt"]}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := folderWorld(t, "agents: {worker: {user: ann}}")
			w.must(os.Symlink("/etc", w.at("out")))
			var offered engine.Suggestion
			w.answer(func(a ask.Ask) ask.Answer {
				offered = a.Decision.Suggestions[0]
				return ask.Answer{Verdict: ask.Approve, Sets: []int{offered.Set}, ConfirmID: a.ID}
			}, func() { w.check("worker", within(w, asked(w))) })
			if offered.Content == nil || *offered.Content != w.project+"/** without secrets" {
				t.Fatalf("offered %s", offered.Description)
			}
			free := engine.Allow
			if offered.Tool != "Read" {
				free = engine.Ask // a rule of another tool holds for that alone
			}
			for what, tc := range map[string]struct {
				r    wire.Request
				want engine.Behavior
			}{
				"a file":          {w.read("src/a.txt"), free},
				"Grep":            {w.request("Grep", object("pattern", "a")), free},
				"Grep in a file":  {w.request("Grep", object("pattern", "a", "path", "src/a.txt")), free},
				"Glob":            {w.request("Glob", object("pattern", "src/**/*.txt")), free},
				"LS":              {w.request("LS", object("path", "src")), free},
				"a secret":        {w.read(".env"), engine.Ask},
				"secrets":         {w.request("Grep", object("pattern", "TOKEN", "glob", ".env*")), engine.Ask},
				"a secret's text": {w.request("Grep", object("pattern", "TOKEN", "path", ".env")), engine.Ask},
				"outside":         {w.request("Grep", object("pattern", "a", "path", "/etc")), engine.Ask},
				"above":           {w.request("LS", object("path", "..")), engine.Ask},
				"a glob out":      {w.request("Glob", object("pattern", "../**")), engine.Ask},
				"a link":          {w.request("Grep", object("pattern", "a", "path", "out")), engine.Ask},
				"a write":         {w.request("Write", object("file_path", "src/a.txt", "content", "b")), engine.Ask},
				"a program":       {w.bash("npm test"), engine.Ask},
			} {
				if got := w.evaluate("worker", within(w, tc.r)); got.Behavior != tc.want {
					t.Errorf("%s: got %s (%s at %s), want %s", what, got.Behavior, got.Reason, got.Stage, tc.want)
				}
			}
		})
	}
	t.Run("a home directory", func(t *testing.T) {
		t.Parallel()
		w := folderWorld(t, "agents: {worker: {user: ann}}\nrules: [{allow: 'Read(~/** without secrets)'}]")
		for path, want := range map[string]engine.Behavior{"~": engine.Ask, "~/src": engine.Allow} {
			got := w.evaluate("worker", w.request("Grep", object("pattern", "a", "path", path, "glob", "*.go")))
			if got.Behavior != want {
				t.Errorf("a search of %s: got %s (%s), want %s", path, got.Behavior, got.Reason, want)
			}
		}
	})
	for _, rule := range []string{"Read", "Read(*)", "Read(src/**)", "Read(src/a.txt)", "Read(src/*)"} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			w := folderWorld(t, "agents: {worker: {user: ann}}\nrules: [{allow: '"+rule+"'}]")
			for _, path := range []string{"src", "src/a.txt", "."} {
				if got := w.evaluate("worker", w.request("Grep", object("pattern", "a", "path", path))); got.Behavior != engine.Ask {
					t.Errorf("a search of %s: got %s (%s), want ask", path, got.Behavior, got.Reason)
				}
			}
		})
	}
}

// TestTrustForEditing: editing includes reading, in default as in accept_edits; protected
// files ask as before, and trust for reading is none for editing.
func TestTrustForEditing(t *testing.T) {
	t.Parallel()
	w := folderWorld(t, twoAgents)
	writeA := w.request("Write", object("file_path", "src/a.txt", "content", "b"))
	w.trust("worker", wire.EditFolder, writeA)
	w.trust("editor", wire.EditFolder, writeA)
	w.write("sub/.git/config", "")
	for _, agent := range []string{"worker", "editor"} {
		for name, tc := range map[string]struct {
			r    wire.Request
			want engine.Behavior
		}{
			"Write":          {w.request("Write", object("file_path", "src/new.txt", "content", "b")), engine.Allow},
			"Edit":           {w.request("Edit", object("file_path", w.at("src/a.txt"), "old_string", "a", "new_string", "b")), engine.Allow},
			"mkdir":          {w.bash("mkdir -p src/x"), engine.Allow},
			"Read":           {w.read("src/a.txt"), engine.Allow},
			"outside":        {w.request("Write", object("file_path", "/etc/x", "content", "b")), engine.Ask},
			"beside":         {w.request("Write", object("file_path", "../x", "content", "b")), engine.Ask},
			"half outside":   {w.bash("cp src/a.txt /srv/a.txt"), engine.Ask},
			"protected":      {w.request("Write", object("file_path", ".git/config", "content", "b")), engine.Ask},
			"a program":      {w.bash("npm test"), engine.Ask},
			"a secret":       {w.bash("cat .env"), engine.Ask},
			"project's file": {w.request("Write", object("file_path", ".callgate.yaml", "content", "b")), engine.Deny},
		} {
			if got := w.evaluate(agent, tc.r); got.Behavior != tc.want {
				t.Errorf("%s, %s: got %s (%s at %s), want %s", agent, name, got.Behavior, got.Reason, got.Stage, tc.want)
			}
		}
	}
}

// TestTrustForReadingIsNoneForEditing: in accept_edits a folder trusted for reading does not
// become a working directory.
func TestTrustForReadingIsNoneForEditing(t *testing.T) {
	t.Parallel()
	w := folderWorld(t, twoAgents)
	found, err := w.Gate.Folders.Find(t.Context(), w.project)
	w.must(err)
	_, err = w.Gate.Folders.Trust(t.Context(), folder.Trusting{Agent: "editor", Folder: found, Access: wire.ReadFolder, By: "ann"})
	w.must(err)
	for _, r := range []wire.Request{w.request("Write", object("file_path", "src/a.txt", "content", "b")), w.bash("rm src/a.txt"), w.bash("mkdir x")} {
		if got := w.evaluate("editor", r); got.Behavior != engine.Ask {
			t.Errorf("%s %s: got %s (%s)", r.Tool, r.Input, got.Behavior, got.Reason)
		}
	}
}

// TestFolderOffers: a card offers only a folder that would have allowed the call.
func TestFolderOffers(t *testing.T) {
	t.Parallel()
	w := folderWorld(t, twoAgents)
	outside := projecttest.Dir(t)
	none := filepath.Join(outside, "plain")
	w.must(os.Mkdir(none, 0o700))
	several := projecttest.Repository(t, filepath.Join(outside, "several"))
	for _, name := range []string{"a", "b"} {
		projecttest.Repository(t, filepath.Join(several, name))
	}
	inTemp := projecttest.Repository(t, filepath.Join(t.TempDir(), "site"))
	worktree := projecttest.Repository(t, w.at(".claude/worktrees/x"))
	w.must(os.Symlink(w.project, filepath.Join(outside, "link")))
	both, edit := []wire.FolderAccess{wire.ReadFolder, wire.EditFolder}, []wire.FolderAccess{wire.EditFolder}
	for name, tc := range map[string]struct {
		agent string
		r     wire.Request
		cwd   string
		want  []wire.FolderAccess
	}{
		"a read":            {"worker", w.read("src/a.txt"), w.project, both},
		"from below":        {"worker", w.read("a.txt"), w.at("src"), both},
		"through a link":    {"worker", w.read("src/a.txt"), filepath.Join(outside, "link"), nil}, // a write by this path lies outside
		"from a work tree":  {"worker", w.read("a.txt"), worktree, both},
		"a write":           {"worker", w.request("Write", object("file_path", "x", "content", "b")), w.project, edit},
		"in accept_edits":   {"editor", w.request("Write", object("file_path", "x", "content", "b")), w.project, edit},
		"a secret":          {"worker", w.read(".env"), w.project, nil},
		"outside":           {"worker", w.read("/etc/hostname"), w.project, nil},
		"a program":         {"worker", w.bash("npm test"), w.project, nil},
		"no repository":     {"worker", w.read("x"), none, nil},
		"several projects":  {"worker", w.read("x"), several, nil},
		"among temporaries": {"worker", w.read("x"), inTemp, nil},
		"a home":            {"worker", w.read("x"), w.dirs.Home, nil},
		"no directory":      {"worker", w.read("/x"), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := tc.r
			r.Context.CWD, r.Context.Session = tc.cwd, name
			var shown ask.Ask
			w.answer(func(a ask.Ask) ask.Answer { shown = a; return ask.Answer{} }, func() { w.check(tc.agent, r) })
			var got []wire.FolderAccess
			if shown.Folder != nil {
				got = shown.Folder.Access
				if shown.Folder.Path != w.project {
					t.Errorf("offers %s, want %s", shown.Folder.Path, w.project)
				}
			}
			if strings.Join(texts(got), " ") != strings.Join(texts(tc.want), " ") {
				t.Errorf("offers %v, want %v", got, tc.want)
			}
		})
	}
	if list, err := w.Gate.Folders.List(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("trusted after denials alone: %v, %v", list, err)
	}
}

func texts(list []wire.FolderAccess) (out []string) {
	for _, a := range list {
		out = append(out, string(a))
	}
	return out
}

// TestFolderAnswers: a folder not offered, an answer without the id, and one for the session
// are refused, and an approval for once trusts nothing.
func TestFolderAnswers(t *testing.T) {
	t.Parallel()
	w := folderWorld(t, twoAgents)
	shown, done := w.asked(w.request("Write", object("file_path", "x", "content", "b")))
	a := w.next(shown, done)
	for name, answer := range map[string]ask.Answer{
		"not offered":     {Verdict: ask.Approve, Folder: wire.ReadFolder, ConfirmID: a.ID},
		"unknown":         {Verdict: ask.Approve, Folder: "all", ConfirmID: a.ID},
		"no id":           {Verdict: ask.Approve, Folder: wire.EditFolder},
		"for the session": {Verdict: ask.Approve, Folder: wire.EditFolder, ForSession: true, ConfirmID: a.ID},
		"a denial":        {Folder: wire.EditFolder, ConfirmID: a.ID},
	} {
		answer.By = "ann"
		if _, err := w.Gate.Answer(t.Context(), a.ID, answer); !errors.Is(err, ask.ErrBadAnswer) && !errors.Is(err, ask.ErrUnconfirmed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	w.approve(a)
	<-done
	if list, err := w.Gate.Folders.List(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("trusted: %v, %v", list, err)
	}
}

// TestFolderReplaced: a folder moved away, or replaced by another one or by a link, is not
// trusted any more, nor is one swapped between card and tap. The attack: have an empty project
// trusted, then put the home directory in its place.
func TestFolderReplaced(t *testing.T) {
	t.Parallel()
	for name, swap := range map[string]func(w *world){
		"moved away": func(w *world) { w.must(os.Rename(w.project, w.project+".old")) },
		"replaced": func(w *world) {
			w.must(os.Rename(w.project, w.project+".old"))
			projecttest.Repository(w.t, w.project)
			w.write("src/a.txt", "other")
		},
		"removed and made again": func(w *world) {
			w.must(os.RemoveAll(w.project))
			projecttest.Repository(w.t, w.project)
			w.write("src/a.txt", "other")
		},
		"a link to it": func(w *world) {
			w.must(os.Rename(w.project, w.project+".old"))
			w.must(os.Symlink(w.project+".old", w.project))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := folderWorld(t, twoAgents)
			w.trust("worker", wire.EditFolder, w.read("src/a.txt"))
			swap(w)
			for _, r := range []wire.Request{w.read("src/a.txt"), w.request("Write", object("file_path", w.at("src/a.txt"), "content", "b"))} {
				if got := w.evaluate("worker", r); got.Behavior != engine.Ask {
					t.Errorf("%s: got %s (%s)", r.Tool, got.Behavior, got.Reason)
				}
			}
			list, err := w.Gate.Folders.List(t.Context(), "worker")
			if err != nil || len(list) != 1 || list[0].Problem == "" {
				t.Errorf("the list tells %+v, %v", list, err)
			}
		})
		t.Run(name+" before the tap", func(t *testing.T) {
			t.Parallel()
			w := folderWorld(t, twoAgents)
			out := w.answer(func(a ask.Ask) ask.Answer {
				swap(w)
				return tap(wire.ReadFolder)(a)
			}, func() {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				go func() { // the call asks anew: it differs from the shown one
					for ev := range w.Asks.Subscribe(ctx) {
						if ev.Kind == ask.EventShown && len(ev.Ask.Changed) > 0 {
							_, _ = w.Gate.Answer(ctx, ev.Ask.ID, ask.Answer{By: "ann"})
						}
					}
				}()
				w.check("worker", w.read("src/a.txt"))
			})
			if len(out.Notes) != 1 || !strings.Contains(out.Notes[0], "the folder is not trusted") {
				t.Errorf("notes %q", out.Notes)
			}
			if list, err := w.Gate.Folders.List(t.Context(), ""); err != nil || len(list) != 0 {
				t.Errorf("trusted: %v, %v", list, err)
			}
		})
	}
}

// TestFolderKept: trust survives a restart and is audited, as is its end; a list changed
// outside Callgate counts for nothing.
func TestFolderKept(t *testing.T) {
	t.Parallel()
	w := folderWorld(t, twoAgents)
	w.trust("worker", wire.ReadFolder, w.read("src/a.txt"))
	w.must(w.Close())
	w.open()
	w.Asks.Attach(ask.Surface{Name: "test"})
	if got := w.evaluate("worker", w.read("src/a.txt")); got.Behavior != engine.Allow || got.Code != engine.CodeTrustedFolder {
		t.Errorf("after a restart: %s (%s)", got.Behavior, got.Code)
	}
	list, err := w.Gate.Folders.List(t.Context(), "")
	if err != nil || len(list) != 1 || list[0].By != "ann" || list[0].AskID == "" {
		t.Fatalf("list %+v, %v", list, err)
	}
	if _, err := w.Gate.Folders.Forget(t.Context(), "nothing", "ann"); !errors.Is(err, folder.ErrUnknown) {
		t.Errorf("forget of an unknown one: %v", err)
	}
	_, err = w.Gate.Folders.Forget(t.Context(), list[0].ID, "ann")
	w.must(err)
	if got := w.evaluate("worker", w.read("src/a.txt")); got.Behavior != engine.Ask {
		t.Errorf("after it was taken back: %s", got.Behavior)
	}
	var events []string
	for row, err := range w.Store.Audit(t.Context(), store.Filter{}) {
		w.must(err)
		if strings.HasPrefix(string(row.Event), "folder_") {
			events = append(events, string(row.Event)+" "+row.Agent+" "+row.DecidedBy)
		}
	}
	if got := strings.Join(events, ", "); got != "folder_trusted worker ann, folder_forgotten worker ann" {
		t.Errorf("the audit tells %q", got)
	}
}

// TestFolderNarrowed: a call's claims of directories only narrow the trust, and a project's own
// file holds in a trusted folder for any claimed place.
func TestFolderNarrowed(t *testing.T) {
	t.Parallel()
	w := folderWorld(t, twoAgents)
	w.trust("worker", wire.EditFolder, w.read("src/a.txt"))
	narrow := func(r wire.Request, dirs ...string) wire.Request {
		r.Context.WorkingDirectories = dirs
		return r
	}
	for name, tc := range map[string]struct {
		r    wire.Request
		want engine.Behavior
	}{
		"as it is":         {w.read("src/a.txt"), engine.Allow},
		"below":            {narrow(w.read("src/a.txt"), w.at("src")), engine.Allow},
		"beside":           {narrow(w.read("src/a.txt"), w.at("doc")), engine.Ask},
		"none":             {narrow(w.read("src/a.txt"), []string{}...), engine.Ask},
		"wider":            {narrow(w.read("/etc/hostname"), "/"), engine.Ask},
		"a write beside":   {narrow(w.request("Write", object("file_path", "src/a.txt", "content", "b")), w.at("doc")), engine.Ask},
		"a child's":        {child(w.read("src/a.txt"), w.at("doc")), engine.Ask},
		"a child's within": {child(w.read("src/a.txt"), w.project), engine.Allow},
	} {
		if got := w.evaluate("worker", tc.r); got.Behavior != tc.want {
			t.Errorf("%s: got %s (%s), want %s", name, got.Behavior, got.Reason, tc.want)
		}
	}
	w.write(".callgate.yaml", "deny: [\"Read(src/a.txt)\"]\n")
	elsewhere := w.read(w.at("src/a.txt"))
	elsewhere.Context.CWD = "/"
	for _, r := range []wire.Request{w.read("src/a.txt"), elsewhere} {
		if got := w.evaluate("worker", r); got.Behavior != engine.Deny {
			t.Errorf("cwd %s: got %s (%s), want the project's deny rule", r.Context.CWD, got.Behavior, got.Reason)
		}
	}
}

func child(r wire.Request, dirs ...string) wire.Request {
	r.Context.Child = &wire.Child{Name: "sub", WorkingDirectories: dirs}
	return r
}

// TestFolderTaps_race: taps on two cards at the same time, and a third person who takes
// back and lists meanwhile, leave one entry with the wider access.
func TestFolderTaps_race(t *testing.T) {
	t.Parallel()
	w := folderWorld(t, twoAgents)
	found, err := w.Gate.Folders.Find(t.Context(), w.at("src"))
	w.must(err)
	var all sync.WaitGroup
	for _, access := range []wire.FolderAccess{wire.ReadFolder, wire.EditFolder, wire.ReadFolder, wire.EditFolder} {
		for _, agent := range []string{"worker", "other"} {
			all.Go(func() {
				if _, err := w.Gate.Folders.Trust(context.Background(), folder.Trusting{Agent: agent, Folder: found, Access: access, By: "ann"}); err != nil {
					t.Error(err)
				}
				if _, err := w.Gate.Folders.List(context.Background(), ""); err != nil {
					t.Error(err)
				}
			})
		}
	}
	all.Wait()
	list, err := w.Gate.Folders.List(t.Context(), "")
	w.must(err)
	if len(list) != 2 || list[0].Access != wire.EditFolder || list[1].Access != wire.EditFolder {
		t.Errorf("got %+v, want one for each agent, for editing", list)
	}
	_, err = w.Gate.Folders.Trust(t.Context(), folder.Trusting{Agent: "worker", Folder: target.Folder{Path: w.project, File: "0:0:0"}, Access: wire.ReadFolder, By: "ann"})
	if !errors.Is(err, folder.ErrRefused) {
		t.Errorf("another directory than the one shown: %v", err)
	}
}

// TestFolderForged: a list written outside Callgate counts for nothing, until it is revoked
// whole.
func TestFolderForged(t *testing.T) {
	t.Parallel()
	w := folderWorld(t, twoAgents)
	w.trust("worker", wire.ReadFolder, w.read("src/a.txt"))
	w.must(w.Close())
	db, err := sql.Open("sqlite", filepath.Join(w.dirs.State, "callgate.db"))
	w.must(err)
	_, err = db.ExecContext(t.Context(), `UPDATE settings SET value = CAST(replace(CAST(value AS TEXT), '"read"', '"edit"') AS BLOB) WHERE name = 'trusted_folders'`)
	w.must(err)
	w.must(db.Close())
	w.open()
	w.Asks.Attach(ask.Surface{Name: "test"})
	if got := w.evaluate("worker", w.read("src/a.txt")); got.Behavior != engine.Ask {
		t.Errorf("with a forged list: %s (%s)", got.Behavior, got.Reason)
	}
	if _, err := w.Gate.Folders.List(t.Context(), ""); !errors.Is(err, store.ErrForged) {
		t.Errorf("list: %v", err)
	}
	w.must(w.Gate.Folders.ForgetAll(t.Context(), "ann"))
	if list, err := w.Gate.Folders.List(t.Context(), ""); err != nil || len(list) != 0 {
		t.Errorf("list after all were taken back: %v, %v", list, err)
	}
}

// TestFolderSetting: with reads: ask no card offers a folder, and none counts.
func TestFolderSetting(t *testing.T) {
	t.Parallel()
	w := folderWorld(t, "agents: {worker: {user: ann, reads: ask}}")
	found, err := w.Gate.Folders.Find(t.Context(), w.project)
	w.must(err)
	_, err = w.Gate.Folders.Trust(t.Context(), folder.Trusting{Agent: "worker", Folder: found, Access: wire.EditFolder, By: "ann"})
	w.must(err)
	shown, done := w.asked(w.read("src/a.txt"))
	if a := w.next(shown, done); a.Folder != nil {
		t.Errorf("offers %+v", a.Folder)
	} else {
		w.approve(a)
	}
	<-done
}

// TestClientPlaces: in accept_edits the plans of Claude Code and a work tree of a working
// directory are edited without an ask, settings in them are not, and only for that client.
func TestClientPlaces(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "agents: {editor: {user: ann, mode: accept_edits, working_directories: [PROJECT]}}")
	plans := filepath.Join(w.dirs.Home, ".claude", "plans")
	w.must(os.MkdirAll(plans, 0o700))
	tree := projecttest.Repository(t, w.at(".claude/worktrees/x"))
	for name, tc := range map[string]struct {
		client, cwd, path string
		want              engine.Behavior
	}{
		"a plan":                   {wire.ClaudeCode, w.project, filepath.Join(plans, "a.md"), engine.Allow},
		"another client's":         {"", w.project, filepath.Join(plans, "a.md"), engine.Ask},
		"beside the plans":         {wire.ClaudeCode, w.project, filepath.Join(w.dirs.Home, ".claude", "CLAUDE.md"), engine.Ask},
		"out of the plans":         {wire.ClaudeCode, w.project, filepath.Join(plans, "../settings.json"), engine.Deny},
		"a work tree":              {wire.ClaudeCode, tree, "src/a.go", engine.Allow},
		"settings in a work tree":  {wire.ClaudeCode, tree, ".claude/settings.json", engine.Deny},
		"a command in a work tree": {wire.ClaudeCode, tree, ".claude/commands/x.md", engine.Ask},
		"another work tree":        {wire.ClaudeCode, tree, w.at(".claude/worktrees/y/a.go"), engine.Ask},
	} {
		r := w.request("Write", object("file_path", tc.path, "content", "x"))
		r.Context.Client, r.Context.CWD = tc.client, tc.cwd
		if got := w.evaluate("editor", r); got.Behavior != tc.want {
			t.Errorf("%s: got %s (%s), want %s", name, got.Behavior, got.Reason, tc.want)
		}
	}
}
