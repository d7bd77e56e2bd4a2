package wasmbin_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// value is one argument or result of a specification script. Value is a number
// in decimal, "null", a kind of NaN, a list of these for a v128, or absent:
// any reference.
type value struct {
	Type  string          `json:"type"`
	Lane  string          `json:"lane_type"`
	Value json.RawMessage `json:"value"`
}

// pattern is the required value of 64 bits, under mask.
type pattern struct{ bits, mask uint64 }

func (p pattern) matches(got uint64) bool { return got&p.mask == p.bits&p.mask }

// laneBits are the sizes of a value's parts.
var laneBits = map[string]int{
	"i8": 8, "i16": 16, "i32": 32, "i64": 64, "f32": 32, "f64": 64, "externref": 64, "funcref": 64,
}

// patterns returns one for each 64 bits of a value.
func (v value) patterns() ([]pattern, error) {
	if v.Type != "v128" {
		p, err := v.scalar()
		return []pattern{p}, err
	}
	var lanes []string
	if err := json.Unmarshal(v.Value, &lanes); err != nil {
		return nil, err
	}
	bits := laneBits[v.Lane]
	if bits == 0 || len(lanes)*bits != 128 {
		return nil, fmt.Errorf("%d lanes of %s", len(lanes), v.Lane)
	}
	words := make([]pattern, 2)
	for i, text := range lanes {
		p, err := number(text, bits)
		if err != nil {
			return nil, err
		}
		words[i*bits/64].bits |= p.bits << (i * bits % 64)
		words[i*bits/64].mask |= p.mask << (i * bits % 64)
	}
	return words, nil
}

func (v value) scalar() (pattern, error) {
	if v.Value == nil {
		return pattern{}, nil
	}
	var text string
	if err := json.Unmarshal(v.Value, &text); err != nil {
		return pattern{}, err
	}
	if text == "null" {
		return pattern{0, ^uint64(0)}, nil
	}
	bits := laneBits[v.Type]
	if bits == 0 {
		return pattern{}, fmt.Errorf("value of type %s", v.Type)
	}
	p, err := number(text, bits)
	if v.Type == "externref" {
		p.bits++ // the engine takes 0 for null
	}
	return p, err
}

// number reads one lane.
func number(text string, bits int) (pattern, error) {
	canonical, arithmetic := pattern{0x7fc00000, 0x7fffffff}, pattern{0x7fc00000, 0x7fc00000}
	if bits == 64 {
		canonical, arithmetic = pattern{0x7ff8 << 48, 1<<63 - 1}, pattern{0x7ff8 << 48, 0x7ff8 << 48}
	}
	switch {
	case text == "nan:canonical":
		return canonical, nil
	case text == "nan:arithmetic":
		return arithmetic, nil
	case strings.HasPrefix(text, "-"):
		n, err := strconv.ParseInt(text, 10, bits)
		return pattern{uint64(n) & (^uint64(0) >> (64 - bits)), ^uint64(0) >> (64 - bits)}, err
	}
	n, err := strconv.ParseUint(text, 10, bits)
	return pattern{n, ^uint64(0) >> (64 - bits)}, err
}

// patternsOf are those of a list of values.
func patternsOf(values []value) ([]pattern, error) {
	var all []pattern
	for _, v := range values {
		p, err := v.patterns()
		if err != nil {
			return nil, err
		}
		all = append(all, p...)
	}
	return all, nil
}

// arguments are the bits of a list of values.
func arguments(values []value) ([]uint64, error) {
	all, err := patternsOf(values)
	bits := make([]uint64, len(all))
	for i, p := range all {
		bits[i] = p.bits
	}
	return bits, err
}
