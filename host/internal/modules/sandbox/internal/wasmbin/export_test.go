package wasmbin

// Exact makes Rewrite charge for each instruction by itself, just before it.
func Exact(opts Options) Options {
	opts.segment, opts.nested = 1, -1
	return opts
}

// Declared are the limits on a module's declarations, each with its number.
func Declared(opts Options) map[string]int {
	all := map[string]int{}
	for _, b := range declared {
		all[b.limit] = b.most(opts)
	}
	return all
}
