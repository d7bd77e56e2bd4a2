package wasmgen

// choices are deciding bytes. At their end everything is the first choice, always the simplest.
type choices struct{ data []byte }

// n returns a number below most, at most 256.
func (c *choices) n(most int) int {
	if len(c.data) == 0 || most <= 1 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return int(b) % most
}

// one reports true once in so many times.
func (c *choices) one(in int) bool { return c.n(in) == in-1 }

func (c *choices) u32() uint32 {
	switch c.n(4) {
	case 0:
		return uint32(c.n(16))
	case 1:
		return ^uint32(0) - uint32(c.n(4))
	case 2:
		return 1 << c.n(32)
	}
	return uint32(c.n(256)) | uint32(c.n(256))<<8 | uint32(c.n(256))<<16 | uint32(c.n(256))<<24
}

func (c *choices) u64() uint64 {
	if c.n(3) == 0 {
		return uint64(c.n(16))
	}
	return uint64(c.u32()) | uint64(c.u32())<<32
}

func pick[T any](c *choices, list []T) T { return list[c.n(len(list))] }
