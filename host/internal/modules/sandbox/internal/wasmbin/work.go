package wasmbin

import (
	"fmt"
	"time"
)

// Work is an estimate of the cost of compiling one function. The engine cannot be interrupted
// within a function, so a host that compiles in its own process begins no large one. It is no
// bound: the estimate is fitted by hand, and known to be too low by a small factor, such as for
// calls many operands deep. The bound is another process, which can be ended.
type Work struct {
	Time  time.Duration
	Bytes int64
}

// MostWork is the maximum for one function: seven times the largest of the first-party modules.
var MostWork = Work{Time: 2 * time.Second, Bytes: 512 << 20}

// CheckWork estimates each function of a module as Rewrite made it. The error, for one above
// most, is an *Error naming the function, with a *LimitError.
func CheckWork(wasm []byte, most Work) error {
	return shapes(wasm, func(function uint32, s *shape) error {
		if err := s.work().within(most); err != nil {
			return &Error{Where: fmt.Sprintf("code section, function %d", function), Err: err}
		}
		return nil
	})
}

func (w Work) within(most Work) error {
	if err := atMost("milliseconds to compile one function", uint64(w.Time.Milliseconds()), uint64(most.Time.Milliseconds())); err != nil {
		return err
	}
	return atMost("MiB to compile one function", uint64(w.Bytes>>20), uint64(most.Bytes>>20))
}

// unbounded is larger than any bound, and can be added up without overflow.
const unbounded = 1 << 50

// times multiplies without overflow.
func times(a, b int64) int64 {
	if a > 0 && b > unbounded/a {
		return unbounded
	}
	return a * b
}

// work estimates. Nanoseconds and bytes are those of wazero v1.12.0 on a processor of 2024,
// measured on functions of one thing only, each large enough to take a second. Where ways part,
// both grow with the square.
func (s *shape) work() Work {
	plain := s.instrs - s.heavy
	ways := s.ifs + s.loops + s.exits + s.blocks*2/5
	reloads := times(s.calls, s.changing)
	var w Work
	for _, part := range []struct{ n, ns, bytes int64 }{
		{plain, 700, 100},
		{s.heavy, 17_000, 5200}, // a check is a way out
		{s.calls, 5_000, 1300},
		{s.locals, 1_000, 300},
		{s.ifs + s.blocks + s.loops, 10_000, 12_000},
		{times(ways, ways), 40, 0},
		{times(s.exits, s.exits), 0, 14},
		{times(s.loops, s.loops), 0, 32},
		{s.nested, 60, 28},
		{s.labels, 35_000, 2500},
		{s.operands, 100, 20},
		{s.passages, 1_000, 90},
		{s.turns, 8_000, 950},
		{s.moves, 2_500, 400},
		{reloads, 450, 170},
	} {
		w.Time = min(w.Time+time.Duration(times(part.n, part.ns)), unbounded)
		w.Bytes = min(w.Bytes+times(part.n, part.bytes), unbounded)
	}
	return w
}
