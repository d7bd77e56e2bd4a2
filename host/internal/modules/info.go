package modules

import (
	"reflect"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/wire"
)

// inform notes how a file stands. found is the digest of its bytes, empty when
// they are not known.
func (b *builder) inform(m *module, s wire.ModuleState, found string) {
	p := b.pins.byFile[m.file]
	if m.embedded {
		p = pin{}
	}
	i := wire.ModuleInfo{
		File: m.file, Name: m.name(), Embedded: m.embedded, Replaces: m.replaces, Digest: m.digest, Size: m.size, Declared: m.declared,
		Pinned: p.digest, Dev: p.dev, State: s, Since: b.c.opts.Now().UTC(), Again: b.refused[m.id].again.UTC(),
		Grant: wire.ModuleRights{Names: m.grant.Names, MayAllow: m.grant.MayAllow, MayReadOnly: m.grant.MayReadOnly},
	}
	if found != "" && found != m.digest {
		i.Found = found
	}
	if m.desc != nil {
		i.Version, i.Summary = m.desc.Version, m.desc.Summary
	}
	if m.code != nil {
		i.Limits = m.limits()
	}
	b.infos = append(b.infos, i)
}

// tellProblems adds each file's problem, with its time, to its state.
func (b *builder) tellProblems() {
	slices.SortStableFunc(b.infos, func(x, y wire.ModuleInfo) int { return strings.Compare(lastOf(x), lastOf(y)) })
	for n := range b.infos {
		i := &b.infos[n]
		var all []string
		for _, p := range b.problems {
			if p.File == i.File && !i.Embedded {
				all = append(all, p.Err.Error())
			}
		}
		i.Problem = strings.Join(all, "; ")
		if before, ok := b.prev.info(fileOf(*i)); ok {
			same := *i
			if same.Since = before.Since; reflect.DeepEqual(same, before) {
				i.Since = before.Since
			}
		}
	}
}

// lastOf orders infos: those of the binary first.
func lastOf(i wire.ModuleInfo) string {
	if i.Embedded {
		return "0/" + i.File
	}
	return "1/" + i.File
}

// info is how a file stands in a state; none in a nil state.
func (s *state) info(which id) (wire.ModuleInfo, bool) {
	if s == nil {
		return wire.ModuleInfo{}, false
	}
	n := slices.IndexFunc(s.infos, func(i wire.ModuleInfo) bool { return fileOf(i) == which })
	if n < 0 {
		return wire.ModuleInfo{}, false
	}
	return s.infos[n], true
}

// stateOf says how the file of a module stands.
func (s *state) stateOf(m *module) wire.ModuleState {
	if i, ok := s.info(m.id); ok {
		return i.State
	}
	return wire.ModuleMissing // only a grant speaks of it
}

// inUse is the module of a file in a state; nil for none, and in a nil state.
func (s *state) inUse(which id) *module {
	if s == nil {
		return nil
	}
	n := slices.IndexFunc(s.modules, func(m *module) bool { return m.id == which })
	if n < 0 {
		return nil
	}
	return s.modules[n]
}

// fileOf is an info's file.
func fileOf(i wire.ModuleInfo) id { return id{i.File, i.Embedded} }
