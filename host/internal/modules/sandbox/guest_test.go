package sandbox_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// TestGoGuestRepeatsItself: a real guest, with a garbage collector and caches of
// its own, gives the same answer on every instance, used or new.
func TestGoGuestRepeatsItself(t *testing.T) {
	t.Parallel()
	if raceflag.Enabled {
		t.Skip("compiling a Go guest under -race takes a minute; the golden modules race")
	}
	module, err := os.ReadFile(goGuest)
	if err != nil {
		t.Skipf("no Go guest: %v: run make wasm", err)
	}
	r, err := sandbox.New(t.Context(), sandbox.Config{CacheDir: sandbox.Compiled, Limits: sandbox.Limits{Timeout: time.Minute, Fuel: 1 << 50}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	m, err := r.Load(t.Context(), "bash.wasm", module)
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]string{}
	for _, command := range []string{"npm run build", "rm -rf /", "cd a && make 2>&1 | tail -5", strings.Repeat("echo x; ", 200)} {
		for _, verb := range append([]string{"describe_call"}, verbs...) {
			input := strings.Replace(bashCall, "npm run build", command, 1)
			if verb != "match_rule" {
				input = input[:strings.Index(input, `,"behavior"`)] + "}"
			}
			inputs[verb+" "+input] = ""
		}
	}
	answer := func(key string) string {
		verb, input, _ := strings.Cut(key, " ")
		got, err := m.Call(context.Background(), verb, []byte(input))
		return fmt.Sprintf("%s %v", got, err)
	}
	for key := range inputs {
		if inputs[key] = answer(key); !strings.HasSuffix(inputs[key], "<nil>") {
			t.Errorf("%.80s: %s", key, inputs[key])
		}
	}
	done := make(chan bool)
	for range 4 {
		go func() {
			for range 5 {
				for key, want := range inputs {
					if got := answer(key); got != want {
						t.Errorf("%.80s: got %s; want %s", key, got, want)
					}
				}
			}
			done <- true
		}()
	}
	for range 4 {
		<-done
	}
}
