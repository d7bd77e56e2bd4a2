package wasmbin

import (
	"errors"
	"fmt"
)

// reader walks over bytes and remembers its first error; after that it reads
// zeros and stays at the end.
type reader struct {
	data []byte
	pos  int
	err  error
}

var (
	errShort = errors.New("cut off")
	errLEB   = errors.New("number too long")
)

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
	r.pos = len(r.data)
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

// count reads the length of a vector whose elements take at least one byte
// each, so that no length can be larger than what follows.
func (r *reader) count() uint32 {
	n := r.u32()
	if uint64(n) > uint64(len(r.data)-r.pos) {
		r.fail(errShort)
		return 0
	}
	return n
}

func (r *reader) name() string { return string(r.take(r.u32())) }

// at adds where in the binary an error was met.
func at(section string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s section: %w", section, err)
}

func appendU32(dst []byte, v uint32) []byte {
	for v >= 0x80 {
		dst = append(dst, byte(v)|0x80)
		v >>= 7
	}
	return append(dst, byte(v))
}

// appendI64 appends a signed LEB128 number.
func appendI64(dst []byte, v int64) []byte {
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(dst, b)
		}
		dst = append(dst, b|0x80)
	}
}

func appendName(dst []byte, name string) []byte {
	return append(appendU32(dst, uint32(len(name))), name...)
}

func appendSection(dst []byte, id byte, content []byte) []byte {
	return append(appendU32(append(dst, id), uint32(len(content))), content...)
}
