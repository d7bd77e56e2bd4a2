package pin

// Cheap makes new PINs' hashes fast.
func Cheap(c Config) Config {
	c.cost = cost{Passes: 1, MemoryKiB: 8, Threads: 1}
	return c
}
