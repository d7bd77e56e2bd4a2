package doctor

import (
	"cmp"
	"context"
	"fmt"
)

// sandbox reports the system's features for the modules' sandbox. A missing one costs time, not
// safety.
func (d *examination) sandbox(context.Context) {
	if d.health == nil || d.health.Sandbox == nil {
		d.skip("sandbox.restore", cmp.Or(d.untold, "the daemon does not report it"), "")
		return
	}
	s := d.health.Sandbox
	if s.Tracking {
		d.ok("sandbox.restore", "Fast memory reset available.")
	} else {
		d.warn("sandbox.restore", "Fast memory reset not available: module memory is restored completely after each call, which is slower, and instances share no memory.", "run the daemon on Linux with a readable /proc/self/pagemap")
	}
	switch {
	case s.Kept && s.CacheUsedMiB > s.CacheMiB:
		d.warn("sandbox.cache", fmt.Sprintf("The compiled modules in use take %d MiB, but the cache keeps only %d MiB: some will be compiled again at the next start.", s.CacheUsedMiB, s.CacheMiB), "remove unused modules: callgate tool remove FILE")
	case s.Kept:
		d.ok("sandbox.cache", "Compiled modules are cached for the next start.")
	default:
		d.warn("sandbox.cache", "Compiled modules are not cached: each start compiles them again, which takes seconds.", "read the daemon's log for the reason")
	}
	if s.Apart {
		d.ok("sandbox.compiler", "Modules are compiled in a separate process with limits.")
	} else {
		d.warn("sandbox.compiler", "Modules are compiled in the daemon's own process: a malicious module may slow down or crash the daemon.", "read the daemon's log for the reason; install only modules that you trust")
	}
	used := fmt.Sprintf("Modules use %d of %d MiB of memory.", s.UsedMiB, s.MemoryMiB)
	if s.UsedMiB > s.MemoryMiB/10*9 {
		d.warn("sandbox.memory", used+" Calls that need more will fail.", "raise modules.memory_mib, or lower memory_mib or instances of the largest modules")
	} else {
		d.ok("sandbox.memory", used)
	}
}
