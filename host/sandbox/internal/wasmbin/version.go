package wasmbin

// Version is the form of what Rewrite makes. Compiled code is kept by it, so it
// changes with any change of the output: TestVersion tells.
const Version = 12
