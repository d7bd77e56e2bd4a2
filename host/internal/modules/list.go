package modules

import "github.com/callgate/callgate/host/wire"

// List tells how every module file stands, those of the binary first.
func (c *Catalog) List() wire.ModuleList {
	return listed(c.place, c.Modules())
}

// Unserved is List without a daemon: the expected state of the directory's files, from the lock and
// themselves alone. unpinned lets files without an entry load.
func Unserved(place Place, policy Policy, unpinned bool) wire.ModuleList {
	verdicts, _ := place.Verify(policy) // listed reports problems of the lock as a whole
	infos := make([]wire.ModuleInfo, len(verdicts))
	for i, v := range verdicts {
		infos[i] = wire.ModuleInfo{File: v.File, Digest: v.Digest, Pinned: v.Pinned, Dev: v.Dev, State: stateOf(v, unpinned), Problem: v.Problem}
	}
	list := listed(place, infos)
	for i := range list.Modules {
		m := &list.Modules[i]
		if m.State == wire.ModuleDev {
			m.Problem = "" // a setting lets it be other bytes
		}
		if g := m.Granted; g != nil {
			m.Name, m.Version, m.Since = g.Name, g.Version, g.GrantedAt
			m.Grant = wire.ModuleRights{Names: g.Names, MayAllow: g.MayAllow, MayReadOnly: g.MayReadOnly}
		}
	}
	return list
}

// stateOf is the expected state of a file no daemon has tested.
func stateOf(v Verdict, unpinned bool) wire.ModuleState {
	switch {
	case v.State == wire.ModuleMissing:
		return wire.ModuleMissing
	case v.State == wire.ModulePinned && v.Problem == "", v.State == Changed && v.Dev && !v.Required, v.State == Unpinned && unpinned:
		return stateInUse(false, v.Digest, v.Pinned)
	}
	return wire.ModuleRefused
}

// listed adds each file's permissions to its state.
func listed(place Place, infos []wire.ModuleInfo) wire.ModuleList {
	out := wire.ModuleList{Modules: []wire.Module{}, Lock: place.Path()}
	loaded, err := place.Load()
	if err != nil {
		out.Problem = err.Error()
	}
	for _, i := range infos {
		one := wire.Module{ModuleInfo: i}
		if e := loaded.Find(i.File); e != nil && !i.Embedded {
			one.Granted, one.Previous = &e.GrantedModule, e.Previous
		}
		out.Modules = append(out.Modules, one)
	}
	return out
}
