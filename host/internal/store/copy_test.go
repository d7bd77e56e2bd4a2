package store_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

// populate gives every table of a store rows, and closes it.
func populate(t *testing.T, path string) {
	t.Helper()
	c := &sharedClock{at: start}
	s := storetest.Open(t, path, store.Options{Now: c.now})
	ctx := t.Context()
	for range 5 {
		_, err := s.Append(ctx, store.Row{Decision: store.Denied, Tool: "Bash", Detail: "old"})
		must(t, err)
		c.add(time.Minute)
	}
	_, err := s.PruneAudit(ctx, start.Add(2*time.Minute+time.Second), "ann")
	must(t, err)
	rule, err := s.AddRule(ctx, allow("Bash", "npm run build"))
	must(t, err)
	_, err = s.AddRule(ctx, engine.Rule{Tool: "Bash", Behavior: engine.Deny, Scope: engine.Agent, ScopeKey: "builder", CreatedBy: "ann", Reason: "ünïcödé, 'quotes' and \"more\"\n"})
	must(t, err)
	must(t, s.RemoveRule(ctx, rule.ID, "ann"))
	_, err = s.Append(ctx, store.Row{Decision: store.Denied, Tool: "Bash", RuleID: "of-the-configuration"})
	must(t, err)
	_, err = s.CreateToken(ctx, token("admin", store.TokenAdmin, ""), "")
	must(t, err)
	must(t, s.SaveSetting(ctx, "pin", []byte{0, 1, 255}, store.Row{Event: "pin_set", DecidedBy: "ann"}))
	_, err = s.TouchSession(ctx, store.Session{ID: "s1", Agent: "builder", Token: "t1", CWD: "/p", Kind: engine.Main})
	must(t, err)
	for i := range 3 {
		must(t, s.InsertAsk(ctx, waiting(fmt.Sprint(i))))
	}
	if ok, err := s.CompareAndSetAsk(ctx, ask.Queued, ended(waiting("2"), ask.Denied, ask.CauseAnswered, start)); !ok || err != nil {
		t.Fatal(ok, err)
	}
	must(t, s.SaveStreak(ctx, ask.Streak{Session: "s1", Refusals: 2}))
	moving := judged("c1", "d", start)
	moving.Moves = true
	_, err = s.AppendCall(ctx, decision(), moving)
	must(t, err)
	must(t, s.SaveCard(ctx, someCard("1")))
	must(t, s.SaveThread(ctx, store.Thread{Channel: "c1", Agent: "builder", Session: "s1", ID: "th", UsedAt: start}))
	tree, err := s.GrowTree(ctx)
	must(t, err)
	must(t, s.SaveCheckpoint(ctx, tree.Size, "a checkpoint\n", false))
	_, err = s.Instance(ctx)
	must(t, err)
	must(t, s.Close())
}

