package kernel

import (
	"context"
	"log/slog"

	"github.com/tetratelabs/wazero/api"
)

// lines count a call's log.
type lines struct {
	logger *slog.Logger // nil drops everything
	tried  int          // with and without a logger
	said   int          // bytes of these, likewise
	bytes  int          // passed on
	full   bool         // the rest is dropped, and the log says so
}

const (
	// lineMost caps one line of a guest's log in bytes.
	lineMost = 512
	// lineCost is the fuel of a line, formatted and written by the host.
	lineCost = 5000
)

func (l *lines) reset() { l.tried, l.said, l.bytes, l.full = 0, 0, 0, false }

// Logged is how many lines the last call logged, and their bytes; see sandbox.Usage.
func (k *Kernel) Logged() (lines, bytes int) { return k.log.tried, k.log.said }

func logAt(level slog.Level) func(*Kernel, api.Module, []uint64) {
	return func(k *Kernel, guest api.Module, s []uint64) {
		if k.log.tried <= k.limits.LogLines { // the first line too many counts as one too
			k.log.tried++
			k.charge(guest, lineCost)
			k.logLine(level, s[0])
		}
	}
}

// logLine passes a guest's message on, up to the call's share.
func (k *Kernel) logLine(level slog.Level, offset uint64) {
	l := &k.log
	data, _ := k.memory.block(offset)
	l.said += min(len(data), lineMost)
	if l.logger == nil || l.full {
		return
	}
	text := cleanBytes(data, lineMost)
	if l.tried > k.limits.LogLines || l.bytes+len(text) > k.limits.LogBytes {
		l.full = true
		l.logger.Warn("module says too much: the rest of this call is dropped",
			"module", k.name, "log_lines", k.limits.LogLines, "log_kib", k.limits.LogBytes>>10)
		return
	}
	l.bytes += len(text)
	l.logger.Log(context.Background(), level, "module says", "module", k.name, "text", text)
}
