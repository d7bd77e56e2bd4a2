package view

import (
	"encoding/json"

	"github.com/callgate/callgate/host/internal/approval/passkey"
)

// PasskeyList are passkeys in the order of their enrolment.
type PasskeyList struct {
	Passkeys []Passkey `json:"passkeys"`
}

// Passkey is a credential with the fingerprint of its key.
type Passkey struct {
	passkey.Credential
	Fingerprint string `json:"fingerprint"`
}

// NewPasskey is the browser's answer to the options of an enrolment.
type NewPasskey struct {
	// Name is the person's word for the device.
	Name       string          `json:"name"`
	Credential json.RawMessage `json:"credential"`
}
