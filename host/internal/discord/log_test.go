package discord

import (
	"log/slog"
)

// testLog keeps the log, to search it for forbidden texts.
func testLog(w *world) *slog.Logger {
	return slog.New(slog.NewTextHandler(writer{w}, nil))
}

type writer struct{ w *world }

func (l writer) Write(p []byte) (int, error) {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.w.logged.Write(p)
}
