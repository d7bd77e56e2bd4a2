package sandbox

import (
	"context"
	"log/slog"

	"github.com/tetratelabs/wazero/api"
)

// lines count what a call has logged.
type lines struct {
	logger *slog.Logger // nil drops everything
	count  int
	bytes  int
	full   bool // the rest is dropped, and the log says so
}

// lineMost caps one line of a guest's log in bytes.
const lineMost = 512

func (l *lines) reset() { l.count, l.bytes, l.full = 0, 0, false }

func logAt(level slog.Level) func(*kernel, api.Module, []uint64) {
	return func(k *kernel, _ api.Module, s []uint64) { k.logLine(level, s[0]) }
}

// logLine passes a guest's message on, up to the call's share.
func (k *kernel) logLine(level slog.Level, offset uint64) {
	l := &k.log
	if l.logger == nil || l.full {
		return
	}
	data, _ := k.memory.block(offset)
	text := cleanBytes(data, lineMost)
	if l.count == k.limits.LogLines || l.bytes+len(text) > k.limits.LogBytes {
		l.full = true
		l.logger.Warn("module says too much: the rest of this call is dropped",
			"module", k.name, "log_lines", k.limits.LogLines, "log_kib", k.limits.LogBytes>>10)
		return
	}
	l.count++
	l.bytes += len(text)
	l.logger.Log(context.Background(), level, "module says", "module", k.name, "text", text)
}
