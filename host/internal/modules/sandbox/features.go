package sandbox

import "github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"

// Features are a Runtime's optional parts on its system. Without them the results are the same,
// only slower.
type Features struct {
	// Tracking means: the system reports the pages written by a call, so only these are
	// restored; without it all of an instance's memory is. Instances then share their unwritten
	// pages.
	Tracking bool `json:"tracking"`
	// Kept means: compiled code is kept for the next start.
	Kept bool `json:"kept"`
	// CacheMiB is the bound of the kept code, CacheUsedMiB the part in use by modules, kept
	// even beyond the bound.
	CacheMiB     int64 `json:"cache_mib,omitempty"`
	CacheUsedMiB int64 `json:"cache_used_mib,omitempty"`
	// Apart means: modules are compiled in another process.
	Apart bool `json:"apart"`
	// MemoryMiB is the memory for all modules together, UsedMiB the part in use.
	MemoryMiB int64 `json:"memory_mib"`
	UsedMiB   int64 `json:"used_mib"`
}

// Features inspects the system of r.
func (r *Runtime) Features() Features {
	f := Features{
		Tracking: r.tracking != memory.Untracked, Kept: r.kept != nil, Apart: r.apart(),
		MemoryMiB: r.memory.Most() >> 20, UsedMiB: r.memory.Used() >> 20,
	}
	if r.kept != nil {
		used, most := r.kept.store.Used()
		f.CacheMiB, f.CacheUsedMiB = most>>20, used>>20
	}
	return f
}
