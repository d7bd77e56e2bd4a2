package proof

import (
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// Version is the layout of a File.
const Version = 1

// File proves one row of an audit: it holds everything but the trust in the key.
type File struct {
	Version int `json:"callgate_proof"`
	// Row is the row as the audit has it, with its hash.
	Row Entry `json:"row"`
	// Base is the number of the row before the tree's first leaf.
	Base int64 `json:"base"`
	// Checkpoint is the signed state of the audit that has the row, with signatures of witnesses
	// where there are any.
	Checkpoint string `json:"checkpoint"`
	// Key is the public key that signed the checkpoint; compare it with callgate audit key.
	Key string `json:"key"`
	// Witnesses are the public keys of the witnesses that signed it.
	Witnesses []string `json:"witnesses,omitempty"`
	// Enrolment is the row with which the key of a signed approval was added, while the audit has it.
	Enrolment *Entry `json:"enrolment,omitempty"`
}

// Entry is a row with its place in the tree.
type Entry struct {
	store.Row
	// Path are the hashes from the row's leaf to the root.
	Path []store.Hash `json:"path"`
}

// The bounds of a file.
const (
	// MaxFile bounds one proof in bytes: a row has at most 64 KiB in each of its texts.
	MaxFile  = 4 << 20
	maxPath  = 64
	maxNames = 32
)

// ErrFile means that a file is no proof, or proves nothing.
var ErrFile = errors.New("this is no valid proof")

// options read and write rows as the API does.
var options = json.JoinOptions(jsonv1.FormatDurationAsNano(true), json.RejectUnknownMembers(true))

// Parse reads one proof from strict JSON. It verifies nothing.
func Parse(text []byte) (File, error) {
	var f File
	if len(text) > MaxFile {
		return f, fmt.Errorf("%w: it has %d bytes, at most %d are read", ErrFile, len(text), MaxFile)
	}
	var named struct {
		Version jsontext.Value `json:"callgate_proof"`
	}
	if err := json.Unmarshal(text, &named); err != nil {
		return f, fmt.Errorf("%w: %w", ErrFile, strictjson.Explain(err))
	}
	switch version := string(named.Version); version {
	case "1":
	case "":
		return f, fmt.Errorf("%w: it has no member callgate_proof; write one with callgate audit prove", ErrFile)
	default:
		return f, fmt.Errorf("%w: its version is %.20s, this program knows 1: use the callgate that wrote it", ErrFile, version)
	}
	if err := json.Unmarshal(text, &f, options); err != nil {
		return f, fmt.Errorf("%w: %w", ErrFile, strictjson.Explain(err))
	}
	paths := len(f.Row.Path)
	if f.Enrolment != nil {
		paths = max(paths, len(f.Enrolment.Path))
	}
	if paths > maxPath || len(f.Witnesses) > maxNames {
		return f, fmt.Errorf("%w: it has %d hashes and %d witnesses, at most %d and %d are read", ErrFile, paths, len(f.Witnesses), maxPath, maxNames)
	}
	return f, nil
}

// Text is the file as JSON on one line, without a line feed.
func (f File) Text() ([]byte, error) { return json.Marshal(f, options) }

// Pages is the file as JSON for people, with a line feed at the end.
func (f File) Pages() ([]byte, error) {
	text, err := json.Marshal(f, options, jsontext.WithIndent("  "))
	return append(text, '\n'), err
}

// All reads the proofs of a file, one after the other, as an export writes them. each returns an
// error to stop. A file without any proof is an error.
func All(r io.Reader, each func(number int, text []byte) error) error {
	d := jsontext.NewDecoder(r)
	for number := 1; ; number++ {
		text, err := d.ReadValue()
		switch {
		case errors.Is(err, io.EOF) && number > 1:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: the file is empty", ErrFile)
		case err != nil:
			return fmt.Errorf("%w: %w", ErrFile, strictjson.Explain(err))
		}
		if err := each(number, text); err != nil {
			return err
		}
	}
}

// NewPath is a proof of the library as a path.
func NewPath(p tlog.RecordProof) []store.Hash {
	out := []store.Hash{}
	for _, h := range p {
		out = append(out, store.Hash(h))
	}
	return out
}

// in verifies that a row is the one in the tree of a checkpoint.
func (e Entry) in(c Checkpoint, base int64) error {
	if sum := e.Sum(); sum != e.Hash {
		return fmt.Errorf("%w: row %d was changed: its hash is %s, not %s", ErrFile, e.Seq, sum, e.Hash)
	}
	leaf := e.Seq - base - 1
	if base < 0 || leaf < 0 || leaf >= c.Size {
		return fmt.Errorf("%w: row %d is not among the %d rows of the checkpoint", ErrFile, e.Seq, c.Size)
	}
	var path tlog.RecordProof
	for _, h := range e.Path {
		path = append(path, tlog.Hash(h))
	}
	if err := tlog.CheckRecord(path, c.Size, c.Root, leaf, tlog.RecordHash(e.Hash[:])); err != nil {
		return fmt.Errorf("%w: the path of row %d does not lead to the root of the checkpoint", ErrFile, e.Seq)
	}
	return nil
}
