package wasmbin

// frame estimates the native stack of one call of a function.
//
// The engine gives each value without a register a slot of its own, and no two values share
// one. A value needs a slot when it is still used after a call (all registers may be lost in
// it), or when more values are in use than there are registers. So these are counted: a local
// when it is read after a call since its last write, once for each of its values; the operands
// below the arguments of a call, once each; the values made by the engine where ways come
// together (the end of a block with a written local, the head of a loop), once for each such
// place between writing and reading; and, for values losing their register without a call, each
// read more than nearValues others later, or pushed above nearHeight operands.
type frame struct {
	locals []local
	lows   []low  // by depth: when the nesting was last so low
	loops  []loop // the open ones
	clock  uint32 // instructions so far
	called uint32 // when the last call was
	values uint32 // made so far
	height int    // of the operand stack
	low    int    // operands already counted
	slots  int
	most   int            // values passed at one call, at most
	joined func(edit int) // gets the edit paying for each value made where ways come together
}

// low is an end of a block: its place, and the edit paying for it.
type low struct {
	clock uint32
	edit  int
}

// local is the known state of a local's value.
type local struct {
	written uint32 // clock
	values  uint32 // then
	depth   int    // of nesting
	counted bool
}

// loop is an open loop: its beginning, the depth of its body, and the edit paying at its head.
type loop struct {
	start uint32
	depth int
	edit  int
}

const (
	// frameBase is the common part of frames: return address, frame pointer, the saved
	// registers (at most 13 of 16 bytes), two pointers of the engine's own, and alignment.
	frameBase = 288
	// nearValues and nearHeight: the engine has at least 10 registers of each kind
	// for values.
	nearValues = 4
	nearHeight = 6
	// leafFrame is the uncounted maximum of a leaf function's frame.
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

// read counts the slots of a local's value, if it needs any uncounted ones.
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

// carry counts the values of a local made where ways have come together since its last write.
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

// merge notes that the nesting is depth again, the height of the operand stack, and the edit
// paying for the following code.
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
