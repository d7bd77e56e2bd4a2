package pin

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/private"
	"github.com/callgate/callgate/host/internal/strictjson"
)

// Signature is an Ed25519 signature of a module, over Signed of its digest.
type Signature struct {
	// Key is the name of the key, as modules.keys of the configuration has it. A
	// signature file may leave it out; a lock never does.
	Key string `json:"key"`
	// Value is the signature in base64.
	Value string `json:"value"`
}

// maxSignature bounds a signature file, in bytes.
const maxSignature = 4 << 10

// The errors of Verify.
var (
	ErrUnsigned     = errors.New("the module is not signed")
	ErrUnknownKey   = errors.New("the key of the signature is not among modules.keys")
	ErrBadSignature = errors.New("the signature is not of this file by this key")
)

// Signed is what a signature is over.
func Signed(digest string) []byte { return []byte("callgate-module-v1 " + digest + "\n") }

// ParseSignature reads a signature file: base64 alone, or a JSON object with key and
// value.
func ParseSignature(data []byte) (Signature, error) {
	if len(data) > maxSignature {
		return Signature{}, fmt.Errorf("signature: more than %d bytes", maxSignature)
	}
	data = bytes.TrimSpace(data)
	s := Signature{Value: string(data)}
	if bytes.HasPrefix(data, []byte("{")) {
		s = Signature{}
		if err := jsonv2.Unmarshal(data, &s, jsonv2.RejectUnknownMembers(true)); err != nil {
			return Signature{}, fmt.Errorf("signature: %w", strictjson.Explain(err))
		}
		if s.Key == "" {
			return Signature{}, errors.New("signature: key: missing: want the name of the key, or base64 alone")
		}
	}
	if err := s.check(); err != nil {
		return Signature{}, fmt.Errorf("signature: %w", err)
	}
	return s, nil
}

func (s Signature) check() error {
	if s.Key != "" && !keyName.MatchString(s.Key) {
		return fmt.Errorf("key: %s: want letters, digits, dots and dashes, at most 64", strconv.QuoteToASCII(s.Key))
	}
	if _, err := s.bytes(); err != nil {
		return fmt.Errorf("value: %w", err)
	}
	return nil
}

func (s Signature) bytes() ([]byte, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(s.Value)
	if err != nil || len(raw) != ed25519.SignatureSize {
		return nil, fmt.Errorf("want the base64 of %d bytes", ed25519.SignatureSize)
	}
	return raw, nil
}

// Keys are the public keys that an operator believes, by name.
type Keys map[string]ed25519.PublicKey

// Verify tells by which key a digest is signed. A signature that names none is tried
// with each. The errors are ErrUnsigned, ErrUnknownKey and ErrBadSignature.
func (k Keys) Verify(digest string, s *Signature) (Signature, error) {
	if s == nil {
		return Signature{}, ErrUnsigned
	}
	raw, err := s.bytes()
	if err != nil {
		return Signature{}, fmt.Errorf("%w: %w", ErrBadSignature, err)
	}
	names := []string{s.Key}
	if s.Key == "" {
		names = slices.Sorted(maps.Keys(k))
	} else if k[s.Key] == nil {
		return Signature{}, fmt.Errorf("%w: %s", ErrUnknownKey, s.Key)
	}
	for _, name := range names {
		if key := k[name]; len(key) == ed25519.PublicKeySize && ed25519.Verify(key, Signed(digest), raw) {
			return Signature{Key: name, Value: s.Value}, nil
		}
	}
	if s.Key == "" {
		return Signature{}, fmt.Errorf("%w: no key of modules.keys made it", ErrBadSignature)
	}
	return Signature{}, fmt.Errorf("%w: %s", ErrBadSignature, s.Key)
}

// CheckKeyName refuses what cannot be the name of a key.
func CheckKeyName(name string) error {
	if !keyName.MatchString(name) {
		return fmt.Errorf("%s is not a key's name: want letters, digits, dots and dashes, at most 64", strconv.QuoteToASCII(name))
	}
	return nil
}

// ParseKey reads a public key: the base64 of its 32 bytes, or PEM (PUBLIC KEY).
func ParseKey(text string) (ed25519.PublicKey, error) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "-----BEGIN") {
		raw, err := base64.StdEncoding.Strict().DecodeString(text)
		if err != nil || len(raw) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("want an Ed25519 public key: the base64 of its %d bytes, or PEM", ed25519.PublicKeySize)
		}
		return raw, nil
	}
	block, rest := pem.Decode([]byte(text))
	if block == nil || block.Type != "PUBLIC KEY" || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("want one PEM block PUBLIC KEY; a private key never stands in the configuration")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the PEM block holds no public key")
	}
	public, ok := key.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("want an Ed25519 key, got %T", key)
	}
	return public, nil
}

// ParsePrivateKey reads what NewKey writes: PEM (PRIVATE KEY, PKCS 8).
func ParsePrivateKey(text []byte) (ed25519.PrivateKey, error) {
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("want one PEM block PRIVATE KEY, as callgate tool key makes it")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the PEM block holds no private key")
	}
	secret, ok := key.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("want an Ed25519 key, got %T", key)
	}
	return secret, nil
}

// NewKey makes a pair of keys: the private one in PEM, the public one in base64, as
// modules.keys takes it.
func NewKey() (secret []byte, public string, err error) {
	pub, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, "", err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, "", err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), PublicText(pub), nil
}

// PublicText writes a public key as modules.keys takes it.
func PublicText(key ed25519.PublicKey) string { return base64.StdEncoding.EncodeToString(key) }

// Sign signs a module by its digest. key may be empty.
func Sign(secret ed25519.PrivateKey, key, digest string) Signature {
	return Signature{Key: key, Value: base64.StdEncoding.EncodeToString(ed25519.Sign(secret, Signed(digest)))}
}

// Text is the signature as a file: JSON when it names its key, else base64 alone.
func (s Signature) Text() []byte {
	if s.Key == "" {
		return []byte(s.Value + "\n")
	}
	data, err := jsonv2.Marshal(s)
	if err != nil {
		return []byte(s.Value + "\n") // cannot be: two texts
	}
	return append(data, '\n')
}

// ReadPrivateKey reads a private key that NewKey made from a file that nobody else
// can read.
func ReadPrivateKey(path string) (ed25519.PrivateKey, error) {
	text, err := private.ReadFile(path, maxSignature)
	if err != nil {
		return nil, err
	}
	key, err := ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}
