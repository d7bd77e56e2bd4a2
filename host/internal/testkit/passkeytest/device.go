// Package passkeytest is an authenticator in software: it answers the options that a page gives to
// navigator.credentials, as a browser with a device would, and as it must not.
package passkeytest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"testing"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
)

// Device has one ES256 key. Its answers are those of a good device unless a member says otherwise.
type Device struct {
	t   testing.TB
	key *ecdsa.PrivateKey
	id  []byte

	// Origin is that of the page.
	Origin string
	// Unverified leaves out user verification, the finger or the device's PIN.
	Unverified bool
	// Count is the counter of the next signature; 0 is a synced passkey without one.
	Count uint32
	// User is the user handle of its signatures; none if empty.
	User string
}

// New makes a device that shows pages of an origin.
func New(t testing.TB, origin string) *Device {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	id := make([]byte, 16)
	_, _ = rand.Read(id) // it never fails
	return &Device{t: t, key: key, id: id, Origin: origin}
}

// options are the members of both kinds of options that a device needs.
type options struct {
	Challenge string `json:"challenge"`
	RPID      string `json:"rpId"`
	RP        struct {
		ID string `json:"id"`
	} `json:"rp"`
}

func (d *Device) read(text []byte) (o options) {
	d.t.Helper()
	if err := json.Unmarshal(text, &o); err != nil {
		d.t.Fatalf("%s: %v", text, err)
	}
	if o.RPID == "" {
		o.RPID = o.RP.ID
	}
	return o
}

// The flags of the authenticator's data.
const (
	present  = 0x01
	verified = 0x04
	attested = 0x40
)

// data is the authenticator's data.
func (d *Device) data(rpID string, flags byte) []byte {
	if !d.Unverified {
		flags |= verified
	}
	sum := sha256.Sum256([]byte(rpID))
	out := append(sum[:], flags|present)
	return binary.BigEndian.AppendUint32(out, d.Count)
}

func (d *Device) client(kind, challenge string) []byte {
	return d.json(map[string]any{"type": kind, "challenge": challenge, "origin": d.Origin, "crossOrigin": false})
}

func (d *Device) json(v any) []byte {
	d.t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

func encoded(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// ID is the credential's id.
func (d *Device) ID() string { return encoded(d.id) }

// Create answers the options of an enrolment.
func (d *Device) Create(creation []byte) []byte {
	d.t.Helper()
	o := d.read(creation)
	point, err := d.key.PublicKey.Bytes()
	if err != nil {
		d.t.Fatal(err)
	}
	public, err := webauthncbor.Marshal(map[int]any{1: 2, 3: -7, -1: 1, -2: point[1:33], -3: point[33:65]})
	if err != nil {
		d.t.Fatal(err)
	}
	data := append(d.data(o.RPID, attested), make([]byte, 16)...) // no model
	data = binary.BigEndian.AppendUint16(data, uint16(len(d.id)))
	data = append(append(data, d.id...), public...)
	object, err := webauthncbor.Marshal(map[string]any{"fmt": "none", "attStmt": map[string]any{}, "authData": data})
	if err != nil {
		d.t.Fatal(err)
	}
	return d.json(map[string]any{
		"id": d.ID(), "rawId": d.ID(), "type": "public-key", "clientExtensionResults": map[string]any{},
		"response": map[string]any{"clientDataJSON": encoded(d.client("webauthn.create", o.Challenge)), "attestationObject": encoded(object), "transports": []string{"internal"}},
	})
}

// Get answers the options of a signature.
func (d *Device) Get(request []byte) []byte {
	d.t.Helper()
	o := d.read(request)
	data, client := d.data(o.RPID, 0), d.client("webauthn.get", o.Challenge)
	hashed := sha256.Sum256(client)
	sum := sha256.Sum256(append(append([]byte(nil), data...), hashed[:]...))
	signature, err := ecdsa.SignASN1(rand.Reader, d.key, sum[:])
	if err != nil {
		d.t.Fatal(err)
	}
	return d.json(map[string]any{
		"id": d.ID(), "rawId": d.ID(), "type": "public-key", "clientExtensionResults": map[string]any{},
		"response": d.withUser(map[string]any{"clientDataJSON": encoded(client), "authenticatorData": encoded(data), "signature": encoded(signature)}),
	})
}

func (d *Device) withUser(response map[string]any) map[string]any {
	if d.User != "" {
		response["userHandle"] = d.User
	}
	return response
}