// answers is what a store says to everything that can be asked of it.
func answers(t testing.TB, path string) string {
	s := storetest.Open(t, path, store.Options{Now: func() time.Time { return start.Add(time.Hour) }})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx := context.Background()
	var out []any
	add := func(v any, err error) { out = append(out, v, fmt.Sprint(err)) }
	add(s.VerifyAudit(ctx))
	add(s.Tree(ctx))
	for row, err := range s.Audit(ctx, store.Filter{}) {
		add(row, err)
	}
	add(s.Rules(ctx, store.RuleFilter{}))
	add(s.RulesFor(ctx, "builder", "s1", "/p", nil))
	add(s.Sessions(ctx, store.SessionFilter{}))
	add(s.WaitingAsks(ctx))
	for i := range 3 {
		add(s.Ask(ctx, fmt.Sprint(i)))
	}
	add(s.RuleUses(ctx))
	add(s.Streaks(ctx))
	add(s.Calls(ctx, "s1"))
	add(s.MovingCalls(ctx, "t1", "s1", time.Time{}))
	add(s.Setting(ctx, "pin"))
	tokens, _, err := s.Tokens(ctx)
	add(tokens, err)
	add(s.Card(ctx, "1"))
	add(s.ThreadByID(ctx, "th"))
	add(s.Instance(ctx))
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// From a file to a database and back into another file: every table comes along, all three answer
// the same, the file is untouched to the byte, and the last one goes on.
func TestPostgresCopy_thereAndBack(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "a", "store.db")
	populate(t, file)
	want := answers(t, file)
	before, err := os.ReadFile(file)
	must(t, err)
	places := []string{file, storetest.Schema(t, storetest.StartServer(t).URL()), filepath.Join(t.TempDir(), "b", "store.db")}
	for i, to := range places[1:] {
		report, err := store.Copy(t.Context(), places[i], to, store.CopyOptions{Batch: 3})
		must(t, err)
		for _, table := range strings.Fields("asks audit_anchor audit_head audit_log audit_tiles audit_tree calls card_threads cards meta rule_uses rules sessions settings streaks tokens") {
			if report.Tables[table] == 0 {
				t.Errorf("to %s: table %s has no rows: %v", report.To, table, report.Tables)
			}
		}
		if report.Resumed || report.Already || report.Audit.Rows == 0 || report.Audit.Tree == nil {
			t.Errorf("to %s: got %+v", report.To, report)
		}
		if again, err := store.Copy(t.Context(), places[i], to, store.CopyOptions{}); err != nil || !again.Already {
			t.Errorf("to %s again: got %+v, %v, want that it is a whole copy", report.To, again, err)
		}
		if got := answers(t, to); got != want {
			t.Errorf("%s answers\n%s\nwant\n%s", report.To, got, want)
		}
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the source was changed (%v)", err)
	}
	for _, place := range places[1:] {
		s := opened(t, place, store.Options{})
		appendMany(t, s, 2)
		must(t, s.InsertAsk(t.Context(), waiting("next")))
		verified(t, s)
	}
}

// A copy that ends anywhere leaves a target that nothing opens, and the next run brings it to its
// end, also when the source went on in between.
func TestPostgresCopy_interrupted(t *testing.T) {
	t.Parallel()
	server := storetest.StartServer(t).URL()
	file := filepath.Join(t.TempDir(), "a", "store.db")
	populate(t, file)
	for _, back := range []bool{false, true} {
		from := file
		place := func() string { return storetest.Schema(t, server) }
		if back {
			from = place()
			_, err := store.Copy(t.Context(), file, from, store.CopyOptions{})
			must(t, err)
			place = func() string { return filepath.Join(t.TempDir(), "b", "store.db") }
		}
		to := place()
		for step, ended := 1, false; !ended; step++ {
			ended = stopped(t, from, to, step)
			if ended {
				break
			}
			half, err := store.Open(t.Context(), to, store.Options{})
			if err == nil {
				must(t, half.Close())
			}
			if step > 1 && !errors.Is(err, store.ErrUnfinished) {
				t.Fatalf("step %d: open: got %v, want ErrUnfinished", step, err)
			}
			if step%4 == 0 {
				s := opened(t, from, store.Options{})
				appendMany(t, s, 1)
				must(t, s.Close())
			}
		}
		if got, want := answers(t, to), answers(t, from); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

// stopped runs a copy that ends at a step, and reports whether it had ended before.
func stopped(t *testing.T, from, to string, step int) bool {
	t.Helper()
	end := errors.New("stopped")
	_, err := store.Copy(t.Context(), from, to, store.CopyOptions{Batch: 5, Progress: func(store.CopyProgress) error {
		if step--; step == 0 {
			return end
		}
		return nil
	}})
	if err != nil && !errors.Is(err, end) {
		t.Fatal(err)
	}
	return err == nil
}

func TestCopy_refuses(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	dir := filepath.Join(t.TempDir(), "s")
	file := func(name string) string { return filepath.Join(dir, name) }
	populate(t, file("from.db"))
	populate(t, file("other.db"))
	populate(t, file("broken.db"))
	tamper(t, file("broken.db"), "UPDATE audit_log SET detail = 'x' WHERE seq = 5")
	populate(t, file("newer.db"))
	tamper(t, file("newer.db"), "INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)")
	populate(t, file("older.db"))
	downTo(t, file("older.db"), 14)
	populate(t, file("half.db"))
	tamper(t, file("half.db"), `INSERT INTO meta VALUES ('unfinished_copy', CAST('{"identity":"x","from":"y"}' AS BLOB))`)
	must(t, os.WriteFile(file("text.db"), []byte("a text, and not a database"), 0o600))
	used := opened(t, file("used.db"), store.Options{})
	appendMany(t, used, 1)
	for name, c := range map[string]struct {
		from, to string
		want     error
	}{
		"no source":                 {"none.db", "to.db", store.ErrNotFound},
		"a text":                    {"text.db", "to.db", store.ErrCorrupt},
		"the source is in use":      {"used.db", "to.db", store.ErrLocked},
		"the target is in use":      {"from.db", "used.db", store.ErrLocked},
		"a newer source":            {"newer.db", "to.db", store.ErrNewer},
		"a newer target":            {"from.db", "newer.db", store.ErrNewer},
		"an older source":           {"older.db", "to.db", store.ErrOlder},
		"an older target":           {"from.db", "older.db", store.ErrOlder},
		"an unfinished source":      {"half.db", "to.db", store.ErrUnfinished},
		"another unfinished target": {"from.db", "half.db", store.ErrNotEmpty},
		"a target with content":     {"from.db", "other.db", store.ErrNotEmpty},
		"a broken audit":            {"broken.db", "to.db", store.ErrAuditBroken},
		"one place":                 {"from.db", "from.db", nil},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := os.ReadFile(file(c.to)) // empty for one that does not exist
			_, err := store.Copy(t.Context(), file(c.from), file(c.to), store.CopyOptions{LockWait: time.Millisecond})
			if err == nil || c.want != nil && !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if after, _ := os.ReadFile(file(c.to)); len(before) > 0 && string(after) != string(before) && c.to != "used.db" {
				t.Error("the target was changed")
			}
		})
	}
}

