package catalog

import (
	"reflect"
	"slices"
	"strings"
)

// inform notes how a file stands. found is the digest of its bytes, empty when
// they are not known.
func (b *builder) inform(m *module, s Standing, found string) {
	pin := b.pins.byFile[m.file]
	if m.embedded {
		pin = Pin{}
	}
	i := ModuleInfo{
		File: m.file, Name: m.name(), Embedded: m.embedded, Digest: m.digest, Size: m.size, Declared: m.declared,
		Pinned: pin.Digest, Dev: pin.Dev, State: s, Since: b.c.opts.Now().UTC(), Again: b.again(m.file, m.embedded),
		Grant: Granted{Names: m.grant.Names, MayAllow: m.grant.MayAllow, MayReadOnly: m.grant.MayReadOnly},
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

// tellProblems puts what is wrong with each file beside how it stands, and since
// when it does.
func (b *builder) tellProblems() {
	slices.SortStableFunc(b.infos, func(x, y ModuleInfo) int { return strings.Compare(lastOf(x), lastOf(y)) })
	for n := range b.infos {
		i := &b.infos[n]
		var all []string
		for _, p := range b.problems {
			if p.File == i.File && !i.Embedded {
				all = append(all, p.Err.Error())
			}
		}
		i.Problem = strings.Join(all, "; ")
		if before, ok := b.prev.info(i.File, i.Embedded); ok {
			same := *i
			if same.Since = before.Since; reflect.DeepEqual(same, before) {
				i.Since = before.Since
			}
		}
	}
}

// lastOf orders infos: those of the binary first.
func lastOf(i ModuleInfo) string {
	if i.Embedded {
		return "0/" + i.File
	}
	return "1/" + i.File
}

// info is how a file stands in a state; none in a nil state.
func (s *state) info(file string, embedded bool) (ModuleInfo, bool) {
	if s == nil {
		return ModuleInfo{}, false
	}
	n := slices.IndexFunc(s.infos, func(i ModuleInfo) bool { return i.File == file && i.Embedded == embedded })
	if n < 0 {
		return ModuleInfo{}, false
	}
	return s.infos[n], true
}

// standing says how the file of a module stands.
func (s *state) standing(m *module) Standing {
	if i, ok := s.info(m.file, m.embedded); ok {
		return i.State
	}
	return Missing // only a grant speaks of it
}

// inUse is the module of a file in a state; nil for none, and in a nil state.
func (s *state) inUse(file string, embedded bool) *module {
	if s == nil {
		return nil
	}
	n := slices.IndexFunc(s.modules, func(m *module) bool { return m.file == file && m.embedded == embedded })
	if n < 0 {
		return nil
	}
	return s.modules[n]
}
