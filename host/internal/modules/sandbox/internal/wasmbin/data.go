package wasmbin

import (
	"fmt"
	"math"
)

// mergeGap is how many zeros may stand between two merged data segments, and mergeZeros how
// many there may be altogether. Go's linker leaves out up to 30 or so; the head of a segment
// takes about 10 bytes.
const (
	mergeGap   = 64
	mergeZeros = 4 << 20
)

// data copies the data segments, whose offsets may be expressions, and merges
// neighbors. Go's linker leaves out each few zeros and so makes tens of thousands
// of segments, and the engine keeps 24 bytes for each in every instance: 860 KiB
// for a small Go guest, 1.5 MiB for bash.wasm. RATIONALE.md, "Why are neighboring data
// segments merged?".
func (w *rewriter) data() error {
	r, n := w.reader(secData)
	// Where instructions name segments, each keeps its number.
	s := segments{known: w.sections[secDataCount].content == nil}
	for range n {
		flags := r.u32()
		if flags > 2 {
			r.fail(fmt.Errorf("segment of kind %d is not supported", flags))
			break
		}
		head := appendU32(nil, flags)
		w.kept.data = append(w.kept.data, true) // wazero keeps active ones, too
		if flags == 2 {
			head = appendU32(head, r.u32())
		}
		offset := len(head)
		if flags != 1 {
			head = w.expression(r, head)
		}
		content := r.take(r.u32())
		if r.err != nil {
			break
		}
		at, constant := constantOffset(head[offset:])
		s.add(head, at, constant && flags == 0, content)
	}
	s.flush()
	w.replace(secData, append(appendU32(nil, s.n), s.out...))
	return r.end()
}

// constantOffset returns the value of an expression of one i32.const.
func constantOffset(expression []byte) (at uint64, ok bool) {
	if len(expression) < 3 || expression[0] != opI32Const {
		return 0, false
	}
	r := reader{data: expression, pos: 1}
	value := uint32(r.s33())
	return uint64(value), r.err == nil && r.pos == len(expression)-1
}

// segments are data segments on their way out; the last one waits for more.
type segments struct {
	out  []byte
	n    uint32
	head []byte // kind and offset of the waiting segment; nil without one
	data []byte

	known      bool   // where all segments so far are
	begin, end uint64 // of the waiting segment, in the memory
	free       uint64 // no earlier one has written between end and here
	earlier    [][2]uint64
	zeros      uint64 // put between segments so far
}

// maxEarlier bounds the book-keeping; more segments are not merged.
const maxEarlier = 1024

// add appends a segment, or makes it the rest of the waiting one.
func (s *segments) add(head []byte, at uint64, constant bool, data []byte) {
	s.known = s.known && constant && len(s.earlier) < maxEarlier
	if s.joins(at) {
		gap := at - s.end
		s.data = append(append(s.data, make([]byte, gap)...), data...)
		s.zeros += gap
	} else {
		s.flush()
		s.head, s.data = head, append(s.data[:0], data...)
		s.begin, s.free = at, s.freeAfter(at)
	}
	s.end = at + uint64(len(data))
}

// joins reports whether few zeros lie between the waiting segment and one at this place.
func (s *segments) joins(at uint64) bool {
	return s.known && s.head != nil && at >= s.end && at <= s.free && at-s.end <= mergeGap && s.zeros+at-s.end <= mergeZeros
}

// freeAfter returns where the next earlier segment begins; 0 when one is there
// already.
func (s *segments) freeAfter(at uint64) uint64 {
	free := uint64(math.MaxUint64)
	for _, e := range s.earlier {
		switch {
		case e[1] <= at:
		case e[0] <= at:
			return 0
		default:
			free = min(free, e[0])
		}
	}
	return free
}

func (s *segments) flush() {
	if s.head == nil {
		return
	}
	s.out = append(appendU32(append(s.out, s.head...), uint32(len(s.data))), s.data...)
	s.n++
	s.head = nil
	if s.known {
		s.earlier = append(s.earlier, [2]uint64{s.begin, s.end})
	}
}
