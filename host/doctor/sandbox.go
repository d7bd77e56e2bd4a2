package doctor

import (
	"cmp"
	"context"
	"fmt"
)

// sandbox tells what the daemon's system offers the modules' sandbox. What it lacks
// costs time, not safety.
func (d *examination) sandbox(context.Context) {
	if d.health == nil || d.health.Sandbox == nil {
		d.skip("sandbox.restore", cmp.Or(d.untold, "the daemon does not tell"), "")
		return
	}
	s := d.health.Sandbox
	if s.Tracking {
		d.ok("sandbox.restore", "the system tells which pages of memory a call of a module wrote: only these are put back")
	} else {
		d.warn("sandbox.restore", "the system does not tell which pages of memory a call of a module wrote: all of it is put back after each call, which is slower, and instances share no memory", "run the daemon on Linux, with a /proc whose self/pagemap it may read")
	}
	if s.Kept {
		d.ok("sandbox.cache", "compiled modules are kept for the next start")
	} else {
		d.warn("sandbox.cache", "compiled modules are not kept: each start compiles them again, which takes seconds", "see the daemon's log for the reason")
	}
	if s.Apart {
		d.ok("sandbox.compiler", "a module is compiled in a process of its own, which is ended at its limits")
	} else {
		d.warn("sandbox.compiler", "modules are compiled in the daemon's own process: one that is made to trouble the compiler may slow the daemon, or end it", "see the daemon's log for the reason; install no modules that you do not trust")
	}
	used := fmt.Sprintf("the modules have %d MiB of memory, of %d", s.UsedMiB, s.MemoryMiB)
	if s.UsedMiB > s.MemoryMiB/10*9 {
		d.warn("sandbox.memory", used+": calls that need more fail", "a higher modules.memory_mib, or a lower memory_mib or instances of the modules that take most")
	} else {
		d.ok("sandbox.memory", used)
	}
}
