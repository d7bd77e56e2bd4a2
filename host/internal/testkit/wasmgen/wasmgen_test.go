package wasmgen_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"

	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/testkit/wasmgen"
)

// random returns the bytes of a module, the same for the same seed.
func random(seed uint64) []byte {
	data := make([]byte, 2000)
	source := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	_, _ = source.Read(data) // never fails
	return data[:int(source.Uint64()%2000)]
}

// TestGenerateValid: the engine takes each module, counting or not, and the same
// bytes make the same.
func TestGenerateValid(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { _ = r.Close(ctx) })
	sizes := 0
	for seed := range uint64(500) {
		for _, opts := range []wasmgen.Options{{}, {Count: true}, {Endless: true}} {
			m := wasmgen.Generate(random(seed), opts)
			sizes += len(m.Wasm)
			compiled, err := r.CompileModule(ctx, m.Wasm)
			if err != nil {
				t.Fatalf("seed %d, %+v: %v", seed, opts, err)
			}
			_ = compiled.Close(ctx)
			if again := wasmgen.Generate(random(seed), opts); !bytes.Equal(again.Wasm, m.Wasm) {
				t.Fatalf("seed %d, %+v: two modules of the same bytes", seed, opts)
			}
		}
	}
	t.Logf("%d bytes on average", sizes/1500)
}
