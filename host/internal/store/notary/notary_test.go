package notary_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/notary"
	"github.com/callgate/callgate/host/internal/store/proof"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

// Every row has a proof, also those appended after the last checkpoint; a checkpoint and the key
// stay over a restart, and nothing is signed twice.
func TestProve_everyRow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.append(300)
	first, _ := b.prove(1)
	b.append(1)
	for _, seq := range []int64{1, 2, 256, 257, 300, 301} {
		f, checked := b.prove(seq)
		if checked.Row.Seq != seq || checked.Rows != 301 || checked.Trusted || f.Key != first.Key {
			t.Errorf("row %d: got %+v, want it among 301 rows, under the same key", seq, checked)
		}
	}
	before, err := b.State(t.Context(), 0)
	must(t, err)
	b.reopen()
	after, err := b.State(t.Context(), 0)
	must(t, err)
	if before.Checkpoint != after.Checkpoint || before.Key != after.Key {
		t.Errorf("after a restart: got %+v, want %+v", after, before)
	}
	if r, err := b.Verify(t.Context()); err != nil || !r.OK() || r.Tree == nil || r.Tree.SignedFor != 301 || r.Tree.Unsigned != "" {
		t.Errorf("verify: got %+v (%+v), %v, want 301 signed rows", r, r.Tree, err)
	}
	if _, err := b.Prove(t.Context(), 302); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a row that is not there: got %v, want ErrNotFound", err)
	}
}

// The key is made once, for this account alone; a damaged one, and one that others can read, is
// refused and not replaced.
func TestOpen_keepsTheKeyPrivate(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	path := filepath.Join(b.state, notary.KeyFile)
	info, err := os.Stat(path)
	must(t, err)
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode: got %04o, want 0600", info.Mode().Perm())
	}
	b.append(1)
	b.Sign(t.Context())
	b.reopen()
	if log := b.log.String(); log != "" {
		t.Errorf("the log is %q, want it empty", log)
	}
	must(t, os.Remove(path))
	b.reopen()
	if log := b.log.String(); !strings.Contains(log, "a new one was made") {
		t.Errorf("after its loss: the log is %q", log)
	}
	for name, change := range map[string]func() error{
		"damaged": func() error { return os.WriteFile(path, []byte("00ff\n"), 0o600) },
		"open":    func() error { return os.Chmod(path, 0o644) },
	} {
		must(t, change())
		if _, err := notary.Open(t.Context(), notary.Config{Store: b.store, State: b.state}); err == nil && (name != "open" || runtime.GOOS != "windows") {
			t.Errorf("%s: the key was used", name)
		}
	}
}

// A daemon with a key of its own signs nothing while another one of the store signs, also after that
// one is gone; started alone it signs, because then its key is the only one.
func TestOpen_oneKeyForAStore(t *testing.T) {
	t.Parallel()
	a := newBench(t)
	a.append(3)
	a.Sign(t.Context())
	first, err := a.State(t.Context(), 0)
	must(t, err)
	there := true
	b := &bench{t: t, state: t.TempDir(), log: &lines{}, store: a.store, others: func(context.Context) bool { return there }}
	b.reopen()
	b.append(1)
	there = false
	b.Sign(t.Context())
	if _, err := b.State(t.Context(), 0); !errors.Is(err, notary.ErrOtherKey) {
		t.Errorf("beside another: got %v, want ErrOtherKey", err)
	}
	if log := b.log.String(); !strings.Contains(log, "copy "+filepath.Join(b.state, notary.KeyFile)) {
		t.Errorf("the log is %q, want the fix", log)
	}
	if r, err := b.Verify(t.Context()); err != nil || !r.OK() || !strings.Contains(r.Tree.Unsigned, "another key") {
		t.Errorf("verify: got %+v (%+v), %v, want that the key is another", r, r.Tree, err)
	}
	a.Sign(t.Context())
	if now, err := a.State(t.Context(), 0); err != nil || now.Key != first.Key || now.Through != 4 {
		t.Errorf("the first one goes on: got %+v, %v", now, err)
	}
	b.reopen()
	if now, err := b.State(t.Context(), 0); err != nil || now.Key == first.Key {
		t.Errorf("started alone: got %+v, %v, want its own key", now, err)
	}
}

