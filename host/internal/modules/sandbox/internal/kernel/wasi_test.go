package kernel

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"testing"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/memory"
)

// worldHarness calls WASI as a guest would, one with one page of memory and
// nothing else.
type worldHarness struct {
	*harness
	guest api.Module
	bytes []byte
}

func newWorld(tb testing.TB) worldHarness {
	h := newHarness(tb, usual)
	guest, err := h.engine.Instantiate(context.Background(), []byte("\x00asm\x01\x00\x00\x00\x05\x03\x01\x00\x01"))
	if err != nil {
		tb.Fatal(err)
	}
	bytes, _ := guest.Memory().Read(0, memory.PageSize)
	return worldHarness{h, guest, bytes}
}

func (w worldHarness) call(name string, args ...uint64) (result uint64, err error) {
	defer func() {
		if t, ok := recover().(*Trap); ok {
			err = t
		}
	}()
	for _, f := range wasiFunctions {
		if f.name == name {
			stack := append(args, 0)
			f.run(w.Kernel, w.guest, stack)
			return stack[0], nil
		}
	}
	return 0, errors.New("no such function")
}

func (w worldHarness) put(at int, words ...uint32) {
	for i, word := range words {
		binary.LittleEndian.PutUint32(w.bytes[at+4*i:], word)
	}
}

// TestWASI shows a guest's view of the world, and that lists of any length, and places outside
// its memory, are refused.
func TestWASI(t *testing.T) {
	t.Parallel()
	const end = memory.PageSize
	for _, tt := range []struct {
		name string
		args []uint64
		want uint64
		at   int    // where the answer is
		data string // its beginning
	}{
		{"args_sizes_get", []uint64{100, 104}, wasiOK, 100, "\x00\x00\x00\x00\x00\x00\x00\x00"},
		{"args_get", []uint64{100, 104}, wasiOK, 0, ""},
		{"environ_sizes_get", []uint64{100, end}, wasiFault, 0, ""},
		{"environ_get", []uint64{100, 104}, wasiOK, 0, ""},
		{"clock_time_get", []uint64{0, 0, 100}, wasiOK, 100, "\x00\x00\xfa\xed\x51\x72\x86\x18"},
		{"clock_time_get", []uint64{1, 0, 100}, wasiOK, 100, "\x00\xca\x9a\x3b\x00\x00\x00\x00"},
		{"clock_time_get", []uint64{2, 0, 100}, wasiInval, 0, ""},
		{"clock_time_get", []uint64{1, 0, end - 7}, wasiFault, 0, ""},
		{"clock_res_get", []uint64{1, 100}, wasiOK, 100, "\x40\x42\x0f\x00\x00\x00\x00\x00"},
		{"clock_res_get", []uint64{9, 100}, wasiInval, 0, ""},
		{"random_get", []uint64{100, 4}, wasiOK, 100, "\x15"},
		{"random_get", []uint64{100, end}, wasiFault, 0, ""},
		{"random_get", []uint64{100, 1<<32 - 1}, wasiFault, 0, ""},
		{"sched_yield", nil, wasiOK, 0, ""},
		{"proc_raise", []uint64{9}, wasiNosys, 0, ""},
		{"fd_write", []uint64{1, 200, 2, 100}, wasiOK, 100, "\x07\x00\x00\x00"},
		{"fd_write", []uint64{0, 200, 2, 100}, wasiBadf, 0, ""},
		{"fd_write", []uint64{3, 200, 2, 100}, wasiBadf, 0, ""},
		{"fd_write", []uint64{1, 200, 1 << 28, 100}, wasiInval, 0, ""},
		{"fd_write", []uint64{1, end - 8, 2, 100}, wasiFault, 0, ""},
		{"fd_write", []uint64{1, 216, 1, 100}, wasiFault, 0, ""}, // a part outside
		{"fd_write", []uint64{2, 200, 2, end}, wasiFault, 0, ""},
		{"fd_read", []uint64{0, 200, 2, 100}, wasiOK, 100, "\x00\x00\x00\x00"},
		{"fd_read", []uint64{1, 200, 2, 100}, wasiBadf, 0, ""},
		{"fd_fdstat_get", []uint64{1, 100}, wasiOK, 100, "\x02\x00\x00\x00\x00\x00\x00\x00\xdb\x01\xe0\x08"},
		{"fd_fdstat_get", []uint64{3, 100}, wasiBadf, 0, ""},
		{"fd_filestat_get", []uint64{0, 100}, wasiOK, 116, "\x02"},
		{"fd_filestat_get", []uint64{0, end - 63}, wasiFault, 0, ""},
		{"fd_close", []uint64{1}, wasiOK, 0, ""},
		{"fd_close", []uint64{3}, wasiBadf, 0, ""},
		{"fd_seek", []uint64{1, 0, 0, 100}, wasiSpipe, 0, ""},
		{"fd_prestat_get", []uint64{3, 100}, wasiBadf, 0, ""},
		{"fd_renumber", []uint64{1, 2}, wasiNotsup, 0, ""},
		{"path_open", []uint64{3, 0, 100, 1 << 31, 0, 0, 0, 0, 100}, wasiBadf, 0, ""},
		{"sock_shutdown", []uint64{3, 0}, wasiBadf, 0, ""},
		{"poll_oneoff", []uint64{1000, 4000, 0, 100}, wasiInval, 0, ""},
		{"poll_oneoff", []uint64{1000, 4000, 1 << 30, 100}, wasiInval, 0, ""},
		{"poll_oneoff", []uint64{1000, end - 31, 1, 100}, wasiFault, 0, ""},
		{"poll_oneoff", []uint64{end - 47, 4000, 1, 100}, wasiFault, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.put(200, 300, 3, 310, 4, end, 1) // iovecs: 3 and 4 bytes, one outside
			w.put(100, 0xeeeeeeee, 0xeeeeeeee, 0xeeeeeeee, 0xeeeeeeee, 0xeeeeeeee)
			got, err := w.call(tt.name, tt.args...)
			if err != nil || uint32(got) != uint32(tt.want) {
				t.Errorf("%s%d: got %d, %v; want %d", tt.name, tt.args, got, err, tt.want)
			}
			if tt.data != "" && !bytes.HasPrefix(w.bytes[tt.at:], []byte(tt.data)) {
				t.Errorf("%s%d: got % x; want % x", tt.name, tt.args, w.bytes[tt.at:][:len(tt.data)], tt.data)
			}
		})
	}
}

