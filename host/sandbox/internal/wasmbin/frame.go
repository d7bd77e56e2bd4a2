package wasmbin

// frame estimates what one call of a function takes of the native stack.
//
// The engine gives each value that it cannot keep in a register a slot of its
// own, and no two values share one. A value needs a slot when it is still wanted
// after a call (which all registers may be lost in), or when more values are
// wanted than there are registers. So counted are: a local when it is read after
// a call since it was written, once for each value it had; the operands that lie
// below the arguments of a call, once each; the values that the engine makes
// where ways come together (the end of a block in which a local was written, the
// head of a loop), once for each such place between writing and reading; and,
// for values that fall out of registers without a call, each that is read more
// than nearValues others later, or pushed above nearHeight operands.
type frame struct {
	locals []local
	lows   []low  // by depth: when the nesting was last that low
	loops  []loop // that are open
	clock  uint32 // instructions so far
	called uint32 // when the last call was
	values uint32 // made so far
	height int    // of the operand stack
	low    int    // operands that are counted already
	slots  int
	most   int            // values passed at one call, at most
	joined func(edit int) // is told which edit pays for each value made where ways come together
}

// low is an end of a block: when it was, and the edit that pays for it.
type low struct {
	clock uint32
	edit  int
}

// local is what is known of the value that a local has.
type local struct {
	written uint32 // clock
	values  uint32 // then
	depth   int    // of nesting
	counted bool
}

// loop is an open loop: when it began, how deep its body is, and the edit that pays
// at its head.
type loop struct {
	start uint32
	depth int
	edit  int
}

const (
	// frameBase is what each frame has: return address, frame pointer, the saved
	// registers (at most 13 of 16 bytes), two pointers of the engine's own, and
	// alignment.
	frameBase = 288
	// nearValues and nearHeight: the engine has at least 10 registers of each kind
	// for values.
	nearValues = 4
	nearHeight = 6
	// leafFrame is what the frame of a function that calls nothing may take
	// uncounted.
	leafFrame = 16 << 10
	// mostSlots ends the counting: no such frame fits any stack.
	mostSlots = 1 << 24
)

func (f *frame) begin(locals int, joined func(edit int)) {
	if cap(f.locals) < locals {
		f.locals = make([]local, locals)
	}
	f.locals = f.locals[:locals]
	clear(f.locals)
	*f = frame{locals: f.locals, lows: append(f.lows[:0], low{}), loops: f.loops[:0], joined: joined}
}

func (f *frame) push(n int) {
	f.height += n
	f.values += uint32(n)
	if f.height > nearHeight {
		f.slots += n
	}
}

func (f *frame) pop(n int) {
	f.height = max(f.height-n, 0)
	f.low = min(f.low, f.height)
}

// write gives a local a new value, at a depth.
func (f *frame) write(index uint32, depth int) {
	if int(index) < len(f.locals) {
		f.locals[index] = local{written: f.clock, values: f.values, depth: depth}
	}
}

// read counts the slots of a local's value, if it needs any that are not
// counted yet.
func (f *frame) read(index uint32) {
	if int(index) >= len(f.locals) {
		return
	}
	l := &f.locals[index]
	f.carry(l)
	if !l.counted && (f.called > l.written || f.values-l.values > nearValues) {
		l.counted = true
		f.slots++
	}
}

// carry counts the values of a local that are made where ways have come together
// since it was written.
func (f *frame) carry(l *local) {
	for l.depth > 0 && l.depth-1 < len(f.lows) && f.lows[l.depth-1].clock > l.written && f.slots < mostSlots {
		at := f.lows[l.depth-1]
		f.join(l, at.clock, l.depth-1, at.edit)
	}
	for n := len(f.loops) - 1; n >= 0 && f.loops[n].start > l.written; n-- {
		if n == 0 || f.loops[n-1].start <= l.written {
			for _, inner := range f.loops[n:] {
				f.join(l, inner.start, inner.depth, inner.edit)
			}
			break
		}
	}
}

// join gives a local the value it has where ways come together.
func (f *frame) join(l *local, at uint32, depth, edit int) {
	f.slots++
	f.joined(edit)
	*l = local{written: at, values: l.values, depth: depth, counted: true}
}

// call counts the operands below the arguments.
func (f *frame) call(arguments int) {
	if below := f.height - arguments; below > f.low {
		f.slots += below - f.low
		f.low = below
	}
	f.called = f.clock
}

// callOf follows a call of a function of a type; extra operands choose it.
func (f *frame) callOf(t functionType, extra int) {
	f.call(len(t.params) + extra)
	f.most = max(f.most, len(t.params)+len(t.results))
	f.pop(len(t.params) + extra)
	f.push(len(t.results))
}

// merge notes that the nesting is depth again, that the operand stack has a
// height, and which edit pays for what comes next.
func (f *frame) merge(depth, height, edit int) {
	for len(f.lows) <= depth {
		f.lows = append(f.lows, low{})
	}
	f.lows[depth] = low{f.clock, edit}
	f.slots += max(height-f.low, 0)
	f.height, f.low = height, height
}

// bytes returns the estimate.
func (f *frame) bytes(b *body) int64 {
	size := int64(8)
	if b.wide {
		size = 16
	}
	return (frameBase + size*int64(min(f.slots, mostSlots)+f.most) + 15) &^ 15
}
