package wasmgen

// op is an instruction with operands of types in and one result.
type op struct {
	code  []byte
	in    []valType
	lanes int // how many lanes its immediate chooses from; 0 when it has none
	traps bool
}

// ops lists the instructions by their result.
var ops = func() map[valType][]op {
	m := map[valType][]op{}
	add := func(out valType, first, last byte, in ...valType) {
		for code := int(first); code <= int(last); code++ {
			m[out] = append(m[out], op{code: []byte{byte(code)}, in: in})
		}
	}
	trapping := func(out valType, first, last byte, in ...valType) {
		at := len(m[out])
		add(out, first, last, in...)
		for i := range m[out][at:] {
			m[out][at+i].traps = true
		}
	}
	prefixed := func(out valType, prefix byte, lanes, first, last int, in ...valType) {
		for code := first; code <= last; code++ {
			m[out] = append(m[out], op{code: append([]byte{prefix}, u32(uint32(code))...), in: in, lanes: lanes})
		}
	}
	add(i32, 0x6a, 0x6c, i32, i32)
	add(i32, 0x45, 0x45, i32)
	add(i32, 0x46, 0x4f, i32, i32)
	add(i32, 0x50, 0x50, i64)
	add(i32, 0x51, 0x5a, i64, i64)
	add(i32, 0x5b, 0x60, f32, f32)
	add(i32, 0x61, 0x66, f64, f64)
	add(i32, 0x67, 0x69, i32)
	add(i32, 0x71, 0x78, i32, i32)
	add(i32, 0xa7, 0xa7, i64)
	add(i32, 0xbc, 0xbc, f32)
	add(i32, 0xc0, 0xc1, i32)
	add(i32, 0xd1, 0xd1, funcref)
	add(i32, 0xd1, 0xd1, externref)
	trapping(i32, 0x6d, 0x70, i32, i32)
	trapping(i32, 0xa8, 0xa9, f32)
	trapping(i32, 0xaa, 0xab, f64)
	prefixed(i32, 0xfc, 0, 0, 1, f32)
	prefixed(i32, 0xfc, 0, 2, 3, f64)
	add(i64, 0x7c, 0x7e, i64, i64)
	add(i64, 0x79, 0x7b, i64)
	add(i64, 0x83, 0x8a, i64, i64)
	add(i64, 0xac, 0xad, i32)
	add(i64, 0xbd, 0xbd, f64)
	add(i64, 0xc2, 0xc4, i64)
	trapping(i64, 0x7f, 0x82, i64, i64)
	trapping(i64, 0xae, 0xaf, f32)
	trapping(i64, 0xb0, 0xb1, f64)
	prefixed(i64, 0xfc, 0, 4, 5, f32)
	prefixed(i64, 0xfc, 0, 6, 7, f64)
	add(f32, 0x92, 0x98, f32, f32)
	add(f32, 0x8b, 0x91, f32)
	add(f32, 0xb2, 0xb3, i32)
	add(f32, 0xb4, 0xb5, i64)
	add(f32, 0xb6, 0xb6, f64)
	add(f32, 0xbe, 0xbe, i32)
	add(f64, 0xa0, 0xa6, f64, f64)
	add(f64, 0x99, 0x9f, f64)
	add(f64, 0xb7, 0xb8, i32)
	add(f64, 0xb9, 0xba, i64)
	add(f64, 0xbb, 0xbb, f32)
	add(f64, 0xbf, 0xbf, i64)

	const vector = 0xfd
	prefixed(v128, vector, 0, 14, 14, v128, v128) // swizzle
	prefixed(v128, vector, 0, 15, 17, i32)        // splat
	prefixed(v128, vector, 0, 18, 18, i64)
	prefixed(v128, vector, 0, 19, 19, f32)
	prefixed(v128, vector, 0, 20, 20, f64)
	prefixed(v128, vector, 0, 35, 76, v128, v128) // comparisons
	prefixed(v128, vector, 0, 77, 77, v128)
	prefixed(v128, vector, 0, 78, 81, v128, v128)
	prefixed(v128, vector, 0, 82, 82, v128, v128, v128) // bitselect
	prefixed(v128, vector, 0, 96, 98, v128)
	prefixed(v128, vector, 0, 107, 109, v128, i32) // shifts
	prefixed(v128, vector, 0, 110, 115, v128, v128)
	prefixed(v128, vector, 0, 142, 147, v128, v128)
	prefixed(v128, vector, 0, 181, 186, v128, v128)
	prefixed(v128, vector, 0, 214, 219, v128, v128)
	prefixed(v128, vector, 0, 228, 235, v128, v128) // f32x4
	prefixed(v128, vector, 0, 240, 247, v128, v128) // f64x2
	prefixed(v128, vector, 16, 23, 23, v128, i32)   // replace_lane
	prefixed(v128, vector, 8, 26, 26, v128, i32)
	prefixed(v128, vector, 4, 28, 28, v128, i32)
	prefixed(v128, vector, 2, 30, 30, v128, i64)
	prefixed(v128, vector, 4, 32, 32, v128, f32)
	prefixed(v128, vector, 2, 34, 34, v128, f64)
	prefixed(i32, vector, 0, 83, 83, v128)  // any_true
	prefixed(i32, vector, 0, 99, 100, v128) // all_true, bitmask
	prefixed(i32, vector, 16, 21, 22, v128) // extract_lane
	prefixed(i32, vector, 8, 24, 25, v128)
	prefixed(i32, vector, 4, 27, 27, v128)
	prefixed(i64, vector, 2, 29, 29, v128)
	prefixed(f32, vector, 4, 31, 31, v128)
	prefixed(f64, vector, 2, 33, 33, v128)
	return m
}()

// access is a load or store of one type.
type access struct {
	code  []byte
	typ   valType
	lanes int // as in op: such a load also takes a v128
}

var loads = []access{
	{[]byte{0x28}, i32, 0}, {[]byte{0x2c}, i32, 0}, {[]byte{0x2d}, i32, 0}, {[]byte{0x2e}, i32, 0}, {[]byte{0x2f}, i32, 0},
	{[]byte{0x29}, i64, 0}, {[]byte{0x30}, i64, 0}, {[]byte{0x33}, i64, 0}, {[]byte{0x35}, i64, 0},
	{[]byte{0x2a}, f32, 0}, {[]byte{0x2b}, f64, 0},
	{[]byte{0xfd, 0}, v128, 0}, {[]byte{0xfd, 1}, v128, 0}, {[]byte{0xfd, 7}, v128, 0}, {[]byte{0xfd, 10}, v128, 0},
	{[]byte{0xfd, 92}, v128, 0}, {[]byte{0xfd, 93}, v128, 0}, {[]byte{0xfd, 84}, v128, 16}, {[]byte{0xfd, 87}, v128, 2},
}

var stores = []access{
	{[]byte{0x36}, i32, 0}, {[]byte{0x37}, i64, 0}, {[]byte{0x38}, f32, 0}, {[]byte{0x39}, f64, 0}, {[]byte{0x3a}, i32, 0},
	{[]byte{0x3b}, i32, 0}, {[]byte{0x3c}, i64, 0}, {[]byte{0x3e}, i64, 0}, {[]byte{0xfd, 11}, v128, 0},
	{[]byte{0xfd, 88}, v128, 16}, {[]byte{0xfd, 91}, v128, 2},
}
