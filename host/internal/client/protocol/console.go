package protocol

import "time"

// ConsoleLink is a one-time link to the web console.
type ConsoleLink struct {
	URL string `json:"url"`
	// ExpiresAt is when the unused link ends.
	ExpiresAt time.Time `json:"expires_at"`
}
