package wasmbin

import "errors"

// reader walks over bytes and remembers its first error; after it, reads return zeros and stay
// at the end.
type reader struct {
	data []byte
	pos  int
	base int // offset of data in the file
	err  error
}

var (
	errShort = errors.New("cut off")
	errLEB   = errors.New("number too long")
)

// fail notes an error before pos.
func (r *reader) fail(err error) { r.failAt(r.pos, err) }

// failAt notes an error at pos.
func (r *reader) failAt(pos int, err error) {
	if r.err == nil {
		r.err = &Error{Offset: r.base + pos, Err: err}
	}
	r.pos = len(r.data)
}

// sub returns a reader over the next n bytes.
func (r *reader) sub(n uint32) reader {
	base := r.base + r.pos
	return reader{data: r.take(n), base: base, err: r.err}
}

func (r *reader) done() bool { return r.pos >= len(r.data) }

func (r *reader) byte() byte {
	if r.pos >= len(r.data) {
		r.fail(errShort)
		return 0
	}
	b := r.data[r.pos]
	r.pos++
	return b
}

// take returns the next n bytes, part of the reader's own.
func (r *reader) take(n uint32) []byte {
	if uint64(n) > uint64(len(r.data)-r.pos) {
		r.fail(errShort)
		return nil
	}
	b := r.data[r.pos : r.pos+int(n)]
	r.pos += int(n)
	return b
}

// u32 reads an unsigned LEB128 number.
func (r *reader) u32() uint32 {
	if r.pos < len(r.data) && r.data[r.pos] < 0x80 { // as most are
		r.pos++
		return uint32(r.data[r.pos-1])
	}
	var v uint64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			if v > 1<<32-1 {
				break
			}
			return uint32(v)
		}
	}
	r.fail(errLEB)
	return 0
}

// skipLEB passes over a signed number of at most bits bits; its value does not
// matter here, only where it ends.
func (r *reader) skipLEB(bits int) {
	for range (bits + 6) / 7 {
		if r.byte() < 0x80 {
			return
		}
	}
	r.fail(errLEB)
}

// count reads the length of a vector.
func (r *reader) count() uint32 { return r.vector(1) }

func (r *reader) name() string { return string(r.take(r.u32())) }

// s33 reads a signed number of 33 bits.
func (r *reader) s33() int64 {
	var v int64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return v
		}
	}
	r.fail(errLEB)
	return 0
}

// vector reads the length of a vector whose elements take at least size bytes each, so no
// length exceeds the rest.
func (r *reader) vector(size int) uint32 {
	start := r.pos
	n := r.u32()
	if uint64(n)*uint64(size) > uint64(len(r.data)-r.pos) {
		r.failAt(start, errShort)
		return 0
	}
	return n
}

// end checks that the input is used up.
func (r *reader) end() error {
	if r.err == nil && !r.done() {
		r.fail(errors.New("bytes after the last element"))
	}
	return r.err
}
