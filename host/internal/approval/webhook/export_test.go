package webhook

import (
	"context"
	"net/http"
	"time"
)

// Waiting is how many bytes of arguments wait in the hub.
func (h *Hub) Waiting() int64 { return h.waiting.Load() }

// HubBytes is how many may.
const HubBytes = hubBytes

// Dial connects as a poster to url does.
func Dial(ctx context.Context, url, address string) error {
	p, err := newPoster(url, "/none", nil, nil)
	if err != nil {
		return err
	}
	conn, err := p.client.Transport.(*http.Transport).DialContext(ctx, "tcp", address)
	if err == nil {
		_ = conn.Close()
	}
	return err
}

// SetPause replaces the pauses between two tries.
func (h *Hub) SetPause(pause func(attempt int) time.Duration) { h.pause = pause }

// Attempts is how often a place is tried.
const Attempts = maxAttempts
