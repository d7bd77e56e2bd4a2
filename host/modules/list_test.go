package modules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/pin"
	"github.com/callgate/callgate/host/sandbox"
)

// Without a daemon the list spoke of other states than with one: changed, unpinned and
// unread, which no client of the API knows.
func TestUnserved_wordsOfTheDaemon(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		pinned, file string // what the lock has and what the file holds; empty for neither
		dev          bool   // of the grant
		unpinned     bool   // modules.dev
		policy       pin.Policy
		want         catalog.Standing
		problem      string
	}{
		"pinned":                           {pinned: "one", file: "one", want: catalog.Pinned},
		"other bytes":                      {pinned: "one", file: "two", want: catalog.StandsRefused, problem: "callgate tool pin"},
		"other bytes, dev":                 {pinned: "one", file: "two", dev: true, want: catalog.Dev},
		"other bytes of a signed one, dev": {pinned: "one", file: "two", dev: true, policy: pin.Policy{All: true}, want: catalog.StandsRefused, problem: "not those that are pinned"},
		"without its signature":            {pinned: "one", file: "one", policy: pin.Policy{All: true}, want: catalog.StandsRefused, problem: "signature"},
		"without an entry":                 {file: "one", want: catalog.StandsRefused, problem: "callgate tool add"},
		"without an entry, dev":            {file: "one", unpinned: true, want: catalog.Dev},
		"gone":                             {pinned: "one", want: catalog.Missing, problem: "the file is gone"},
		"an entry, modules.dev":            {pinned: "one", file: "two", unpinned: true, want: catalog.StandsRefused, problem: "callgate tool pin"},
	} {
		dir := t.TempDir()
		place := pin.Place{Modules: filepath.Join(dir, "modules"), State: filepath.Join(dir, "state")}
		path := filepath.Join(place.Modules, "deploy.wasm")
		if tt.pinned != "" {
			g := pin.Granted{
				Name: "deploy", Version: "1", Digest: sandbox.Digest([]byte(tt.pinned)), Description: strings.Repeat("d", 64),
				Grant: pin.Grant{Names: []string{"Deploy"}, Dev: tt.dev}, GrantedBy: "ana", GrantedAt: time.Unix(1, 0),
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
