package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/callgate/callgate/host/internal/daemon/assembly"
)

// screenLog writes log records for a person at the daemon's terminal: modules being compiled share
// one line, other records are their message without time and level.
type screenLog struct {
	state *screenState
	attrs []slog.Attr
}

type screenState struct {
	mu sync.Mutex
	w  io.Writer
	// open is a line of progress without its end.
	open bool
}

func newScreenLog(w io.Writer) screenLog { return screenLog{state: &screenState{w: w}} }

// Enabled implements slog.Handler.
func (screenLog) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// WithGroup implements slog.Handler. The screen shows no groups.
func (l screenLog) WithGroup(string) slog.Handler { return l }

// WithAttrs implements slog.Handler.
func (l screenLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	l.attrs = append(l.attrs[:len(l.attrs):len(l.attrs)], attrs...)
	return l
}

// Handle implements slog.Handler.
func (l screenLog) Handle(_ context.Context, r slog.Record) error {
	var values []string
	add := func(a slog.Attr) bool {
		if text := a.Value.String(); text != "" {
			values = append(values, a.Key+" "+text)
		}
		return true
	}
	for _, a := range l.attrs {
		add(a)
	}
	r.Attrs(add)
	s := l.state
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.Message == assembly.LogCompiling && s.open:
		_, err := fmt.Fprintf(s.w, ", %s", strings.TrimPrefix(strings.Join(values, ", "), "module "))
		return err
	case r.Message == assembly.LogCompiling:
		s.open = true
		_, err := fmt.Fprintf(s.w, "Compiling tool modules, first start only: %s", strings.TrimPrefix(strings.Join(values, ", "), "module "))
		return err
	case r.Message == assembly.LogReady && !s.open:
		return nil // it would stand in the middle of a prompt
	}
	line := r.Message
	switch line {
	case logServing:
		line = "Callgate is running"
	case logStopped:
		line = "\n" + line // the terminal wrote ^C
	}
	if len(values) > 0 {
		line += " (" + strings.Join(values, ", ") + ")"
	}
	if r.Level >= slog.LevelWarn {
		line = strings.ToLower(r.Level.String()) + ": " + line
	}
	if s.open {
		s.open, line = false, "\n"+line
	}
	_, err := fmt.Fprintln(s.w, line)
	return err
}
