package checkup

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/wire"
)

// Usable looks for tools without a judge.
var Usable = Check{"modules.usable", func(ctx context.Context, s Subject) (out Findings) {
	tools, err := s.Daemon.Tools(ctx)
	if err != nil {
		out.Bad("modules.usable", "Cannot list the tools: "+err.Error(), "read the daemon's log")
		return out
	}
	broken := slices.DeleteFunc(slices.Clone(tools), func(t wire.Tool) bool { return t.Error == "" })
	for _, t := range broken {
		out.Bad("modules.usable", fmt.Sprintf("%s (%s): %s. Its calls are denied or need approval.", t.Name, t.File, t.Error), "run callgate tools inspect "+t.Name+", then replace or remove the file")
	}
	for _, p := range s.Health.ModuleProblems {
		out.Bad("modules.usable", p+". Its tools are denied or need approval.", "fix or remove the file")
	}
	if len(out) == 0 {
		out.OK("modules.usable", fmt.Sprintf("%d tools, all usable.", len(tools)))
	}
	return out
}}

// Lock checks the lock of the tool modules, and modules loaded without a pin.
var Lock = Check{"modules.lock", func(ctx context.Context, s Subject) (out Findings) {
	list, err := s.Daemon.Modules(ctx)
	if err != nil {
		out.Skip("modules.lock", "cannot read the state of the modules: "+err.Error(), "")
		return out
	}
	if list.Problem != "" {
		out.Bad("modules.lock", "The lock file is invalid and ignored: "+list.Problem, "callgate tool verify, then callgate tool add FILE for each module")
		return out
	}
	pinned := 0
	for _, m := range list.Modules {
		if m.Granted != nil {
			pinned++
		}
		out.loose(m)
	}
	text := fmt.Sprintf("%d modules are", pinned)
	switch pinned {
	case 0:
		text = "no modules are"
	case 1:
		text = "1 module is"
	}
	out.OK("modules.lock", text+" pinned in "+list.Lock+".")
	return out
}}

// loose warns of a module without chosen bytes, or with bytes possibly changed since.
func (f *Findings) loose(m wire.Module) {
	const danger = "any program that can write the file controls how calls of its tools are checked."
	switch {
	case m.Embedded:
	case m.State == wire.ModuleDev && m.Granted == nil:
		f.Warning("modules.dev", m.File+" is in use but not pinned (modules.dev): "+danger, "callgate tool add "+m.File+", then remove modules.dev from the configuration")
	case m.Granted != nil && m.Granted.Dev:
		f.Warning("modules.dev", m.File+" may change its bytes (callgate tool add --dev): "+danger, "callgate tool add "+m.File+" without --dev")
	}
}

// Sandbox reports the system's features for the modules' sandbox. A missing one costs time, not
// safety.
var Sandbox = Check{"sandbox.restore", func(_ context.Context, s Subject) (out Findings) {
	h := s.Health.Sandbox
	if h == nil {
		out.Skip("sandbox.restore", "the daemon does not report it", "")
		return out
	}
	if h.Tracking {
		out.OK("sandbox.restore", "Fast memory reset available.")
	} else {
		out.Warning("sandbox.restore", "Fast memory reset not available: module memory is restored completely after each call, which is slower, and instances share no memory.", "run the daemon on Linux with a readable /proc/self/pagemap")
	}
	switch {
	case h.Kept && h.CacheUsedMiB > h.CacheMiB:
		out.Warning("sandbox.cache", fmt.Sprintf("The compiled modules in use take %d MiB, but the cache keeps only %d MiB: some will be compiled again at the next start.", h.CacheUsedMiB, h.CacheMiB), "remove unused modules: callgate tool remove FILE")
	case h.Kept:
		out.OK("sandbox.cache", "Compiled modules are cached for the next start.")
	default:
		out.Warning("sandbox.cache", "Compiled modules are not cached: each start compiles them again, which takes seconds.", "read the daemon's log for the reason")
	}
	if h.Apart {
		out.OK("sandbox.compiler", "Modules are compiled in a separate process with limits.")
	} else {
		out.Warning("sandbox.compiler", "Modules are compiled in the daemon's own process: a malicious module may slow down or crash the daemon.", "read the daemon's log for the reason; install only modules that you trust")
	}
	used := fmt.Sprintf("Modules use %d of %d MiB of memory.", h.UsedMiB, h.MemoryMiB)
	if h.UsedMiB > h.MemoryMiB/10*9 {
		out.Warning("sandbox.memory", used+" Calls that need more will fail.", "raise modules.memory_mib, or lower memory_mib or instances of the largest modules")
	} else {
		out.OK("sandbox.memory", used)
	}
	return out
}}
