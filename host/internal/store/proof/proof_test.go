package proof_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/notary"
	"github.com/callgate/callgate/host/internal/store/proof"
	"github.com/callgate/callgate/host/internal/testkit/passkeytest"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// world is an audit with an approval signed by ann's phone, and other rows around it.
type world struct {
	*notary.Notary
	t        testing.TB
	store    *store.Store
	passkeys *passkey.Keeper
	phone    *passkeytest.Device
	waiting  ask.Ask
	approval int64 // the row of the signed approval
}

func newWorld(t testing.TB) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, store: storetest.Open(t, filepath.Join(dir, "store.db"), store.Options{})}
	var err error
	w.Notary, err = notary.Open(t.Context(), notary.Config{Store: w.store, State: dir})
	must(t, err)
	origin := ""
	w.passkeys = passkey.New(passkey.Config{Store: w.store, Origin: func() string { return origin }})
	name, err := w.passkeys.Name(t.Context())
	must(t, err)
	origin = "http://" + name + ":4711"
	w.phone = passkeytest.New(t, origin)
	options, err := w.passkeys.Enrol(t.Context(), "ann")
	must(t, err)
	_, err = w.passkeys.Add(t.Context(), "ann", "phone", "ann", w.phone.Create(asJSON(t, options)))
	must(t, err)
	w.waiting = ask.Ask{ID: "7kq", Digest: strings.Repeat("ab", 32), Tool: "Bash", Agent: "builder", Session: "s1", State: ask.Shown}
	w.append(3)
	w.approval = w.approve(func(*store.Row) {})
	w.append(20)
	return w
}

func asJSON(t testing.TB, v any) []byte {
	t.Helper()
	text, err := json.Marshal(v)
	must(t, err)
	return text
}

func (w *world) append(n int) {
	w.t.Helper()
	for i := range n {
		_, err := w.store.Append(w.t.Context(), store.Row{Agent: "builder", Tool: "Bash", Action: "tool:bash:make", Decision: store.Allowed, CallID: fmt.Sprint(i)})
		must(w.t, err)
	}
}

// approve appends the row of an approval signed by the phone, as the gate does, after a change.
func (w *world) approve(change func(*store.Row)) int64 {
	w.t.Helper()
	answer := ask.Answer{Verdict: ask.Approve, By: "ann"}
	c, err := w.passkeys.Challenge(w.t.Context(), w.waiting, answer, nil)
	must(w.t, err)
	answer.Assertion = w.phone.Get(asJSON(w.t, c.Options))
	evidence, err := w.passkeys.Verify(w.t.Context(), w.waiting, answer, nil)
	must(w.t, err)
	row := store.Row{
		Event: store.EventAskSigned, DecidedBy: "ann", Detail: "approved", Agent: "builder", Session: "s1", Tool: "Bash",
		AskID: w.waiting.ID, Digest: w.waiting.Digest, Evidence: string(evidence),
	}
	change(&row)
	row, err = w.store.Append(w.t.Context(), row)
	must(w.t, err)
	return row.Seq
}

func (w *world) prove(seq int64) proof.File {
	w.t.Helper()
	f, err := w.Prove(w.t.Context(), seq)
	must(w.t, err)
	return f
}

// again writes and reads a proof, as from machine to machine.
func again(t testing.TB, f proof.File) proof.File {
	t.Helper()
	text, err := f.Pages()
	must(t, err)
	out, err := proof.Parse(text)
	must(t, err)
	return out
}

func TestCheck_aSignedApproval(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f := again(t, w.prove(w.approval))
	key, err := proof.ParseKey(f.Key)
	must(t, err)
	got, err := f.Check([]proof.Key{key}, nil)
	must(t, err)
	a := got.Approval
	if !got.Trusted || a == nil || a.Statement.By != "ann" || a.Statement.Call != w.waiting.Digest || a.Device != "phone" || a.Enrolled == nil || a.Enrolled.Seq >= w.approval {
		t.Errorf("got %+v, approval %+v, want ann's phone, added before", got, a)
	}
	other, err := proof.NewKey(key.Name(), make(ed25519.PublicKey, ed25519.PublicKeySize))
	must(t, err)
	if _, err := f.Check([]proof.Key{other}, nil); !errors.Is(err, proof.ErrFile) {
		t.Errorf("with another key: got %v, want ErrFile", err)
	}
	if got, err := again(t, w.prove(w.approval+1)).Check(nil, nil); err != nil || got.Approval != nil {
		t.Errorf("a row without a signature: got %+v, %v", got.Approval, err)
	}
}

