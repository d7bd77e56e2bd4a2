package host

import (
	"context"
	"strings"
	"time"

	"github.com/callgate/callgate/host/catalog"
)

// swapping tries the stored rules on a module that is to be swapped in.
func (h *Host) swapping(ctx context.Context, next *catalog.Snapshot, files []string) []string {
	if h.Gate == nil { // nothing is decided yet
		return nil
	}
	if next.Trial() {
		return h.Gate.TryStored(ctx, next, files)
	}
	return h.Gate.Swapping(ctx, next, files)
}

// SwapListener hears of tool modules that change. It must not block.
type SwapListener interface {
	// Compiling hears of a file that is compiled, which takes seconds, before that.
	Compiling(file string)
	// Swapped hears of each outcome that has swaps.
	Swapped(o catalog.Outcome)
}

// Swaps has one listener hear of tool modules that change.
func (h *Host) Swaps(l SwapListener) { h.swaps.Store(&l) }

func (h *Host) compiling(file string) {
	h.log.Info("compiling a tool module, once", "file", file)
	if l := h.swaps.Load(); l != nil {
		(*l).Compiling(file)
	}
}

// WatchModules swaps tool modules as their files change, until ctx ends.
func (h *Host) WatchModules(ctx context.Context) error {
	return h.Catalog.Watch(ctx, h.swapped)
}

// swapped logs what became of the modules, one line for each, and tells it on.
func (h *Host) swapped(o catalog.Outcome) {
	if len(o.Swaps) == 0 {
		return
	}
	for _, s := range o.Swaps {
		attrs := []any{
			"file", s.File, "module", strings.TrimSpace(s.Module + " " + s.Version), "was", short(s.Was), "is", short(s.Is),
			"compiled", s.Compiled.Round(time.Millisecond), "tried", s.Tried.Round(time.Millisecond),
		}
		if len(s.Suspended) > 0 {
			attrs = append(attrs, "suspended_rules", s.Suspended)
		}
		if s.What == catalog.Refused || s.What == catalog.Kept {
			h.log.Error("tool module "+string(s.What), append(attrs, "found", short(s.Found), "error", s.Why)...)
			continue
		}
		if s.Why != "" {
			attrs = append(attrs, "problem", s.Why)
		}
		if len(s.Suspended) > 0 || s.Why != "" {
			h.log.Warn("tool module "+string(s.What), attrs...)
			continue
		}
		h.log.Info("tool module "+string(s.What), attrs...)
	}
	if l := h.swaps.Load(); l != nil {
		(*l).Swapped(o)
	}
}

// short is the begin of a digest, enough to tell modules apart.
func short(digest string) string { return digest[:min(12, len(digest))] }
