package wasmbin

// Version is the form of Rewrite's output. It is part of the key of kept code, so it changes
// with any change of the output, as TestVersion says, and of the refusals.
const Version = 13