// TestT38_EveryByteCounts: whichever byte of a proof is changed, it is refused, or says the same as
// before.
func TestT38_EveryByteCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text, err := w.prove(w.approval).Pages()
	must(t, err)
	want, err := proof.Parse(text)
	must(t, err)
	refused := 0
	for i := range text {
		for _, flip := range []byte{0x01, 0x20} {
			changed := bytes.Clone(text)
			changed[i] ^= flip
			f, err := proof.Parse(changed)
			if err == nil {
				_, err = f.Check(nil, nil)
			}
			switch {
			case err == nil && !reflect.DeepEqual(f, want):
				t.Fatalf("byte %d, %q to %q: it passed as %+v", i, text[i], changed[i], f)
			case err != nil && !errors.Is(err, proof.ErrFile):
				t.Fatalf("byte %d: got %v, want ErrFile", i, err)
			case err != nil:
				refused++
			}
		}
	}
	// The rest are blanks, and the case of hex digits.
	if refused < len(text) {
		t.Errorf("%d of %d changes were refused", refused, 2*len(text))
	}
}

// Each part of a proof that is not of this row, this key or this person is named.
func TestCheck_refuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	good, plain := w.prove(w.approval), w.prove(w.approval+1)
	stolen := w.approve(func(r *store.Row) { r.AskID = "9xx" })
	late := w.approve(func(r *store.Row) { r.Time = time.Now().Add(time.Hour) })
	elsewhere := newWorld(t)
	foreign := elsewhere.prove(elsewhere.approval)
	for name, c := range map[string]struct {
		change func(f *proof.File)
		want   string
	}{
		"detail":             {func(f *proof.File) { f.Row.Detail = "denied" }, "was changed"},
		"row and its hash":   {func(f *proof.File) { f.Row.Detail = "denied"; f.Row.Hash = f.Row.Sum() }, "does not lead to the root"},
		"another row's path": {func(f *proof.File) { f.Row.Path = plain.Row.Path }, "does not lead to the root"},
		"short path":         {func(f *proof.File) { f.Row.Path = f.Row.Path[1:] }, "does not lead to the root"},
		"base":               {func(f *proof.File) { f.Base++ }, "does not lead to the root"},
		"negative base":      {func(f *proof.File) { f.Base = -1 << 62 }, "not among"},
		"far base":           {func(f *proof.File) { f.Base = 1 << 62 }, "not among"},
		"checkpoint":         {func(f *proof.File) { f.Checkpoint = strings.Replace(f.Checkpoint, "\n2", "\n3", 1) }, "its text was changed"},
		"no checkpoint":      {func(f *proof.File) { f.Checkpoint = "" }, "not a signed checkpoint"},
		"foreign checkpoint": {func(f *proof.File) { f.Checkpoint = foreign.Checkpoint }, "signed with another key"},
		"foreign audit":      {func(f *proof.File) { f.Checkpoint, f.Key = foreign.Checkpoint, foreign.Key }, "does not lead to the root"},
		"no key":             {func(f *proof.File) { f.Key = "" }, "key"},
		"unnamed witness":    {func(f *proof.File) { f.Witnesses = []string{"x"} }, "witness 1"},
		"no enrolment's row": {func(f *proof.File) { f.Enrolment = &plain.Row }, "enrolment"},
		"changed enrolment":  {func(f *proof.File) { e := *f.Enrolment; e.DecidedBy = "bob"; f.Enrolment = &e }, "was changed"},
		"foreign enrolment":  {func(f *proof.File) { f.Enrolment = foreign.Enrolment }, "does not lead to the root"},
		"needless enrolment": {func(f *proof.File) { *f = plain; f.Enrolment = good.Enrolment }, "no signature"},
	} {
		f := again(t, good)
		c.change(&f)
		if _, err := f.Check(nil, nil); !errors.Is(err, proof.ErrFile) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	// A daemon that puts a signature under another ask, or keeps one for later, gives itself away.
	for name, c := range map[string]struct {
		seq  int64
		want string
	}{"for another ask": {stolen, "the ask of the signed statement"}, "used late": {late, "was valid until"}} {
		if _, err := w.Prove(t.Context(), c.seq); !errors.Is(err, proof.ErrFile) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
	f := again(t, good)
	f.Enrolment = nil
	if got, err := f.Check(nil, nil); err != nil || got.Approval == nil || got.Approval.Enrolled != nil {
		t.Errorf("without the enrolment: got %+v, %v, want the signature alone", got.Approval, err)
	}
}

// What is no proof is refused with its reason.
func TestParse_refuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                "JSON",
		"[]":                              "object",
		"{}":                              "callgate audit prove",
		`{"callgate_proof":2}`:            "use the callgate that wrote it",
		`{"callgate_proof":1,"extra":1}`:  "extra",
		`{"callgate_proof":1,"base":"1"}`: "base",
		`{"callgate_proof":1,"callgate_proof":1}`:  "duplicate",
		`{"callgate_proof":1} x`:                   "JSON",
		`{"callgate_proof":1,"row":{"hash":"00"}}`: "row.hash",
		strings.Repeat(" ", proof.MaxFile+1):       "bytes",
	} {
		if _, err := proof.Parse([]byte(text)); !errors.Is(err, proof.ErrFile) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.50q: got %v, want %q", text, err, want)
		}
	}
	none := func(int, []byte) error { return nil }
	for text, want := range map[string]string{"": "empty", "{} {": "JSON", "x": "JSON"} {
		if err := proof.All(strings.NewReader(text), none); !errors.Is(err, proof.ErrFile) || !strings.Contains(err.Error(), want) {
			t.Errorf("all of %q: got %v, want %q", text, err, want)
		}
	}
}

