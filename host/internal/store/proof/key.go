package proof

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// ErrKey means that a text is no public key of a log or of a witness.
var ErrKey = errors.New("not a public key of an audit log")

// Key is the public key with which a log's checkpoints are signed. The zero value is not usable.
type Key struct {
	text     string
	verifier note.Verifier
}

// ParseKey reads NAME+HASH+KEY, as `callgate audit key` writes it.
func ParseKey(text string) (Key, error) {
	v, err := note.NewVerifier(text)
	if err != nil {
		return Key{}, fmt.Errorf("%w: want NAME+HASH+KEY, as callgate audit key shows it", ErrKey)
	}
	name, rest, _ := strings.Cut(text, "+")
	_, key64, _ := strings.Cut(rest, "+")
	// The library reads other spellings of the same key.
	if want := fmt.Sprintf("%s+%08x+%s", name, v.KeyHash(), key64); text != want {
		return Key{}, fmt.Errorf("%w: want %s", ErrKey, want)
	}
	return Key{text: text, verifier: v}, nil
}

// NewKey is the public key of a log.
func NewKey(origin string, public ed25519.PublicKey) (Key, error) {
	text, err := note.NewEd25519VerifierKey(origin, public)
	if err != nil {
		return Key{}, err
	}
	return ParseKey(text)
}

// String is NAME+HASH+KEY.
func (k Key) String() string { return k.text }

// Name is the log's name.
func (k Key) Name() string { return k.verifier.Name() }

// NewSigner signs checkpoints of a log.
func NewSigner(origin string, private ed25519.PrivateKey) (note.Signer, error) {
	key, err := NewKey(origin, private.Public().(ed25519.PublicKey))
	if err != nil {
		return nil, err
	}
	sign := func(msg []byte) []byte { return ed25519.Sign(private, msg) }
	return &signer{name: origin, hash: key.verifier.KeyHash(), sign: sign}, nil
}

// signer implements note.Signer.
type signer struct {
	name string
	hash uint32
	sign func(msg []byte) []byte
}

func (s *signer) Name() string                    { return s.name }
func (s *signer) KeyHash() uint32                 { return s.hash }
func (s *signer) Sign(msg []byte) ([]byte, error) { return s.sign(msg), nil }

// Witness is the public key of a witness. The zero value is not usable.
type Witness struct {
	text     string
	verifier note.Verifier
}

// The kinds of Ed25519 keys in signed notes.
const (
	algEd25519     = 1
	algCosignature = 4
)

// ParseWitness reads NAME+HASH+KEY of a witness: a key for cosignatures (C2SP tlog-cosignature), or
// a plain Ed25519 one, which then signs cosignatures.
func ParseWitness(text string) (Witness, error) {
	name, rest, _ := strings.Cut(text, "+")
	hash, key64, _ := strings.Cut(rest, "+")
	key, err := base64.StdEncoding.Strict().DecodeString(key64)
	if err != nil || len(key) != 1+ed25519.PublicKeySize || key[0] != algEd25519 && key[0] != algCosignature ||
		name == "" || strings.ContainsAny(name, " \t\r\n") || hash != fmt.Sprintf("%08x", keyHash(name, key)) {
		return Witness{}, fmt.Errorf("%w: want NAME+HASH+KEY of a witness, with an Ed25519 key", ErrKey)
	}
	return newWitness(text, name, key[1:]), nil
}

func newWitness(text, name string, public ed25519.PublicKey) Witness {
	hash := keyHash(name, append([]byte{algCosignature}, public...))
	return Witness{text: text, verifier: &cosignature{name: name, hash: hash, key: public}}
}

// NewWitness is the public key of a witness that signs with Cosigner.
func NewWitness(name string, public ed25519.PublicKey) Witness {
	key := append([]byte{algCosignature}, public...)
	return newWitness(fmt.Sprintf("%s+%08x+%s", name, keyHash(name, key), base64.StdEncoding.EncodeToString(key)), name, public)
}

// String is NAME+HASH+KEY.
func (w Witness) String() string { return w.text }

// Name is the witness's name.
func (w Witness) Name() string { return w.verifier.Name() }

// keyHash is the hash of a key in signed notes.
func keyHash(name string, key []byte) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n"), key...))
	return binary.BigEndian.Uint32(sum[:])
}

// cosignature verifies signatures of C2SP tlog-cosignature, version 1: 8 bytes of time, in seconds,
// and the Ed25519 signature under both.
type cosignature struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (c *cosignature) Name() string    { return c.name }
func (c *cosignature) KeyHash() uint32 { return c.hash }

func (c *cosignature) Verify(msg, sig []byte) bool {
	return len(sig) == 8+ed25519.SignatureSize && ed25519.Verify(c.key, cosigned(binary.BigEndian.Uint64(sig), msg), sig[8:])
}

func cosigned(at uint64, msg []byte) []byte {
	return fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", at, msg)
}

// Cosigner signs checkpoints as a witness, with the time of now in seconds since 1970.
func Cosigner(name string, private ed25519.PrivateKey, now func() uint64) note.Signer {
	key := append([]byte{algCosignature}, private.Public().(ed25519.PublicKey)...)
	return &signer{name: name, hash: keyHash(name, key), sign: func(msg []byte) []byte {
		at := now()
		return append(binary.BigEndian.AppendUint64(nil, at), ed25519.Sign(private, cosigned(at, msg))...)
	}}
}