// TestProcExit ends the call and leaves the instance.
func TestProcExit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.call("proc_exit", 3)
	if trapped, ok := err.(*Trap); !ok || trapped.Kind != KindExit || trapped.Message != "the module exited with code 3" || w.guest.IsClosed() {
		t.Errorf("got %v, closed %v", err, w.guest.IsClosed())
	}
}

// TestPoll: a file is ready at once, else the clock goes to the first awaited time, and only
// its events are reported.
func TestPoll(t *testing.T) {
	t.Parallel()
	clock := func(user, id uint32, wait time.Duration, flags uint32) []uint32 {
		return []uint32{user, 0, eventClock, 0, id, 0, uint32(wait), uint32(wait >> 32), 0, 0, flags, 0}
	}
	file := func(user, kind, fd uint32) []uint32 { return []uint32{user, 0, kind, 0, fd, 0, 0, 0, 0, 0, 0, 0} }
	absolute := func(d time.Duration) time.Duration { return uptime + d }
	for _, tt := range []struct {
		name  string
		subs  [][]uint32
		errno uint64
		slept time.Duration
		users []byte
	}{
		{"one clock", [][]uint32{clock(7, 1, time.Hour, 0)}, wasiOK, time.Hour, []byte{7}},
		{"the first of three", [][]uint32{clock(1, 1, 5, 0), clock(2, 0, 3, 0), clock(3, 1, 3, 0)}, wasiOK, 3, []byte{2, 3}},
		{"until a time", [][]uint32{clock(1, 1, absolute(50), clockAbsolute)}, wasiOK, 50, []byte{1}},
		{"until a time gone by", [][]uint32{clock(1, 1, 5, clockAbsolute), clock(2, 1, 9, 0)}, wasiOK, 0, []byte{1}},
		{"a file and a clock", [][]uint32{file(1, eventFdRead, 0), clock(2, 1, 9, 0), file(3, eventFdWrite, 7)}, wasiOK, 0, []byte{1, 3}},
		{"for ever", [][]uint32{clock(1, 1, -1, 0)}, wasiOK, maxSlept, []byte{1}},
		{"no such clock", [][]uint32{clock(1, 5, 9, 0)}, wasiInval, 0, nil},
		{"no such event", [][]uint32{file(1, 9, 0)}, wasiInval, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for i, s := range tt.subs {
				w.put(1000+i*subscriptionSize, s...)
			}
			got, err := w.call("poll_oneoff", 1000, 4000, uint64(len(tt.subs)), 100)
			if err != nil || got != tt.errno || w.slept != tt.slept {
				t.Errorf("got %d, %v, slept %v; want %d, %v", got, err, w.slept, tt.errno, tt.slept)
			}
			var users []byte
			for i := range w.bytes[100] {
				users = append(users, w.bytes[4000+int(i)*eventSize])
			}
			if !bytes.Equal(users, tt.users) {
				t.Errorf("got events %v; want %v", users, tt.users)
			}
		})
	}
}

// TestWorldIsNew: sleeps and random numbers of one call have no effect on the next.
func TestWorldIsNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	draw := func() []byte {
		if got, err := w.call("random_get", 500, 10000); got != wasiOK || err != nil {
			t.Fatalf("got %d, %v", got, err)
		}
		return bytes.Clone(w.bytes[500:10500])
	}
	first, second := draw(), draw()
	w.sleep(time.Hour)
	w.Reset()
	if third := draw(); bytes.Equal(first, second) || !bytes.Equal(first, third) || w.monotonic() != int64(uptime) {
		t.Errorf("second draw as the first: %v; after the reset as the first: %v; clock %d", bytes.Equal(first, second), bytes.Equal(first, third), w.monotonic())
	}
}