// history is a life of a store: changes in their order with a word for each, and the step at which
// its copy is interrupted first; 0 for none.
type history struct {
	Changes []int
	Words   []string
	Step    int
}

var histories = rapid.Custom(func(t *rapid.T) history {
	changes := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 12).Draw(t, "changes")
	words := rapid.SliceOfN(rapid.String(), len(changes), len(changes)).Draw(t, "words")
	return history{changes, words, rapid.IntRange(0, 15).Draw(t, "step")}
})

// A copy answers as its source, whatever happened in it, and wherever the copy was interrupted.
func TestCopy_answersTheSame(t *testing.T) {
	t.Parallel()
	sqliteOnly(t)
	for seed := range 20 {
		h := histories.Example(seed)
		dir := filepath.Join(t.TempDir(), "s")
		from, to := filepath.Join(dir, "from.db"), filepath.Join(dir, "to.db")
		h.live(t, from)
		if h.Step > 0 {
			stopped(t, from, to, h.Step)
		}
		if _, err := store.Copy(t.Context(), from, to, store.CopyOptions{Batch: 2}); err != nil {
			t.Fatalf("%+v: %v", h, err)
		}
		if got, want := answers(t, to), answers(t, from); got != want {
			t.Fatalf("%+v: got\n%s\nwant\n%s", h, got, want)
		}
	}
}

// live makes the changes to a new store.
func (h history) live(t *testing.T, path string) {
	t.Helper()
	s := storetest.Open(t, path, store.Options{})
	_, err := s.Instance(t.Context())
	must(t, err)
	for i, change := range h.Changes {
		word := h.Words[i]
		switch change { // refusals of odd words are fine
		case 0:
			_, _ = s.AddRule(t.Context(), allow("Bash", word))
		case 1:
			must(t, s.SaveSetting(t.Context(), "pin", []byte(word), store.Row{Event: "pin_set", DecidedBy: "ann"}))
		case 2:
			_, _ = s.CreateToken(t.Context(), token("admin", store.TokenAdmin, ""), word)
		case 3:
			_, _ = s.GrowTree(t.Context())
		case 4:
			_, _ = s.PruneAudit(t.Context(), time.Now(), "ann")
		default:
			_, err := s.Append(t.Context(), store.Row{Decision: store.Denied, Detail: word, Input: word})
			must(t, err)
		}
	}
	must(t, s.Close())
}
