package wasmbin

// Outline is a binary's structure, visible without running it.
type Outline struct {
	Imports []Import
	Exports []Export
	// Functions and Globals are its own definitions; Tables counts imported ones too.
	Functions, Globals, Tables int
	// Memory tells whether it has one; Pages and MaxPages are its size at first and at
	// most, in pages of 64 KiB, MaxPages 1<<32-1 where it names none.
	Memory          bool
	Pages, MaxPages uint32
}

// Export is one export of a module.
type Export struct {
	Name string
	// Kind is "function", "table", "memory" or "global".
	Kind string
}

// Look reads the outline of a binary. With an error come the parts read before.
func Look(wasm []byte) (Outline, error) {
	var o Outline
	s, err := split(wasm)
	if err != nil {
		return o, err
	}
	if err := s.check(Options{}); err != nil {
		return o, err
	}
	if o.Imports, err = s.imports(); err != nil {
		return o, err
	}
	for _, i := range o.Imports {
		if i.Kind == "table" {
			o.Tables++
		}
	}
	r, n := s.reader(secFunction)
	o.Functions = int(n)
	if r.err != nil {
		return o, in(sectionNames[secFunction], r.err)
	}
	for id, count := range map[byte]*int{secTable: &o.Tables, secGlobal: &o.Globals} {
		r, n := s.reader(id)
		*count += int(n)
		if r.err != nil {
			return o, in(sectionNames[id], r.err)
		}
	}
	r, n = s.reader(secMemory)
	if n > 0 {
		o.Memory = true
		o.Pages, o.MaxPages = r.limits()
	}
	if r.err != nil {
		return o, in(sectionNames[secMemory], r.err)
	}
	o.Exports, err = s.exports()
	return o, err
}

// exports lists the exports of a binary.
func (s *sections) exports() ([]Export, error) {
	r, n := s.reader(secExport)
	var list []Export
	for range n {
		e := Export{Name: r.name()}
		if kind := r.byte(); int(kind) < len(importKinds) {
			e.Kind = importKinds[kind]
		}
		r.u32()
		if r.err != nil {
			break
		}
		list = append(list, e)
	}
	return list, in(sectionNames[secExport], r.end())
}
