package modules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// Without a daemon the list had other states than with one: changed, unpinned and unread,
// unknown to every client of the API.
func TestUnserved_wordsOfTheDaemon(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pinned, file string // the lock's digest and the file's; empty for neither
		dev          bool   // of the grant
		unpinned     bool   // modules.dev
		policy       modules.Policy
		want         wire.ModuleState
		problem      string
	}{
		"pinned":                           {pinned: "one", file: "one", want: wire.ModulePinned},
		"other bytes":                      {pinned: "one", file: "two", want: wire.ModuleRefused, problem: "callgate tool pin"},
		"other bytes, dev":                 {pinned: "one", file: "two", dev: true, want: wire.ModuleDev},
		"other bytes of a signed one, dev": {pinned: "one", file: "two", dev: true, policy: modules.Policy{All: true}, want: wire.ModuleRefused, problem: "its bytes differ from the pinned ones"},
		"without its signature":            {pinned: "one", file: "one", policy: modules.Policy{All: true}, want: wire.ModuleRefused, problem: "signature"},
		"without an entry":                 {file: "one", want: wire.ModuleRefused, problem: "callgate tool add"},
		"without an entry, dev":            {file: "one", unpinned: true, want: wire.ModuleDev},
		"gone":                             {pinned: "one", want: wire.ModuleMissing, problem: "the file is missing"},
		"an entry, modules.dev":            {pinned: "one", file: "two", unpinned: true, want: wire.ModuleRefused, problem: "callgate tool pin"},
	} {
		dir := t.TempDir()
		place := modules.Place{Modules: filepath.Join(dir, "modules"), State: filepath.Join(dir, "state")}
		path := filepath.Join(place.Modules, "deploy.wasm")
		if tt.pinned != "" {
			g := wire.GrantedModule{
				Name: "deploy", Version: "1", Digest: sandbox.Digest([]byte(tt.pinned)), Description: strings.Repeat("d", 64),
				Grant: wire.Grant{Names: []string{"Deploy"}, Dev: tt.dev}, GrantedBy: "ana", GrantedAt: time.Unix(1, 0),
			}
			if _, err := place.Put("deploy.wasm", g, []byte(tt.pinned), []byte(`{}`)); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(place.Modules, 0o700); err != nil {
			t.Fatal(err)
		}
		if tt.file != "" {
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		list := modules.Unserved(place, tt.policy, tt.unpinned)
		if len(list.Modules) != 1 {
			t.Fatalf("%s: got %+v; want one module", name, list)
		}
		m := list.Modules[0]
		if m.State != tt.want || (m.Problem == "") != (tt.problem == "") || !strings.Contains(m.Problem, tt.problem) {
			t.Errorf("%s: got %s, %q; want %s, %q", name, m.State, m.Problem, tt.want, tt.problem)
		}
	}
}
