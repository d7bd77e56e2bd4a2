package script

import "errors"

var (
	errShort = errors.New("it ends too early")
	errLEB   = errors.New("a number is malformed")
	errLong  = errors.New("there is something behind its end")
)

// reader reads a module's bytes. After the first error it reads zeros, and err
// stays.
type reader struct {
	data []byte
	at   int
	err  error
}

func (r *reader) more() bool { return r.err == nil && r.at < len(r.data) }

// end returns the error, also for a rest of the input.
func (r *reader) end() error {
	if r.more() {
		r.err = errLong
	}
	return r.err
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) byte() byte {
	if !r.more() {
		r.fail(errShort)
		return 0
	}
	b := r.data[r.at]
	r.at++
	return b
}

// bytes returns the next n bytes, without copying them.
func (r *reader) bytes(n uint32) []byte {
	if r.err != nil || uint64(n) > uint64(len(r.data)-r.at) {
		r.fail(errShort)
		return nil
	}
	b := r.data[r.at : r.at+int(n) : r.at+int(n)]
	r.at += int(n)
	return b
}

// uint32 reads unsigned LEB128 of at most 32 bits.
func (r *reader) uint32() uint32 {
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

// signed reads signed LEB128 of at most 32 bits.
func (r *reader) signed() int32 {
	var v int64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte()
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			if v != int64(int32(v)) {
				break
			}
			return int32(v)
		}
	}
	r.fail(errLEB)
	return 0
}
