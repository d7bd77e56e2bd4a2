package wasmgen

import (
	"encoding/binary"
	"slices"
)

// valType is a value type as the binary format writes it.
type valType = byte

const (
	i32       valType = 0x7f
	i64       valType = 0x7e
	f32       valType = 0x7d
	f64       valType = 0x7c
	v128      valType = 0x7b
	funcref   valType = 0x70
	externref valType = 0x6f
)

var allTypes = []valType{i32, i64, f32, f64, v128, externref, funcref}

func u32(v uint32) []byte { return binary.AppendUvarint(nil, uint64(v)) }

// sleb is v as a signed LEB128 number.
func sleb(v int64) []byte {
	var out []byte
	for {
		b := byte(v & 0x7f)
		v >>= 7
		if v == 0 && b&0x40 == 0 || v == -1 && b&0x40 != 0 {
			return append(out, b)
		}
		out = append(out, b|0x80)
	}
}

// bytesOf is a vector of bytes, as names and bodies are.
func bytesOf[T ~string | ~[]byte](b T) []byte { return append(u32(uint32(len(b))), b...) }

// vector is a vector of encoded elements.
func vector(elements [][]byte) []byte {
	return append(u32(uint32(len(elements))), slices.Concat(elements...)...)
}

func section(id byte, content []byte) []byte { return append([]byte{id}, bytesOf(content)...) }

// limits are those of a memory or table; a most of -1 is none.
func limits(least, most int) []byte {
	if most < 0 {
		return append([]byte{0}, u32(uint32(least))...)
	}
	return slices.Concat([]byte{1}, u32(uint32(least)), u32(uint32(most)))
}