// A key has one spelling, and a witness's key belongs to its name.
func TestParseKey_oneSpelling(t *testing.T) {
	t.Parallel()
	public, _, err := ed25519.GenerateKey(nil)
	must(t, err)
	key, err := proof.NewKey("log.example", public)
	must(t, err)
	witness := proof.NewWitness("tower.example", public)
	if _, err := proof.ParseWitness(witness.String()); err != nil {
		t.Error(err)
	}
	if w, err := proof.ParseWitness(key.String()); err != nil || w.Name() != "log.example" {
		t.Errorf("a plain key of a witness: got %v, %v", w, err)
	}
	for _, text := range []string{"", "log.example", key.String() + "=", " " + key.String(), strings.Replace(key.String(), "log.", "Log.", 1), strings.Replace(key.String(), "+", "+0", 1)} {
		if _, err := proof.ParseKey(text); !errors.Is(err, proof.ErrKey) {
			t.Errorf("key %q: got %v, want ErrKey", text, err)
		}
		if _, err := proof.ParseWitness(text); !errors.Is(err, proof.ErrKey) {
			t.Errorf("witness %q: got %v, want ErrKey", text, err)
		}
	}
}

// No bytes break the reader; what it accepts it writes, and reads again the same.
func FuzzParse(f *testing.F) {
	w := newWorld(f)
	for _, seq := range []int64{w.approval, w.approval + 1} {
		text, err := w.prove(seq).Text()
		must(f, err)
		f.Add(text)
	}
	f.Add([]byte(`{"callgate_proof":1}`))
	good := w.prove(w.approval)
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := proof.Parse(text)
		if err != nil {
			if !errors.Is(err, proof.ErrFile) {
				t.Errorf("got %v, want ErrFile", err)
			}
			return
		}
		out, err := got.Text()
		must(t, err)
		same, err := proof.Parse(out)
		must(t, err)
		if again, err := same.Text(); err != nil || !bytes.Equal(again, out) {
			t.Errorf("read again: got %s, %v, want %s", again, err, out)
		}
		if checked, err := got.Check(nil, nil); err == nil && got.Key == good.Key && checked.Row.Seq == good.Row.Seq && !reflect.DeepEqual(got.Row.Row, good.Row.Row) {
			t.Errorf("another row passed: %+v", got.Row)
		}
	})
}

// No text breaks the reader of checkpoints.
func FuzzOpen(f *testing.F) {
	public, private, err := ed25519.GenerateKey(nil)
	must(f, err)
	key, err := proof.NewKey("log.example", public)
	must(f, err)
	signer, err := proof.NewSigner("log.example", private)
	must(f, err)
	want := proof.Checkpoint{Origin: "log.example", Size: 7}
	text, err := want.Sign(signer)
	must(f, err)
	f.Add(text)
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := proof.Open(text, key); err == nil && got.Checkpoint != want {
			t.Errorf("another checkpoint passed: %+v", got)
		}
	})
}