// TestT38_SignedHistoryHolds: a writer of the store without the key rewrites rows, their chain and
// the tree, or puts an older store in its place. Nothing of it is signed, and a person is told.
func TestT38_SignedHistoryHolds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, b *bench)
		want   string
	}{
		"rewritten": {func(t *testing.T, b *bench) { b.swap(t, 40, "something else") }, "rewritten"},
		"went back": {func(t *testing.T, b *bench) { b.swap(t, 20, "") }, "went back"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.append(30)
			b.Sign(t.Context())
			c.change(t, b)
			b.Sign(t.Context())
			if log := b.log.String(); !strings.Contains(log, c.want) || !strings.Contains(log, "level=ERROR") {
				t.Errorf("the log is %q, want that the audit %s", log, c.want)
			}
			if _, err := b.Prove(t.Context(), 5); !errors.Is(err, store.ErrAuditBroken) {
				t.Errorf("a proof: got %v, want ErrAuditBroken", err)
			}
		})
	}
}

// swap puts another store in the place of the notary's, with the same name of the log, n rows, and
// no checkpoint.
func (b *bench) swap(t *testing.T, n int, detail string) {
	t.Helper()
	tree, err := b.store.Tree(t.Context())
	must(t, err)
	path := filepath.Join(t.TempDir(), "store.db")
	b.store = storetest.Open(t, path, store.Options{})
	b.append(1)
	if detail != "" {
		_, err := b.store.Append(t.Context(), store.Row{Decision: store.Denied, Detail: detail})
		must(t, err)
	}
	b.append(n)
	_, err = b.store.GrowTree(t.Context())
	must(t, err)
	execSQLite(t, path, "UPDATE audit_tree SET origin = ?", tree.Origin)
	b.reopen()
}

// A store rewritten as a whole, with its tree, is a break of the verification while the signed
// checkpoint is there.
func TestT38_VerifyTellsARewrittenTree(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.append(30)
	b.Sign(t.Context())
	old, err := b.store.Tree(t.Context())
	must(t, err)
	b.swap(t, 40, "something else")
	execSQLite(t, b.store.Path(), "UPDATE audit_tree SET signed = ?, signed_for = ?", old.Signed, old.SignedFor)
	if r, err := b.Verify(t.Context()); err != nil || r.OK() {
		t.Errorf("got %+v, %v, want a break", r, err)
	}
	execSQLite(t, b.store.Path(), "UPDATE audit_tree SET signed = ?", strings.Replace(old.Signed, "\n", "x\n", 1))
	if r, err := b.Verify(t.Context()); err != nil || r.Tree == nil || r.Tree.Unsigned == "" {
		t.Errorf("a foreign checkpoint: got %+v, %v, want it to be told", r, err)
	}
}

// A checkpoint of earlier is proven to be the beginning of the audit; one of more rows is refused.
func TestState_provesWhatWasBefore(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.append(9)
	old, err := b.State(t.Context(), 0)
	must(t, err)
	key, err := proof.ParseKey(old.Key)
	must(t, err)
	signed, err := proof.Open(old.Checkpoint, key)
	must(t, err)
	b.append(500)
	now, err := b.State(t.Context(), signed.Size)
	must(t, err)
	must(t, now.Extends(signed.Checkpoint, key))
	forged := signed.Checkpoint
	forged.Root[3] ^= 1
	if now.Extends(forged, key) == nil {
		t.Error("another root passed")
	}
	if _, err := b.State(t.Context(), 510); !errors.Is(err, notary.ErrSize) {
		t.Errorf("more rows than there are: got %v, want ErrSize", err)
	}
}

