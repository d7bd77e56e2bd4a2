package modules_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"
)

// refusals are the ways for the bytes of deploy.wasm to be no module.
func refusals(t *testing.T) map[string][]byte {
	t.Helper()
	deploy := string(wasm(t, "deploy"))
	spoilt := func(old, now string) []byte {
		if !strings.Contains(deploy, old) || len(old) != len(now) {
			t.Fatalf("%s does not fit %s", now, old)
		}
		return []byte(strings.ReplaceAll(deploy, old, now))
	}
	return map[string][]byte{
		"no WebAssembly":        []byte("no module"),
		"cut":                   []byte(deploy[:len(deploy)/2]),
		"empty":                 {},
		"no describe":           spoilt("describe\x00", "describx\x00"),
		"describes no JSON":     spoilt(`{"abi":1`, `["abi":1`),
		"an ABI of tomorrow":    spoilt(`"abi":1`, `"abi":7`),
		"describes for ever":    wasm(t, "describe_loop"),
		"says nothing":          wasm(t, "describe_nothing"),
		"fails its own example": spoilt(`"match":true`, `"match":null`),
		"over a limit":          wasm(t, "memory_huge"),
		"an import":             wasm(t, "bad_import"),
	}
}

// TestT16_refusedNeverGeneric: a refused module left its tool to the tool for unknown names,
// whose asks offer rules to store. Calls of its names fail: of its granted or last ones, else
// of those suggested by its file's name.
func TestT16_refusedNeverGeneric(t *testing.T) {
	t.Parallel()
	for name, bytes := range refusals(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fails := func(c *modules.Catalog, names ...string) {
				t.Helper()
				for _, called := range names {
					if e := c.Lookup(called); e.Err == nil || e.Tool != nil || e.Name != called && e.Module == "echo" {
						t.Errorf("%s: got %+v; want a tool that fails", called, e)
					}
				}
				if e := c.Lookup("Other"); e.Err != nil || e.Module != "echo" {
					t.Errorf("got %+v; want the tool for unknown names", e)
				}
			}
			base := modules.Options{Embedded: embedded(t, "echo"), Fallback: "echo"}
			nothing := base
			nothing.Dir = t.TempDir()
			write(t, nothing.Dir, "deploy.wasm", bytes)
			write(t, nothing.Dir, "roll-back.wasm", bytes)
			fails(open(t, nothing), "Deploy", "deploy", "DEPLOY", "RollBack", "roll_back")

			configured := nothing
			configured.Settings.Grants = map[string]modules.Rights{"deploy": {Names: []string{"Ship", "mcp__ship__*"}}}
			fails(open(t, configured), "Ship", "mcp__ship__now")

			p, described := newPinned(t), strings.Repeat("d", 64)
			write(t, p.dir, "deploy.wasm", bytes)
			write(t, p.dir, "roll-back.wasm", bytes)
			p.pin("deploy.wasm", wasm(t, "deploy"), described, wire.Grant{Names: []string{"Deploy", "Ship"}, MayAllow: true})
			p.pin("roll-back.wasm", wasm(t, "deploy"), described, wire.Grant{Names: []string{"Undo"}})
			p.pin("gone.wasm", wasm(t, "deploy"), described, wire.Grant{Names: []string{"Gone"}, MayAllow: true})
			p.opts.Settings.Signatures.Modules = []string{"gone.wasm"}
			p.forge(`"may_allow": false`, `"may_allow": true`) // of roll-back.wasm
			fails(open(t, p.opts), "Deploy", "Ship", "Undo", "Gone")

			p.forge("{", "no lock")
			fails(open(t, p.opts), "Deploy", "RollBack")

			last := base
			last.Dir, last.CacheDir = t.TempDir(), filepath.Join(t.TempDir(), "cache")
			write(t, last.Dir, "ship.wasm", wasm(t, "deploy"))
			open(t, last)
			write(t, last.Dir, "ship.wasm", bytes)
			fails(open(t, last), "Deploy", "deploy")
		})
	}
}

// TestT16_guessTakesNothing: a file of unknown names takes none from a module, in any order of
// reading.
func TestT16_guessTakesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, "a-Deploy.wasm", []byte("no module"))
	write(t, dir, "adeploy.wasm", []byte("no module"))
	write(t, dir, "Deploy.wasm", []byte("no module"))
	write(t, dir, "echo2.wasm", []byte("no module"))
	write(t, dir, "zdeploy.wasm", wasm(t, "deploy"))
	c := open(t, modules.Options{Embedded: embedded(t, "echo"), Fallback: "echo", Dir: dir})
	for called, module := range map[string]string{"Deploy": "deploy", "deploy": "deploy", "echo": "echo"} {
		if e := c.Lookup(called); e.Err != nil || e.Module != module {
			t.Errorf("%s: got %+v; want module %s", called, e, module)
		}
	}
}
