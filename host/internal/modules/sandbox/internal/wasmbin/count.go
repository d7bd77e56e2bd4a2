package wasmbin

// counts are the lengths of a binary's vectors, as far as the engine uses them when it reads
// the declarations of a module. Code is left out: the engine compiles it in a process we can
// end.
type counts struct {
	sections [len(sectionNames)]uint32 // the entries of each section
	values   int                       // parameters and results of all types
	entries  int                       // of all element segments
	names    int                       // bytes of the names of imports and exports
	longest  int                       // instructions of the longest constant expression
}

// counter reads the declarations of a binary without keeping any of them.
type counter struct {
	*reader
	counts
}

// count reads a binary's declarations, in time proportional to the file's size, and without
// memory. RATIONALE.md, "Why is everything that a module declares counted before the engine
// reads it?".
func (s *sections) count() (counts, error) {
	c := counter{}
	for _, id := range sectionOrder {
		var n uint32
		if c.reader, n = s.reader(id); id == secStart || id == secDataCount {
			continue
		}
		c.sections[id] = n
		for i := uint32(0); i < n && c.err == nil; i++ {
			c.entry(id)
		}
		if c.err != nil {
			return c.counts, in(sectionNames[id], c.err)
		}
	}
	return c.counts, nil
}

// entry reads one entry of a section.
func (c *counter) entry(id byte) {
	switch id {
	case secType:
		c.byte()
		c.values += len(c.take(c.u32())) + len(c.take(c.u32()))
	case secImport:
		c.name()
		c.name()
		c.imported()
	case secFunction:
		c.u32()
	case secTable:
		c.byte()
		c.limits()
	case secMemory:
		c.limits()
	case secGlobal:
		c.take(2)
		c.expression()
	case secExport:
		c.name()
		c.byte()
		c.u32()
	case secElement:
		c.element()
	case secCode:
		c.take(c.u32())
	case secData:
		c.segment()
	}
}

func (c *counter) name() { c.names += len(c.take(c.u32())) }

// imported reads the kind of an import.
func (c *counter) imported() {
	switch c.byte() {
	case 0:
		c.u32()
	case 1:
		c.byte()
		c.limits()
	case 2:
		c.limits()
	case 3:
		c.take(2)
	}
}

// element reads an element segment; rewriter.element has its form.
func (c *counter) element() {
	flags := c.u32()
	if flags&1 == 0 {
		if flags&2 != 0 {
			c.u32()
		}
		c.expression()
	}
	if flags&3 != 0 {
		c.byte()
	}
	n := c.reader.count()
	c.entries += int(n)
	for i := uint32(0); i < n && c.err == nil; i++ {
		if flags&4 != 0 {
			c.expression()
		} else {
			c.u32()
		}
	}
}

// segment reads a data segment; rewriter.data has its form.
func (c *counter) segment() {
	flags := c.u32()
	if flags == 2 {
		c.u32()
	}
	if flags != 1 {
		c.expression()
	}
	c.take(c.u32())
}

// expression reads a constant expression.
func (c *counter) expression() {
	var i instr
	for n := 0; c.err == nil; n++ {
		if c.next(&i); i.op == opEnd {
			return
		}
		c.longest = max(c.longest, n+1)
	}
}
