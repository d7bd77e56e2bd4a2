package webhook

import "time"

// SetPause replaces the pauses between two tries.
func (h *Hub) SetPause(pause func(attempt int) time.Duration) { h.pause = pause }

// Attempts is how often a place is tried.
const Attempts = maxAttempts
