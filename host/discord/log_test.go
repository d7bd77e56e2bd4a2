package discord

import (
	"log/slog"
)

// testLog keeps what is logged, so that a test can look for what must not be in it.
func testLog(w *world) *slog.Logger {
	return slog.New(slog.NewTextHandler(writer{w}, nil))
}

type writer struct{ w *world }

func (l writer) Write(p []byte) (int, error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.w.logged.Write(p)
}
