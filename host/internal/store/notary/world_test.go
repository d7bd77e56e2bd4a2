package notary_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"database/sql"
	"encoding/base64"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/notary"
	"github.com/callgate/callgate/host/internal/store/proof"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// bench is a store with a notary over it.
type bench struct {
	*notary.Notary
	t     testing.TB
	store *store.Store
	state string
	log   *lines
	// others is whether another daemon of the store is alive; nil for never.
	others func(context.Context) bool
}

func newBench(t testing.TB, witnesses ...notary.Address) *bench {
	t.Helper()
	dir := t.TempDir()
	b := &bench{t: t, state: dir, log: &lines{}, store: storetest.Open(t, filepath.Join(dir, "store.db"), store.Options{})}
	b.reopen(witnesses...)
	return b
}

// reopen is the notary of the next start.
func (b *bench) reopen(witnesses ...notary.Address) {
	b.t.Helper()
	var err error
	b.Notary, err = notary.Open(b.t.Context(), notary.Config{Store: b.store, State: b.state, Witnesses: witnesses, Others: b.others, Log: slog.New(slog.NewTextHandler(b.log, nil))})
	must(b.t, err)
}

func (b *bench) append(n int) {
	b.t.Helper()
	for i := range n {
		_, err := b.store.Append(b.t.Context(), store.Row{Agent: "builder", Tool: "Bash", Action: "tool:bash:make", Decision: store.Allowed, CallID: fmt.Sprint(i)})
		must(b.t, err)
	}
}

// prove makes the proof of a row, which must be valid.
func (b *bench) prove(seq int64) (proof.File, proof.Checked) {
	b.t.Helper()
	f, err := b.Prove(b.t.Context(), seq)
	must(b.t, err)
	checked, err := f.Check(nil, nil)
	must(b.t, err)
	return f, checked
}

// lines gather a log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// witness is one after C2SP tlog-witness: it signs what extends the checkpoint it signed last.
type witness struct {
	notary.Address
	private ed25519.PrivateKey

	mu     sync.Mutex
	log    proof.Key
	signed proof.Checkpoint
	status int // of every answer instead; 0 for none
	asked  int
	other  bool // signs with another key
}

func newWitness(t testing.TB, name string) *witness {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	must(t, err)
	w := &witness{private: private}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /add-checkpoint", w.add)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	w.Address = notary.Address{URL: server.URL, Key: proof.NewWitness(name, public)}
	return w
}

// knows gives the witness the key of a log.
func (w *witness) knows(b *bench) *witness {
	b.t.Helper()
	s, err := b.State(b.t.Context(), 0)
	must(b.t, err)
	w.log, err = proof.ParseKey(s.Key)
	must(b.t, err)
	return w
}

func (w *witness) add(out http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked++
	if w.status != 0 {
		out.WriteHeader(w.status)
		return
	}
	body, _ := io.ReadAll(r.Body)
	head, text, _ := strings.Cut(string(body), "\n\n")
	head, path, _ := strings.Cut(head, "\n")
	old, err := strconv.ParseInt(strings.TrimPrefix(head, "old "), 10, 64)
	signed, openErr := proof.Open(text, w.log)
	switch {
	case err != nil:
		out.WriteHeader(http.StatusBadRequest)
	case openErr != nil:
		out.WriteHeader(http.StatusForbidden)
	case old != w.signed.Size:
		out.Header().Set("Content-Type", "text/x.tlog.size")
		out.WriteHeader(http.StatusConflict)
		fmt.Fprintf(out, "%d\n", w.signed.Size)
	case old > 0 && tlog.CheckTree(hashes(path), signed.Size, signed.Root, old, w.signed.Root) != nil:
		out.WriteHeader(http.StatusUnprocessableEntity)
	default:
		w.signed = signed.Checkpoint
		private := w.private
		if w.other {
			_, private, _ = ed25519.GenerateKey(nil)
		}
		text, _ := signed.Sign(proof.Cosigner(w.Key.Name(), private, func() uint64 { return 1_800_000_000 }))
		_, line, _ := strings.Cut(text, "\n\n")
		fmt.Fprint(out, line)
	}
}

func hashes(path string) (out tlog.TreeProof) {
	for line := range strings.Lines(path) {
		var h tlog.Hash
		raw, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
		copy(h[:], raw)
		out = append(out, h)
	}
	return out
}

// execSQLite changes a store behind its back.
func execSQLite(t testing.TB, path, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=busy_timeout(5000)")
	must(t, err)
	defer db.Close()
	_, err = db.ExecContext(context.Background(), query, args...)
	must(t, err)
}
