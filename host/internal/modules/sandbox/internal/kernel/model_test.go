package kernel

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// model is kernel.wat's specification, written plainly: memory never reclaimed, and a list of
// blocks.
type model struct {
	bytes               []byte // by offset; its length is the top
	floor, most         uint64
	live                map[uint64]uint64 // lengths of blocks by offset
	input, inputLength  uint64
	output, outputBytes uint64
	failure             uint64
}

// inside returns size bytes at offset, nil when one of them is not in use.
func (m *model) inside(offset, size uint64) []byte {
	top := uint64(len(m.bytes))
	if offset < m.floor || offset >= top || size > top-offset {
		return nil
	}
	return m.bytes[offset : offset+size]
}

// do returns a function's result, and whether it ends the call.
func (m *model) do(name string, a, b uint64) (result uint64, trapped bool) {
	switch name {
	case "alloc":
		at := uint64(len(m.bytes))
		if a == 0 || a > m.most-at {
			return 0, false
		}
		m.bytes = append(m.bytes, make([]byte, (a+7)/8*8)...)
		m.live[at] = a
		return at, false
	case "free":
		if a == m.input {
			m.inputLength = 0
		}
		delete(m.live, a)
	case "length", "length_unsafe":
		return m.live[a], false
	case "memory_bytes":
		return uint64(len(m.bytes)), false
	case "reset":
		top := uint64(len(m.bytes))
		*m = model{bytes: m.bytes, floor: top, most: m.most, live: map[uint64]uint64{}}
	case "load_u8":
		if p := m.inside(a, 1); p != nil {
			return uint64(p[0]), false
		}
		return 0, true
	case "store_u8":
		p := m.inside(a, 1)
		if p == nil {
			return 0, true
		}
		p[0] = byte(b)
	case "load_u64":
		if p := m.inside(a, 8); p != nil {
			return binary.LittleEndian.Uint64(p), false
		}
		return 0, true
	case "store_u64":
		p := m.inside(a, 8)
		if p == nil {
			return 0, true
		}
		binary.LittleEndian.PutUint64(p, b)
	default:
		return m.doCall(name, a, b)
	}
	return 0, false
}

// doCall is do for input, output and error.
func (m *model) doCall(name string, a, b uint64) (result uint64, trapped bool) {
	switch name {
	case "input_set":
		if b != 0 && m.inside(a, b) == nil {
			return 0, true
		}
		m.input, m.inputLength = a, b
	case "input_offset":
		return m.input, false
	case "input_length":
		return m.inputLength, false
	case "input_load_u8":
		if a < m.inputLength {
			return uint64(m.bytes[m.input+a]), false
		}
	case "input_load_u64":
		if a < m.inputLength && m.inputLength-a >= 8 {
			return binary.LittleEndian.Uint64(m.bytes[m.input+a:]), false
		}
	case "output_set":
		m.output, m.outputBytes = a, b
	case "output_offset":
		return m.output, false
	case "output_length":
		return m.outputBytes, false
	case "error_set":
		m.failure = a
	case "error_get":
		return m.failure, false
	}
	return 0, false
}

// modelled are the functions inside WebAssembly, by their parameters.
var modelled = []struct {
	name   string
	params int
}{
	{"alloc", 1}, {"free", 1}, {"length", 1}, {"length_unsafe", 1}, {"memory_bytes", 0}, {"reset", 0},
	{"load_u8", 1}, {"store_u8", 2}, {"load_u64", 1}, {"store_u64", 2},
	{"input_set", 2}, {"input_offset", 0}, {"input_length", 0}, {"input_load_u8", 1}, {"input_load_u64", 1},
	{"output_set", 2}, {"output_offset", 0}, {"output_length", 0}, {"error_set", 1}, {"error_get", 0},
}

// number draws a hostile guest's argument: near a block, the ends of the used part, or an
// overflow.
func (m *model) number(t *rapid.T) uint64 {
	near := []uint64{0, m.floor, uint64(len(m.bytes)), m.input, m.input + m.inputLength, m.inputLength, m.most,
		1 << 31, 1 << 32, 1<<32 + uint64(len(m.bytes)), 1 << 63, uint64(len(m.bytes)) - m.floor}
	for at, size := range m.live {
		near = append(near, at, at+size, size)
	}
	slices.Sort(near)
	base := rapid.SampledFrom(near).Draw(t, "base")
	return base + uint64(rapid.Int64Range(-9, 9).Draw(t, "by"))
}

// TestKernelModel: any sequence of calls behaves as the model.
func TestKernelModel(t *testing.T) {
	t.Parallel()
	limits := usual
	limits.ArenaBytes = 8<<20 + 8192
	h := newHarness(t, limits)
	rapid.Check(t, func(t *rapid.T) {
		h.Reset()
		input := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "input")
		if trapped := h.SetInput(input); trapped != nil {
			t.Fatal(trapped)
		}
		m := &model{bytes: make([]byte, arenaBase), floor: arenaBase, most: h.memory.most, live: map[uint64]uint64{}}
		if len(input) > 0 {
			m.input, _ = m.do("alloc", uint64(len(input)), 0)
			copy(m.bytes[m.input:], input)
			m.inputLength = uint64(len(input))
		}
		for range rapid.IntRange(1, 60).Draw(t, "calls") {
			f := rapid.SampledFrom(modelled).Draw(t, "function")
			args := []uint64{0, 0}
			for i := range f.params {
				args[i] = m.number(t)
			}
			if f.name == "alloc" && rapid.Bool().Draw(t, "small") {
				args[0] %= 64
			}
			got, err := h.call(f.name, args[:f.params]...)
			want, trapped := m.do(f.name, args[0], args[1])
			if got != want || (err != nil) != trapped || trapped && !strings.HasPrefix(err.Error(), f.name+": offset ") {
				t.Fatalf("%s(%d): got %d, %v; want %d, trapped %v", f.name, args[:f.params], got, err, want, trapped)
			}
		}
		if got, ok := h.memory.view(m.floor, uint64(len(m.bytes))-m.floor); !ok || !slices.Equal(got, m.bytes[m.floor:]) {
			t.Fatal("the memory is not the model's")
		}
	})
}
