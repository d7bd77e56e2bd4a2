package kernel

import (
	"encoding/binary"
	"time"
)

// The records of poll_oneoff. Source: the witx files of WASI preview 1.
const (
	subscriptionSize = 48
	eventSize        = 32

	eventClock   = 0
	eventFdRead  = 1
	eventFdWrite = 2

	clockAbsolute = 1 // flag of a clock's subscription
)

// subscription is one event a guest waits for.
type subscription []byte

func (s subscription) kind() byte    { return s[8] }
func (s subscription) clock() uint32 { return binary.LittleEndian.Uint32(s[16:]) }
func (s subscription) file() uint64  { return uint64(binary.LittleEndian.Uint32(s[16:])) }

// wait returns how long a clock's subscription waits from now on.
func (s subscription) wait(w *world) (time.Duration, errno) {
	at := min(binary.LittleEndian.Uint64(s[24:]), maxSlept)
	now := uint64(w.monotonic())
	switch s.clock() {
	case 0:
		now = uint64(w.walltime())
	case 1:
	default:
		return 0, wasiInval
	}
	if s[40]&clockAbsolute == 0 {
		return time.Duration(at), wasiOK
	}
	return time.Duration(at - min(at, now)), wasiOK
}

// pollOneoff waits for the first of several events. A file is always ready; if there is none,
// the clock is moved to the first awaited time.
func pollOneoff(k *Kernel, g guestMemory, s []uint64) errno {
	n := uint64(uint32(s[2]))
	if n == 0 {
		return wasiInval
	}
	in, e := g.list(k, s[0], n, subscriptionSize)
	if e != wasiOK {
		return e
	}
	out, ok := g.view(s[1], n*eventSize)
	if !ok {
		return wasiFault
	}
	first, e := firstEvent(&k.world, in)
	if e != wasiOK {
		return e
	}
	n = uint64(events(&k.world, in, out, first))
	k.sleep(first)
	return g.put32(s[3], uint32(n))
}

// firstEvent returns how long nothing happens.
func firstEvent(w *world, in []byte) (time.Duration, errno) {
	first := time.Duration(maxSlept)
	for ; len(in) > 0; in = in[subscriptionSize:] {
		wait := time.Duration(0)
		switch s := subscription(in[:subscriptionSize]); s.kind() {
		case eventClock:
			var e errno
			if wait, e = s.wait(w); e != wasiOK {
				return 0, e
			}
		case eventFdRead, eventFdWrite:
		default:
			return 0, wasiInval
		}
		first = min(first, wait)
	}
	return first, wasiOK
}

// events writes the events at that time, and returns their number.
func events(w *world, in, out []byte, first time.Duration) uint32 {
	n := uint32(0)
	for ; len(in) > 0; in = in[subscriptionSize:] {
		s, e := subscription(in[:subscriptionSize]), errno(wasiOK)
		if s.kind() == eventClock {
			if wait, _ := s.wait(w); wait != first {
				continue
			}
		} else if !isStandard(s.file()) {
			e = wasiBadf
		}
		s.happen(out[n*eventSize:][:eventSize], e)
		n++
	}
	return n
}

// happen writes the event of s.
func (s subscription) happen(event []byte, e errno) {
	user, kind := binary.LittleEndian.Uint64(s), s.kind() // event may lie on s
	clear(event)
	binary.LittleEndian.PutUint64(event, user)
	event[8], event[10] = byte(e), kind
}
