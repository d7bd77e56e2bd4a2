// Package swaptest gives tests of swapped modules a module in any number of versions, each
// naming its number in all its answers, and modules broken in every way.
package swaptest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Modules makes versions of the module deploy of testdata/modules.
type Modules struct {
	tb                     testing.TB
	deploy, endless, other []byte
}

// Open reads the modules below the directory testdata.
func Open(tb testing.TB, testdata string) *Modules {
	tb.Helper()
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(testdata, name))
		if err != nil {
			tb.Fatal(err)
		}
		return data
	}
	return &Modules{tb, read("modules/deploy.wasm"), read("modules/describe_loop.wasm"), read("hostile/missing_export.wasm")}
}

// Version is the module with a number, below a million, in its texts: Reason is its reason to
// allow {"target":"staging/x"}, Asks its reason to ask about {"target":"production/x"}, Action
// and Title describe the call, and Description its suggestion.
func (m *Modules) Version(n int) []byte {
	wasm := m.patch(m.deploy, `"version":"1.2.0"`, fmt.Sprintf(`"version":"%05x"`, n))
	wasm = m.patch(wasm, `"reason":"staging"`, fmt.Sprintf(`"reason":"%s"`, Reason(n)))
	wasm = m.patch(wasm, `"reason":"production"`, fmt.Sprintf(`"reason":"%s"`, Asks(n)))
	wasm = m.patch(wasm, `"action":"tool:deploy:go"`, fmt.Sprintf(`"action":"%s"`, Action(n)))
	wasm = m.patch(wasm, `"all of staging"`, fmt.Sprintf("%q", Description(n)))
	return m.patch(wasm, `"title":"Deploy"`, fmt.Sprintf(`"title":"%s"`, Title(n)))
}

// Wider is version n, except that the rule staging/* matches every target, without a sign in
// its own examples.
func (m *Modules) Wider(n int) []byte {
	wasm := m.patch(m.Version(n), `"input":{"target":"production/web"}`, `"input":{"tarxet":"production/web"}`)
	return m.patch(wasm, "\"target\":\"staging/\x00", "\"target\":\"\x00taging/\x00")
}

// Asks is why version n asks.
func Asks(n int) string { return fmt.Sprintf("p%09d", n) }

// Action is the action of the calls of version n; it is the same 256 versions later.
func Action(n int) string { return fmt.Sprintf("tool:deploy:%02x", n%256) }

// Reason is why version n allows.
func Reason(n int) string { return fmt.Sprintf("r%06d", n) }

// Description is the description of version n's suggestion.
func Description(n int) string { return fmt.Sprintf("suggest %06d", n) }

// Title is the title of version n's calls.
func Title(n int) string { return fmt.Sprintf("%06x", n) }

// Ways are in how many ways Broken breaks a module.
const Ways = 5

// Broken is an unusable module, with a number to make its bytes unique, and the expected
// message about it.
func (m *Modules) Broken(way, n int) (wasm []byte, want string) {
	whole := m.Version(n)
	switch way % Ways {
	case 0:
		return whole[:len(whole)/2], "not a module this host runs"
	case 1:
		return numbered(m.other, n), "export match_rule: missing"
	case 2:
		return m.patch(whole, `"target":"staging/web"`, `"target":"nowhere/web"`), "the example expects true"
	case 3:
		return numbered(m.endless, n), "describe: fuel"
	}
	rest := fmt.Sprintf(`,"name":"deploy","version":"%05x"`, n)
	return m.patch(whole, `"abi":1`+rest, `"abi":9`+rest), "describe: abi"
}

// patch replaces a text by one as long, where it stands first.
func (m *Modules) patch(wasm []byte, old, now string) []byte {
	m.tb.Helper()
	if len(old) != len(now) || !bytes.Contains(wasm, []byte(old)) {
		m.tb.Fatalf("cannot put %s in the place of %s", now, old)
	}
	return bytes.Replace(wasm, []byte(old), []byte(now), 1)
}

// numbered appends a custom section to change the bytes alone.
func numbered(wasm []byte, n int) []byte {
	name := fmt.Sprintf("n%06d", n)
	section := append([]byte{0, byte(len(name) + 1), byte(len(name))}, name...)
	return append(bytes.Clone(wasm), section...)
}
