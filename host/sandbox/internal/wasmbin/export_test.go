package wasmbin

// Exact makes Rewrite charge for each instruction by itself, just before it.
func Exact(opts Options) Options {
	opts.segment, opts.nested = 1, -1
	return opts
}