// Witnesses sign what extends their last checkpoint, catch up after being away, and their signature
// is in the proofs. None of their failures keeps the audit from being signed.
func TestWitnesses(t *testing.T) {
	t.Parallel()
	w, lost := newWitness(t, "tower.example"), newWitness(t, "lost.example")
	b := newBench(t, w.Address, lost.Address)
	lost.status = http.StatusServiceUnavailable
	b.append(5)
	w.knows(b)
	b.Sign(t.Context())
	b.append(300)
	b.Sign(t.Context())
	f, checked := b.prove(2)
	if len(checked.Witnesses) != 1 || checked.Witnesses[0] != "tower.example" || checked.Rows != 305 {
		t.Errorf("got %+v, want the signature of tower.example under 305 rows", checked)
	}
	_, err := f.Check(nil, []proof.Witness{w.Key})
	must(t, err)
	if _, err := f.Check(nil, []proof.Witness{lost.Key}); !errors.Is(err, proof.ErrFile) {
		t.Errorf("a required witness is missing: got %v, want ErrFile", err)
	}
	s, err := b.State(t.Context(), 0)
	must(t, err)
	if s.Witnesses[0].Rows != 305 || s.Witnesses[0].Error != "" || !strings.Contains(s.Witnesses[1].Error, "503") {
		t.Errorf("state: got %+v", s.Witnesses)
	}
	if n := strings.Count(b.log.String(), "did not sign"); n != 1 {
		t.Errorf("the lost witness was logged %d times, want once", n)
	}
	lost.knows(b).status = 0
	b.reopen(w.Address, lost.Address) // it forgot which sizes they know
	b.Sign(t.Context())
	if _, checked := b.prove(2); len(checked.Witnesses) != 2 {
		t.Errorf("after its return: got %v, want both witnesses", checked.Witnesses)
	}
	asked := w.asked
	b.Sign(t.Context())
	if w.asked != asked {
		t.Error("it was asked without news")
	}
	if _, checked := b.prove(305); len(checked.Witnesses) != 2 {
		t.Errorf("the last row: got %v, want both witnesses", checked.Witnesses)
	}
	b.append(1)
	if _, checked := b.prove(306); len(checked.Witnesses) != 0 || checked.Rows != 306 {
		t.Errorf("a row they have not seen: got %+v, want it without them", checked)
	}
}

// TestT38_WitnessTells: a witness that saw another history, or more rows, does not sign, and the
// state says why; so does one that signs with another key.
func TestT38_WitnessTells(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(t *testing.T, b *bench, w *witness)
		want   string
	}{
		"another history": {func(_ *testing.T, _ *bench, w *witness) { w.signed.Root[0] ^= 1 }, "rewritten"},
		"more rows":       {func(_ *testing.T, _ *bench, w *witness) { w.signed.Size = 9000 }, "rows were lost"},
		"another key":     {func(_ *testing.T, _ *bench, w *witness) { w.other = true }, "does not count"},
		"unknown":         {func(_ *testing.T, _ *bench, w *witness) { w.status = http.StatusNotFound }, "does not know this log"},
		"gone":            {func(_ *testing.T, _ *bench, w *witness) { w.status = http.StatusFound }, "status 302"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWitness(t, "tower.example")
			b := newBench(t, w.Address)
			b.append(5)
			w.knows(b)
			b.Sign(t.Context())
			c.change(t, b, w)
			b.append(5)
			b.Sign(t.Context())
			s, err := b.State(t.Context(), 0)
			must(t, err)
			if !strings.Contains(s.Witnesses[0].Error, c.want) || !strings.Contains(b.log.String(), c.want) {
				t.Errorf("got %q, the log %q, want %q", s.Witnesses[0].Error, b.log, c.want)
			}
			if s.Through != 10 {
				t.Errorf("signed through row %d, want 10: decisions and checkpoints go on", s.Through)
			}
		})
	}
}
