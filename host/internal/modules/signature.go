package modules

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

	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// maxSignature bounds a signature file, in bytes.
const maxSignature = 4 << 10

// The errors of Verify.
var (
	ErrUnsigned     = errors.New("the module is not signed")
	ErrUnknownKey   = errors.New("the key of the signature is neither in modules.keys nor in the signature")
	ErrBadSignature = errors.New("the signature does not match this file and key")
)

// Signed is the input of a signature.
func Signed(digest string) []byte { return []byte("callgate-module-v1 " + digest + "\n") }

// ParseSignature reads a signature file: base64 alone, or a JSON object with key and
// value.
func ParseSignature(data []byte) (wire.ModuleSignature, error) {
	if len(data) > maxSignature {
		return wire.ModuleSignature{}, fmt.Errorf("signature: more than %d bytes", maxSignature)
	}
	data = bytes.TrimSpace(data)
	s := wire.ModuleSignature{Value: string(data)}
	if bytes.HasPrefix(data, []byte("{")) {
		var file struct {
			Key    string `json:"key"`
			Value  string `json:"value"`
			Public string `json:"public"`
		} // an author cannot declare it trusted
		if err := jsonv2.Unmarshal(data, &file, jsonv2.RejectUnknownMembers(true)); err != nil {
			return wire.ModuleSignature{}, fmt.Errorf("signature: %w", strictjson.Explain(err))
		}
		s = wire.ModuleSignature{Key: file.Key, Value: file.Value, Public: file.Public}
		if s.Key == "" && s.Public == "" {
			return wire.ModuleSignature{}, errors.New("signature: key: missing: want the name of the key, the public key, or a base64 signature alone")
		}
	}
	if err := checkSignature(s); err != nil {
		return wire.ModuleSignature{}, fmt.Errorf("signature: %w", err)
	}
	return s, nil
}

func checkSignature(s wire.ModuleSignature) error {
	if s.Key != "" && !keyName.MatchString(s.Key) {
		return fmt.Errorf("key: %s: want letters, digits, dots and dashes, at most 64", strconv.QuoteToASCII(s.Key))
	}
	if _, err := signatureBytes(s); err != nil {
		return fmt.Errorf("value: %w", err)
	}
	if s.Public != "" {
		if key, err := ParseKey(s.Public); err != nil || PublicText(key) != s.Public {
			return fmt.Errorf("public: want the base64 of an Ed25519 key's %d bytes", ed25519.PublicKeySize)
		}
	}
	return nil
}

func signatureBytes(s wire.ModuleSignature) ([]byte, error) {
	raw, err := base64.StdEncoding.Strict().DecodeString(s.Value)
	if err != nil || len(raw) != ed25519.SignatureSize {
		return nil, fmt.Errorf("want the base64 of %d bytes", ed25519.SignatureSize)
	}
	return raw, nil
}

// Keys are an operator's trusted public keys, by name.
type Keys map[string]ed25519.PublicKey

// Verify finds the key behind a digest's signature: the listed one named in it, any other listed
// one, else the signature's own key. The last is Trusted only by the person granting the module a
// permission. The result has the public key. The errors are ErrUnsigned, ErrUnknownKey and
// ErrBadSignature.
func (k Keys) Verify(digest string, s *wire.ModuleSignature) (wire.ModuleSignature, error) {
	if s == nil {
		return wire.ModuleSignature{}, ErrUnsigned
	}
	raw, err := signatureBytes(*s)
	if err != nil {
		return wire.ModuleSignature{}, fmt.Errorf("%w: %w", ErrBadSignature, err)
	}
	made := func(key ed25519.PublicKey) bool {
		return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, Signed(digest), raw)
	}
	names := slices.Sorted(maps.Keys(k))
	if _, listed := k[s.Key]; listed {
		names = []string{s.Key} // the name means this key and no other
	}
	for _, name := range names {
		if made(k[name]) {
			return wire.ModuleSignature{Key: name, Value: s.Value, Public: PublicText(k[name])}, nil
		}
	}
	own, err := ParseKey(s.Public)
	switch _, listed := k[s.Key]; {
	case listed:
		return wire.ModuleSignature{}, fmt.Errorf("%w: %s", ErrBadSignature, s.Key)
	case s.Public == "" && s.Key != "":
		return wire.ModuleSignature{}, fmt.Errorf("%w: %s", ErrUnknownKey, s.Key)
	case s.Public == "":
		return wire.ModuleSignature{}, fmt.Errorf("%w: no key in modules.keys matches", ErrBadSignature)
	case err != nil || !made(own):
		return wire.ModuleSignature{}, fmt.Errorf("%w: %s", ErrBadSignature, s.Signer())
	}
	return wire.ModuleSignature{Key: s.Key, Value: s.Value, Public: s.Public, Trusted: true}, nil
}

// CheckKeyName refuses an invalid name of a key.
func CheckKeyName(name string) error {
	if !keyName.MatchString(name) {
		return fmt.Errorf("%s is not a key name; want letters, digits, dots and dashes, at most 64", strconv.QuoteToASCII(name))
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
		return nil, errors.New("want one PEM block PUBLIC KEY (a private key does not belong in the configuration)")
	}
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the PEM block contains no public key")
	}
	public, ok := key.(ed25519.PublicKey)
	if !ok {
		return nil, fmt.Errorf("want an Ed25519 key, got %T", key)
	}
	return public, nil
}

// ParsePrivateKey reads NewKey's output: PEM (PRIVATE KEY, PKCS 8).
func ParsePrivateKey(text []byte) (ed25519.PrivateKey, error) {
	block, rest := pem.Decode(text)
	if block == nil || block.Type != "PRIVATE KEY" || len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("want one PEM block PRIVATE KEY, as written by callgate tool key")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, errors.New("the PEM block contains no private key")
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

// Sign signs a module by its digest. key may be empty. The public key goes with it.
func Sign(secret ed25519.PrivateKey, key, digest string) wire.ModuleSignature {
	public, _ := secret.Public().(ed25519.PublicKey) // an Ed25519 key has it
	return wire.ModuleSignature{Key: key, Value: base64.StdEncoding.EncodeToString(ed25519.Sign(secret, Signed(digest))), Public: PublicText(public)}
}

// ReadPrivateKey reads a private key made by NewKey from a file unreadable for others.
func ReadPrivateKey(path string) (ed25519.PrivateKey, error) {
	text, err := securedir.ReadFile(path, maxSignature)
	if err != nil {
		return nil, err
	}
	key, err := ParsePrivateKey(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return key, nil
}
