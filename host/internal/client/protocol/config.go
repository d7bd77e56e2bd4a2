package protocol

// Accept names the text shown to the person.
type Accept struct {
	Digest string `json:"digest"`
}

// GiveProfile names an agent's new profile.
type GiveProfile struct {
	Profile string `json:"profile"`
}
