package program

import "strings"

// options are a row's options by their spellings. A row is compiled within the call that needs
// it, and discarded with it, so filling must be cheaper than finding: in the sandbox a map
// costs 6,000 instructions for each spelling. RATIONALE.md, "Why are a row's options no map?".
type options struct {
	list []spelling
	// newest are the places in list, one added, of the last spelling of each bucket.
	newest [64]uint16
	// specs are handed out one by one; the owners of its parts keep a full one.
	specs []spec
}

type spelling struct {
	name string
	spec *spec
	next uint16 // as options.newest
}

// newOptions makes room for the options of texts.
func newOptions(texts ...string) *options {
	n := len(texts)
	for _, text := range texts {
		n += strings.Count(text, " ") + strings.Count(text, "|")
	}
	return &options{list: make([]spelling, 0, n+n/4), specs: make([]spec, 0, n)}
}

func bucket(name string) byte {
	n := len(name)
	return (name[n-1] + name[n/2]*5 + byte(n)*11) % 64
}

// find returns the option of a spelling, nil for none.
func (o *options) find(name string) *spec {
	if name == "" {
		return nil
	}
	for at := o.newest[bucket(name)]; at > 0; at = o.list[at-1].next {
		if s := &o.list[at-1]; s.name == name {
			return s.spec
		}
	}
	return nil
}

// add adds a new, non-empty spelling.
func (o *options) add(name string, s *spec) {
	b := bucket(name)
	o.list = append(o.list, spelling{name, s, o.newest[b]})
	o.newest[b] = uint16(len(o.list))
}

// spec returns a new option.
func (o *options) spec(name string, e effect) *spec {
	if len(o.specs) == cap(o.specs) {
		o.specs = make([]spec, 0, 32)
	}
	o.specs = append(o.specs, spec{name, e})
	return &o.specs[len(o.specs)-1]
}

// dashes are the names of all options of one letter, each at twice the letter.
var dashes = func() string {
	var b strings.Builder
	for c := range byte(0x80) {
		b.WriteByte('-')
		b.WriteByte(c)
	}
	return b.String()
}()

// dashed is the option's name for a letter.
func dashed(letter rune) string {
	if letter < 0 || letter >= 0x80 {
		return "-" + string(letter)
	}
	return dashes[2*letter : 2*letter+2]
}

// oneDash is an option's name with one dash of however many it begins with.
func oneDash(name string) string {
	for strings.HasPrefix(name, "--") {
		name = name[1:]
	}
	return name
}
