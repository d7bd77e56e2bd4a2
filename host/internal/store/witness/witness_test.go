package witness_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/notary"
	"github.com/callgate/callgate/host/internal/store/proof"
	"github.com/callgate/callgate/host/internal/store/witness"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// audit is a log with a notary, whose key does not change.
type audit struct {
	*notary.Notary
	store *store.Store
	key   proof.Key
}

// newAudit has n rows. Its notary sends its checkpoints to the witnesses.
func newAudit(t *testing.T, dir string, n int, at ...notary.Address) *audit {
	t.Helper()
	a := &audit{store: storetest.Open(t, filepath.Join(dir, "store.db"), store.Options{})}
	t.Cleanup(func() { _ = a.store.Close() }) // closed by some tests before
	a.append(t, n)
	var err error
	a.Notary, err = notary.Open(t.Context(), notary.Config{Store: a.store, State: dir, Witnesses: at})
	must(t, err)
	s, err := a.State(t.Context(), 0)
	must(t, err)
	a.key, err = proof.ParseKey(s.Key)
	must(t, err)
	return a
}

func (a *audit) append(t *testing.T, n int) {
	t.Helper()
	for range n {
		_, err := a.store.Append(t.Context(), store.Row{Decision: store.Denied})
		must(t, err)
	}
}

// tower is a running witness.
type tower struct {
	*witness.Witness
	notary.Address
	log bytes.Buffer
}

// own is a directory for a witness.
func own(t testing.TB) string { return filepath.Join(t.TempDir(), "witness") }

func newTower(t *testing.T, dir string, logs ...proof.Key) *tower {
	t.Helper()
	w := &tower{}
	var err error
	w.Witness, err = witness.Open(witness.Config{Name: "tower.example", Logs: logs, Dir: dir, Log: slog.New(slog.NewTextHandler(&w.log, nil))})
	must(t, err)
	server := httptest.NewServer(w.Handler())
	t.Cleanup(server.Close)
	w.Address = notary.Address{URL: server.URL, Key: w.Witness.Key()}
	return w
}

// A witness signs what extends its last checkpoint, also after a restart, and its signature is in
// the proofs.
func TestWitness_signsWhatExtends(t *testing.T) {
	t.Parallel()
	dir, place := t.TempDir(), own(t)
	first := newAudit(t, dir, 5)
	key := first.key
	must(t, first.store.Close())
	for n := range 3 {
		w := newTower(t, place, key)
		a := reopened(t, dir, w.Address)
		a.append(t, 100)
		a.Sign(t.Context())
		f, err := a.Prove(t.Context(), 2)
		must(t, err)
		if checked, err := f.Check([]proof.Key{key}, []proof.Witness{w.Witness.Key()}); err != nil || len(checked.Witnesses) != 1 || checked.Rows != int64(105+100*n) {
			t.Fatalf("round %d: got %+v, %v, want the signature of the witness", n, checked, err)
		}
		must(t, a.store.Close())
	}
}

// reopened is the audit of a directory with a witness.
func reopened(t *testing.T, dir string, at notary.Address) *audit {
	t.Helper()
	return newAudit(t, dir, 0, at)
}

// A history that went another way gets no signature, and the witness says so.
func TestWitness_refusesAnotherHistory(t *testing.T) {
	t.Parallel()
	dir, place := t.TempDir(), own(t)
	a := newAudit(t, dir, 5)
	w := newTower(t, place, a.key)
	must(t, a.store.Close())
	copied := t.TempDir()
	for _, name := range []string{"store.db", notary.KeyFile} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(copied, name), data, 0o600))
	}
	a = reopened(t, dir, w.Address)
	a.append(t, 2)
	a.Sign(t.Context())
	for _, more := range []int{2, 7} {
		fork := reopened(t, copied, w.Address)
		fork.append(t, more)
		fork.Sign(t.Context())
		s, err := fork.State(t.Context(), 0)
		must(t, err)
		if !strings.Contains(s.Witnesses[0].Error, "another history") || !strings.Contains(w.log.String(), "may have been rewritten") {
			t.Errorf("%d rows more: got %+v, log %q, want a refusal", more, s.Witnesses, w.log.String())
		}
		must(t, fork.store.Close())
	}
}

