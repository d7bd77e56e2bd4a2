package proof

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/approval/passkey"
	"github.com/callgate/callgate/host/internal/store"
)

// Checked is what a valid proof shows.
type Checked struct {
	// Row is the proven row.
	Row store.Row `json:"row"`
	// Log is the audit's name, Key the key that signed for it. Trusted means that the caller gave
	// this key; otherwise the file brought it.
	Log     string `json:"log"`
	Key     string `json:"key"`
	Trusted bool   `json:"trusted"`
	// Rows is the size of the audit at the checkpoint.
	Rows int64 `json:"rows"`
	// Witnesses signed the checkpoint too. Those the caller gave are in Known.
	Witnesses []string `json:"witnesses"`
	Known     []string `json:"known_witnesses"`
	// Approval is the signature of a person's device in the row; nil for a row without.
	Approval *Approval `json:"approval,omitempty"`
}

// Approval is a person's signature under an approval.
type Approval struct {
	Statement passkey.Statement `json:"statement"`
	// Device is the person's word for the signing device, Fingerprint the SHA-256 of its key.
	Device      string `json:"device"`
	Fingerprint string `json:"fingerprint"`
	// Origin is the page the device showed.
	Origin string `json:"origin"`
	// Enrolled is the row with which this key was added for the person; nil where retention has
	// removed it: then only the signature, not whose key it is, is proven.
	Enrolled *Enrolled `json:"enrolled,omitempty"`
}

// Enrolled is the row that added a key.
type Enrolled struct {
	Seq int64     `json:"seq"`
	At  time.Time `json:"at"`
	By  string    `json:"by"`
}

// Check verifies a proof. keys are those the caller trusts: with any, the file's must be among
// them. witnesses are known ones, and each must have signed.
func (f File) Check(keys []Key, witnesses []Witness) (Checked, error) {
	out := Checked{Row: f.Row.Row, Witnesses: []string{}, Known: []string{}}
	key, err := ParseKey(f.Key)
	if err != nil {
		return out, fmt.Errorf("%w: key: %w", ErrFile, err)
	}
	out.Trusted = slices.ContainsFunc(keys, func(k Key) bool { return k.String() == f.Key })
	if len(keys) > 0 && !out.Trusted {
		return out, fmt.Errorf("%w: it is signed with %s, which is not a key you gave", ErrFile, f.Key)
	}
	claimed, err := f.witnesses()
	if err != nil {
		return out, err
	}
	signed, err := Open(f.Checkpoint, key, claimed...)
	if err != nil {
		return out, fmt.Errorf("%w: %w", ErrFile, err)
	}
	if len(signed.Witnesses) != len(claimed) {
		return out, fmt.Errorf("%w: it names %d witnesses, and %d of them signed", ErrFile, len(claimed), len(signed.Witnesses))
	}
	for _, w := range witnesses {
		if !slices.Contains(f.Witnesses, w.String()) {
			return out, fmt.Errorf("%w: the witness %s has not signed it", ErrFile, w.Name())
		}
		out.Known = append(out.Known, w.Name())
	}
	out.Log, out.Key, out.Rows = signed.Origin, f.Key, signed.Size
	out.Witnesses = append(out.Witnesses, signed.Witnesses...)
	if err := f.Row.in(signed.Checkpoint, f.Base); err != nil {
		return out, err
	}
	out.Approval, err = f.approval(signed.Checkpoint)
	return out, err
}

// witnesses are those that the file names, each once.
func (f File) witnesses() (out []Witness, err error) {
	for i, text := range f.Witnesses {
		w, err := ParseWitness(text)
		if err != nil || slices.Contains(f.Witnesses[:i], text) {
			return nil, fmt.Errorf("%w: witness %d: %w", ErrFile, i+1, errors.Join(err, ErrKey))
		}
		out = append(out, w)
	}
	return out, nil
}

// slack is how much later than a statement's end its row may be: the audit may have been busy.
const slack = time.Minute

// approval verifies the signature in the row; nil for a row without.
func (f File) approval(c Checkpoint) (*Approval, error) {
	row := f.Row.Row
	if row.Event != store.EventAskSigned && row.Event != store.EventAskVoted || row.Evidence == "" {
		if f.Enrolment != nil {
			return nil, fmt.Errorf("%w: it has the enrolment of a key, and row %d no signature", ErrFile, row.Seq)
		}
		return nil, nil
	}
	p, s, err := passkey.Check([]byte(row.Evidence))
	if err != nil {
		return nil, fmt.Errorf("%w: the signature in row %d: %w", ErrFile, row.Seq, err)
	}
	for _, same := range []struct{ name, statement, row string }{
		{"ask", s.Ask, row.AskID}, {"call", s.Call, row.Digest}, {"tool", s.Tool, row.Tool}, {"agent", s.Agent, row.Agent},
		{"session", s.Session, row.Session}, {"approver", s.By, row.DecidedBy},
	} {
		if same.statement != same.row {
			return nil, fmt.Errorf("%w: the %s of the signed statement is %q, that of row %d %q", ErrFile, same.name, same.statement, row.Seq, same.row)
		}
	}
	if row.Time.Before(s.IssuedAt.Add(-slack)) || row.Time.After(s.ValidUntil.Add(slack)) {
		return nil, fmt.Errorf("%w: the signed statement was valid until %s, row %d is of %s", ErrFile, s.ValidUntil.Format(time.RFC3339), row.Seq, row.Time.Format(time.RFC3339))
	}
	out := &Approval{Statement: s, Device: p.Credential.Name, Fingerprint: p.Credential.Fingerprint(), Origin: p.Origin}
	if f.Enrolment == nil {
		return out, nil
	}
	out.Enrolled, err = f.Enrolment.enrols(p.Credential, c, f.Base, row.Seq)
	return out, err
}

// enrols verifies that a row added a key, before the row that it signed.
func (e Entry) enrols(c passkey.Credential, in Checkpoint, base, before int64) (*Enrolled, error) {
	if err := e.in(in, base); err != nil {
		return nil, err
	}
	var added passkey.Credential
	if err := json.Unmarshal([]byte(e.Evidence), &added, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("%w: the enrolment in row %d cannot be read: %w", ErrFile, e.Seq, err)
	}
	if e.Event != store.EventPasskeyAdded || e.Seq >= before || added.ID != c.ID || added.Person != c.Person || added.Daemon != c.Daemon ||
		!bytes.Equal(added.PublicKey, c.PublicKey) {
		return nil, fmt.Errorf("%w: row %d is not the enrolment of the signing key", ErrFile, e.Seq)
	}
	return &Enrolled{Seq: e.Seq, At: e.Time, By: e.DecidedBy}, nil
}

// Enrols reports whether a row added the key that signed another row.
func Enrols(row, signed store.Row) bool {
	p, _, err := passkey.Check([]byte(signed.Evidence))
	var added passkey.Credential
	return err == nil && row.Event == store.EventPasskeyAdded && json.Unmarshal([]byte(row.Evidence), &added) == nil &&
		added.ID == p.Credential.ID && bytes.Equal(added.PublicKey, p.Credential.PublicKey)
}
