package sandbox

import "github.com/callgate/callgate/host/sandbox/internal/memory"

// Features are what a Runtime has on the system it runs on. Without any of them
// the same holds, only slower.
type Features struct {
	// Tracking tells that the system says which pages a call wrote, so that only
	// these are put back; without it all of an instance's memory is. Instances then
	// share what they do not write.
	Tracking bool `json:"tracking"`
	// Kept tells that compiled code is kept for the next start.
	Kept bool `json:"kept"`
	// Apart tells that modules are compiled in another process.
	Apart bool `json:"apart"`
	// MemoryMiB is what all modules together may have, UsedMiB what they have now.
	MemoryMiB int64 `json:"memory_mib"`
	UsedMiB   int64 `json:"used_mib"`
}

// Features looks at the system that r runs on.
func (r *Runtime) Features() Features {
	return Features{
		Tracking: r.tracking != memory.Untracked, Kept: r.kept != nil, Apart: r.apart(),
		MemoryMiB: r.memory.Most() >> 20, UsedMiB: r.memory.Used() >> 20,
	}
}
