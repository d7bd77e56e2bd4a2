// Sandbox times whole calls of tool modules in our host beside the same calls
// in the Extism Go SDK with its time-out on: JSON in and out, ours with fuel
// and with the state restored. It prints lines as go test -bench does.
//
// Usage: sandbox [-rounds 60] name=module.wasm ...
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	extism "github.com/extism/go-sdk"
	"github.com/tetratelabs/wazero"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/rounds"
)

const (
	verb = sandbox.CheckPermissions
	// timeout is that of both hosts, in milliseconds.
	timeout = 1000
	// envelope is what the guests read: 346 bytes.
	envelope = `{"tool":"Bash","input":{"command":"npm run build -- --mode production && npm run check 2>&1"},` +
		`"context":{"agent":"builder","session":"s-1","user":"ann","mode":"default","cwd":"/my/project",` +
		`"working_directories":["/my/project"],"project_root":"/my/project","home":"/home/dev","kind":"main",` +
		`"resumed":false,"approver":"ann","active_skills":[]}}`
)

func main() {
	n := flag.Int("rounds", 60, "how often each host is timed; the median counts")
	flag.Parse()
	if flag.NArg() == 0 || *n < 1 {
		fmt.Fprintln(os.Stderr, "usage: sandbox [-rounds 60] name=module.wasm ...")
		os.Exit(3)
	}
	if err := measure(context.Background(), *n, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		os.Exit(1)
	}
}

// guest is one module in both hosts.
type guest struct {
	name       string
	ours, peer func() ([]byte, error)
}

func measure(ctx context.Context, n int, modules []string) (err error) {
	r, err := sandbox.New(ctx, sandbox.Config{Limits: sandbox.Limits{Timeout: timeout * time.Millisecond}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close(ctx)) }()
	var variants []rounds.Variant
	var names []string
	for _, m := range modules {
		name, file, _ := strings.Cut(m, "=")
		wasm, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		g, err := newGuest(ctx, r, name, wasm)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		names = append(names, name)
		variants = append(variants, variant(name+" ours", g.ours), variant(name+" peer", g.peer))
	}
	took, err := rounds.Medians(n, 10*time.Millisecond, variants)
	if err != nil {
		return err
	}
	for i, name := range names {
		fmt.Printf("BenchmarkPeer/%s %d %d ns/ours %d ns/peer\n", name, n, took[2*i].Nanoseconds(), took[2*i+1].Nanoseconds())
	}
	return nil
}

func variant(name string, call func() ([]byte, error)) rounds.Variant {
	return rounds.Variant{Name: name, Run: func(n int) error {
		for range n {
			if _, err := call(); err != nil {
				return err
			}
		}
		return nil
	}}
}

// newGuest loads the module into both hosts and makes sure that they agree.
func newGuest(ctx context.Context, r *sandbox.Runtime, name string, wasm []byte) (guest, error) {
	ours, err := r.Load(ctx, name, wasm)
	if err != nil {
		return guest{}, err
	}
	peer, err := newPeer(ctx, wasm)
	if err != nil {
		return guest{}, err
	}
	input, answer := []byte(envelope), make([]byte, 0, 4096)
	g := guest{
		name: name,
		ours: func() ([]byte, error) {
			return ours.Append(ctx, answer[:0], sandbox.Request{Export: verb, Input: input})
		},
		peer: func() ([]byte, error) {
			code, out, err := peer.Call(verb, input)
			if err == nil && code != 0 {
				err = fmt.Errorf("the peer's guest returned %d", code)
			}
			return out, err
		},
	}
	return g, g.agree()
}

func newPeer(ctx context.Context, wasm []byte) (*extism.Plugin, error) {
	manifest := extism.Manifest{Wasm: []extism.Wasm{extism.WasmData{Data: wasm}}, Timeout: timeout}
	return extism.NewPlugin(ctx, manifest, extism.PluginConfig{EnableWasi: true, RuntimeConfig: wazero.NewRuntimeConfigCompiler()}, nil)
}

func (g guest) agree() error {
	ours, err := g.ours()
	if err != nil {
		return err
	}
	peer, err := g.peer()
	if err != nil {
		return err
	}
	if !bytes.Equal(ours, peer) {
		return fmt.Errorf("the answers differ: ours %s, the peer's %s", ours, peer)
	}
	return nil
}
