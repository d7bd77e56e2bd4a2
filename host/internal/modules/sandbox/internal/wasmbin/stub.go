package wasmbin

import "slices"

// stubSection is the name of the custom section distinguishing stubs.
const stubSection = Prefix + "stub"

// Stub returns a rewritten module without its code: each function traps at once. Its
// declarations are the same, so code compiled from the module runs with the stub's, which are
// read many times faster. tag makes it different from any other stub.
func Stub(wasm, tag []byte) ([]byte, error) {
	s, err := split(wasm)
	if err != nil {
		return nil, err
	}
	_, n := s.reader(secCode)
	if s[secCode].content != nil {
		code := appendU32(nil, n)
		for range n {
			code = append(code, 3, 0, 0, opEnd) // 3 bytes: no locals, unreachable, end
		}
		s.set(secCode, code)
	}
	return appendTag(s.join(), tag), nil
}

// Tagged returns a copy of a stub with a further tag.
func Tagged(stub, tag []byte) []byte { return appendTag(slices.Clip(stub), tag) }

func appendTag(stub, tag []byte) []byte {
	return appendSection(stub, secCustom, append(appendName(nil, stubSection), tag...))
}

// Defined is how many functions a module defines.
func Defined(wasm []byte) (int, error) {
	s, err := split(wasm)
	if err != nil {
		return 0, err
	}
	_, n := s.reader(secCode)
	return int(n), nil
}
