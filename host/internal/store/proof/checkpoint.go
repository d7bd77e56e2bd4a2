package proof

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

// MaxCheckpoint bounds the text of a checkpoint, in bytes.
const MaxCheckpoint = 16 << 10

// Checkpoint is the state of a log: its name, its number of rows and the root over them.
type Checkpoint struct {
	Origin string
	Size   int64
	Root   tlog.Hash
}

// ErrCheckpoint means that a checkpoint is damaged, or signed with other keys.
var ErrCheckpoint = errors.New("the checkpoint does not count")

// Text is the body to sign, after C2SP tlog-checkpoint.
func (c Checkpoint) Text() string {
	return fmt.Sprintf("%s\n%d\n%s\n", c.Origin, c.Size, base64.StdEncoding.EncodeToString(c.Root[:]))
}

// Sign returns the checkpoint with the signatures.
func (c Checkpoint) Sign(signers ...note.Signer) (string, error) {
	signed, err := note.Sign(&note.Note{Text: c.Text()}, signers...)
	return string(signed), err
}

// Signed is a checkpoint whose signature was verified.
type Signed struct {
	Checkpoint
	// Witnesses are the names of the given witnesses with a valid signature.
	Witnesses []string
}

// Open verifies a checkpoint. The key of the log must have signed it; signatures of witnesses with
// other keys than those given are ignored. Its text must be the one that Text writes, byte for byte.
func Open(text string, key Key, witnesses ...Witness) (Signed, error) {
	if len(text) > MaxCheckpoint {
		return Signed{}, fmt.Errorf("%w: it has %d bytes, at most %d are read", ErrCheckpoint, len(text), MaxCheckpoint)
	}
	verifiers := []note.Verifier{key.verifier}
	for _, w := range witnesses {
		verifiers = append(verifiers, w.verifier)
	}
	n, err := note.Open([]byte(text), note.VerifierList(verifiers...))
	if err != nil {
		return Signed{}, fmt.Errorf("%w: %w", ErrCheckpoint, plain(err, key))
	}
	out := Signed{}
	var byLog bool
	for _, sig := range n.Sigs {
		if raw, err := base64.StdEncoding.Strict().DecodeString(sig.Base64); err != nil || len(raw) == 0 {
			return Signed{}, fmt.Errorf("%w: a signature is not in strict base64", ErrCheckpoint)
		}
		if sig.Name == key.Name() && sig.Hash == key.verifier.KeyHash() {
			byLog = true
			continue
		}
		out.Witnesses = append(out.Witnesses, sig.Name)
	}
	if !byLog {
		return Signed{}, fmt.Errorf("%w: the log's key %s has not signed it", ErrCheckpoint, key)
	}
	if out.Checkpoint, err = parse(n.Text); err != nil {
		return Signed{}, fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	if out.Origin != key.Name() {
		return Signed{}, fmt.Errorf("%w: it is of the log %s, the key of %s", ErrCheckpoint, strconv.Quote(out.Origin), key.Name())
	}
	return out, nil
}

// plain says in words what note.Open found.
func plain(err error, key Key) error {
	var unknown *note.UnverifiedNoteError
	var invalid *note.InvalidSignatureError
	switch {
	case errors.As(err, &unknown):
		return fmt.Errorf("it is signed with another key than %s", key)
	case errors.As(err, &invalid):
		return fmt.Errorf("the signature of %s is wrong: its text was changed", invalid.Name)
	}
	return errors.New("it is not a signed checkpoint")
}

// parse reads the body of a checkpoint. Only what Text writes is one.
func parse(text string) (Checkpoint, error) {
	lines := strings.Split(text, "\n")
	if len(lines) != 4 {
		return Checkpoint{}, errors.New("it has not the three lines of a checkpoint")
	}
	c := Checkpoint{Origin: lines[0]}
	var err error
	if c.Size, err = strconv.ParseInt(lines[1], 10, 64); err != nil || c.Size < 0 {
		return Checkpoint{}, fmt.Errorf("its size is %q", lines[1])
	}
	if c.Root, err = tlog.ParseHash(lines[2]); err != nil || c.Text() != text {
		return Checkpoint{}, fmt.Errorf("its root is %q", lines[2])
	}
	return c, nil
}
