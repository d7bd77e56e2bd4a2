package passkey

import (
	"encoding/base64"

	"github.com/go-json-experiment/json"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// The members of the options are those of the WebAuthn standard's JSON forms; its bytes are
// base64url.

// RequestOptions ask a device for a signature.
type RequestOptions struct {
	Challenge        string       `json:"challenge"`
	Timeout          int          `json:"timeout"`
	RPID             string       `json:"rpId"`
	AllowCredentials []Descriptor `json:"allowCredentials"`
	UserVerification string       `json:"userVerification"`
}

// CreationOptions ask a device for a new key.
type CreationOptions struct {
	Challenge              string       `json:"challenge"`
	RP                     Named        `json:"rp"`
	User                   Named        `json:"user"`
	PubKeyCredParams       []Parameter  `json:"pubKeyCredParams"`
	Timeout                int          `json:"timeout"`
	ExcludeCredentials     []Descriptor `json:"excludeCredentials"`
	AuthenticatorSelection Selection    `json:"authenticatorSelection"`
	Attestation            string       `json:"attestation"`
}

// Descriptor names a credential.
type Descriptor struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// Named is the relying party or the user.
type Named struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName,omitempty"`
}

// Parameter is a kind of key.
type Parameter struct {
	Type string                               `json:"type"`
	Alg  webauthncose.COSEAlgorithmIdentifier `json:"alg"`
}

// Selection is what the authenticator has to be able to do.
type Selection struct {
	ResidentKey      string `json:"residentKey"`
	UserVerification string `json:"userVerification"`
}

const publicKey, required = "public-key", "required"

func requestOptions(challenge []byte, name string, held []Credential) RequestOptions {
	return RequestOptions{
		Challenge: base64.RawURLEncoding.EncodeToString(challenge), Timeout: int(challengeHold.Milliseconds()), RPID: name,
		AllowCredentials: described(held), UserVerification: required,
	}
}

func creationOptions(challenge []byte, name, person string, held []Credential) CreationOptions {
	out := CreationOptions{
		Challenge: base64.RawURLEncoding.EncodeToString(challenge), RP: Named{ID: name, Name: "Callgate"},
		User:    Named{ID: userHandle(person), Name: person, DisplayName: person},
		Timeout: int(challengeHold.Milliseconds()), ExcludeCredentials: described(held),
		AuthenticatorSelection: Selection{ResidentKey: "preferred", UserVerification: required}, Attestation: "none",
	}
	for _, alg := range algorithms {
		out.PubKeyCredParams = append(out.PubKeyCredParams, Parameter{Type: publicKey, Alg: alg})
	}
	return out
}

func described(held []Credential) []Descriptor {
	out := []Descriptor{}
	for _, c := range held {
		out = append(out, Descriptor{Type: publicKey, ID: c.ID})
	}
	return out
}

// credentialID is the id that an assertion names; empty for none. It is verified with the rest.
func credentialID(assertion []byte) string {
	var named struct {
		RawID string `json:"rawId"`
	}
	if json.Unmarshal(assertion, &named) != nil {
		return ""
	}
	return named.RawID
}
