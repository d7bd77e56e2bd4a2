package passkey

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// Credential is the public half of a person's passkey.
type Credential struct {
	// ID is the authenticator's own, in base64url.
	ID     string `json:"id"`
	Person string `json:"person"`
	// Name is the person's word for the device.
	Name string `json:"name"`
	// Daemon is the relying party that the key is bound to.
	Daemon string `json:"daemon"`
	// PublicKey is a COSE key.
	PublicKey []byte    `json:"public_key"`
	AddedAt   time.Time `json:"added_at"`
	// RevokedAt is zero while the credential counts.
	RevokedAt time.Time `json:"revoked_at,omitzero"`
	// Count is the authenticator's counter at the enrolment; 0 where it has none.
	Count uint32 `json:"count,omitempty"`
}

// Fingerprint is the SHA-256 of the public key in hex: people compare it.
func (c Credential) Fingerprint() string {
	sum := sha256.Sum256(c.PublicKey)
	return hex.EncodeToString(sum[:])
}

// Proof is the evidence of one signed approval.
type Proof struct {
	// Statement is the signed text.
	Statement string `json:"statement"`
	// Credential is the signing key, as it was then.
	Credential Credential `json:"credential"`
	// Origin is the address of the page that the device showed.
	Origin string `json:"origin"`
	// Assertion is the browser's JSON with the device's answer.
	Assertion string `json:"assertion"`
}

// Check verifies the evidence of an audit row by itself: the device of its credential has signed the
// statement, after verifying its user, on a page of the daemon named in it. Whose key it is, only
// the row of its enrolment can tell.
func Check(evidence []byte) (Proof, Statement, error) {
	var p Proof
	var s Statement
	if err := json.Unmarshal(evidence, &p, json.RejectUnknownMembers(true)); err != nil {
		return p, s, fmt.Errorf("the evidence cannot be read: %w", err)
	}
	if err := json.Unmarshal([]byte(p.Statement), &s, json.RejectUnknownMembers(true)); err != nil {
		return p, s, fmt.Errorf("the statement cannot be read: %w", err)
	}
	origin, err := url.Parse(p.Origin)
	switch {
	case s.Kind != statementKind:
		return p, s, fmt.Errorf("the statement is of kind %q: want %q", s.Kind, statementKind)
	case s.Answer != "approve":
		return p, s, fmt.Errorf("the statement answers %q: want approve", s.Answer)
	case s.By != p.Credential.Person:
		return p, s, fmt.Errorf("the statement is by %q, the passkey of %q", s.By, p.Credential.Person)
	case s.Daemon == "" || s.Daemon != p.Credential.Daemon:
		return p, s, fmt.Errorf("the statement is for %q, the passkey for %q", s.Daemon, p.Credential.Daemon)
	case err != nil || origin.Hostname() != s.Daemon:
		return p, s, fmt.Errorf("the page was of %q: want one of %s", p.Origin, s.Daemon)
	}
	_, err = verify([]byte(p.Statement), []byte(p.Assertion), p.Credential, p.Origin)
	return p, s, err
}

// verify checks a device's signature under a statement, and returns its counter.
func verify(statement, assertion []byte, c Credential, origin string) (uint32, error) {
	sum := sha256.Sum256(statement)
	got, err := protocol.ParseCredentialRequestResponseBytes(assertion)
	if err != nil {
		return 0, fmt.Errorf("the device's answer cannot be read: %w", plain(err))
	}
	if base64.RawURLEncoding.EncodeToString(got.RawID) != c.ID {
		return 0, errors.New("the answer is of another passkey")
	}
	err = got.Verify(base64.RawURLEncoding.EncodeToString(sum[:]), c.Daemon, "", []string{origin}, nil, nil,
		protocol.TopOriginExplicitVerificationMode, false, true, true, c.PublicKey, protocol.SignaturePolicy{})
	if err != nil {
		return 0, fmt.Errorf("the device's answer does not count: %w", plain(err))
	}
	return got.Response.AuthenticatorData.Counter, nil
}

// plain is the library's error with its details, which its own text leaves out.
func plain(err error) error {
	var told *protocol.Error
	if !errors.As(err, &told) {
		return err
	}
	text := told.Details
	if told.DevInfo != "" {
		text += " (" + told.DevInfo + ")"
	}
	return errors.New(strings.TrimSpace(text))
}

// enrolled reads a browser's answer to the options of an enrolment.
func enrolled(body, challenge []byte, daemon, origin string) (Credential, error) {
	got, err := protocol.ParseCredentialCreationResponseBytes(body)
	if err != nil {
		return Credential{}, fmt.Errorf("the device's answer cannot be read: %w", plain(err))
	}
	var wanted []protocol.CredentialParameter
	for _, alg := range algorithms {
		wanted = append(wanted, protocol.CredentialParameter{Type: protocol.PublicKeyCredentialType, Algorithm: alg})
	}
	_, err = got.Verify(base64.RawURLEncoding.EncodeToString(challenge), daemon, []string{origin}, nil, nil,
		protocol.TopOriginExplicitVerificationMode, false, true, true, nil, wanted, protocol.AttestationPolicy{}, protocol.SignaturePolicy{})
	if err != nil {
		return Credential{}, fmt.Errorf("the device's answer does not count: %w", plain(err))
	}
	data := got.Response.AttestationObject.AuthData
	return Credential{
		ID: base64.RawURLEncoding.EncodeToString(data.AttData.CredentialID), Daemon: daemon,
		PublicKey: data.AttData.CredentialPublicKey, Count: data.Counter,
	}, nil
}

// algorithms are those of keys that may be enrolled, the most wanted first.
var algorithms = []webauthncose.COSEAlgorithmIdentifier{webauthncose.AlgES256, webauthncose.AlgEdDSA, webauthncose.AlgRS256}

// compact is JSON for a row.
func compact(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("passkey: evidence is JSON: " + err.Error())
	}
	return string(text)
}