// Requests that are none, and logs that the witness does not know, get their statuses.
func TestWitness_refusesRequests(t *testing.T) {
	t.Parallel()
	a, other := newAudit(t, t.TempDir(), 3), newAudit(t, t.TempDir(), 3)
	w := newTower(t, own(t), a.key)
	s, err := a.State(t.Context(), 0)
	must(t, err)
	foreign, err := other.State(t.Context(), 0)
	must(t, err)
	hash := strings.Repeat("A", 43) + "=\n"
	for body, want := range map[string]int{
		"":                                http.StatusBadRequest,
		"old 0\n" + s.Checkpoint:          http.StatusBadRequest,
		"old -1\n\n" + s.Checkpoint:       http.StatusBadRequest,
		"old 00\n\n" + s.Checkpoint:       http.StatusBadRequest,
		"old 9\n\n" + s.Checkpoint:        http.StatusBadRequest,
		"old 0\nAAAA\n\n" + s.Checkpoint:  http.StatusBadRequest,
		"old 0\n\n" + foreign.Checkpoint:  http.StatusNotFound,
		"old 2\n\n" + s.Checkpoint:        http.StatusConflict,
		"old 0\n\n" + s.Checkpoint + "x":  http.StatusForbidden,
		"old 0\n\n" + s.Checkpoint[:50]:   http.StatusForbidden,
		strings.Repeat("x", 1<<20):        http.StatusRequestEntityTooLarge,
		"old 0\n\n" + a.key.Name() + "\n": http.StatusForbidden,
		"old 0\n" + strings.Repeat(hash, 64) + "\n" + s.Checkpoint: http.StatusBadRequest,
	} {
		resp, err := http.Post(w.URL+"/add-checkpoint", "", strings.NewReader(body))
		must(t, err)
		answer, _ := io.ReadAll(resp.Body)
		must(t, resp.Body.Close())
		if resp.StatusCode != want {
			t.Errorf("%.60q: got %d %s, want %d", body, resp.StatusCode, answer, want)
		}
	}
	if _, err := witness.Open(witness.Config{Name: "a b", Dir: own(t)}); err == nil {
		t.Error("a name with a space was taken")
	}
	if _, err := witness.Open(witness.Config{Name: "a", Dir: own(t), Logs: []proof.Key{a.key, a.key}}); err == nil {
		t.Error("one log was taken twice")
	}
}

// A damaged key, and a damaged last checkpoint, are no reason to begin anew.
func TestOpen_keepsItsMemory(t *testing.T) {
	t.Parallel()
	a := newAudit(t, t.TempDir(), 3)
	place := own(t)
	w := newTower(t, place, a.key)
	s, err := a.State(t.Context(), 0)
	must(t, err)
	resp, err := http.Post(w.URL+"/add-checkpoint", "", strings.NewReader("old 0\n\n"+s.Checkpoint))
	must(t, err)
	must(t, resp.Body.Close())
	files, err := filepath.Glob(filepath.Join(place, "*"))
	must(t, err)
	if resp.StatusCode != http.StatusOK || len(files) != 2 {
		t.Fatalf("got status %d and %v, want a signature, the key and a checkpoint", resp.StatusCode, files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		must(t, os.WriteFile(file, text[:len(text)/2], 0o600))
		if _, err := witness.Open(witness.Config{Name: "tower.example", Logs: []proof.Key{a.key}, Dir: place}); err == nil {
			t.Errorf("a damaged %s was taken", filepath.Base(file))
		}
		must(t, os.WriteFile(file, text, 0o600))
	}
}

func FuzzAddCheckpoint(f *testing.F) {
	w, err := witness.Open(witness.Config{Name: "a", Dir: own(f)})
	must(f, err)
	f.Add("old 0\n\nlog\n1\n" + strings.Repeat("A", 43) + "=\n\n— log AAAA\n")
	f.Add(fmt.Sprintf("old 3\n%s=\n\nlog\n", strings.Repeat("A", 43)))
	f.Fuzz(func(t *testing.T, body string) {
		out := httptest.NewRecorder()
		w.Handler().ServeHTTP(out, httptest.NewRequest(http.MethodPost, "/add-checkpoint", strings.NewReader(body)))
		if out.Code == http.StatusOK || out.Code >= 500 {
			t.Errorf("got status %d for %q", out.Code, body)
		}
	})
}
