package config

import (
	"slices"
	"strings"
	"testing"
)

func TestStore_place(t *testing.T) {
	t.Parallel()
	for store, want := range map[string]struct{ file, network, address, secret, refused string }{
		"/var/lib/callgate/store.db":                                {file: "/var/lib/callgate/store.db"},
		"postgres://cg@db.example.org/callgate":                     {network: "tcp", address: "db.example.org:5432", secret: ".pgpass"},
		"postgres://cg@127.0.0.1:5433/callgate?passfile=/etc/cg/pw": {network: "tcp", address: "127.0.0.1:5433", secret: "/etc/cg/pw"},
		"postgres://cg@/callgate?host=/run/pg":                      {network: "unix", address: "/run/pg/.s.PGSQL.5432", secret: ".pgpass"},
		"postgresql://cg@/callgate":                                 {network: "unix", address: "/var/run/postgresql/.s.PGSQL.5432", secret: ".pgpass"},
		"postgres://cg:pw@db/callgate":                              {refused: "it holds a password"},
		"postgres://cg@db/callgate?password=pw":                     {refused: "it holds a password"},
		"postgres://cg@db/callgate?passfile=pw":                     {refused: "want an absolute path"},
		"mysql://cg@db/callgate":                                    {refused: "want a path, or postgres://"},
	} {
		c, err := Parse("callgate.yaml", []byte("store: \""+store+"\"\n"), Dirs{Home: "/home/ann", Config: "/c", State: "/s", Cache: "/k"})
		if want.refused != "" {
			if err == nil || !strings.Contains(err.Error(), want.refused) || strings.Contains(err.Error(), "cg:pw") {
				t.Errorf("%s: got %v, want %q", store, err, want.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", store, err)
			continue
		}
		if network, address := c.StoreAddress(); c.StoreFile() != want.file || network != want.network || address != want.address {
			t.Errorf("%s: got file %q, %s %s, want %+v", store, c.StoreFile(), network, address, want)
		}
		found := slices.ContainsFunc(c.SecretFiles(), func(path string) bool { return want.secret != "" && strings.HasSuffix(path, want.secret) })
		if found != (want.secret != "") {
			t.Errorf("%s: secrets %q, want %q", store, c.SecretFiles(), want.secret)
		}
	}
}
