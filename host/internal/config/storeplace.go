package config

import (
	"cmp"
	"net"
	"net/url"
	"path/filepath"
	"strings"
)

// storeURL parses the store's URL; false for a file.
func (c *Config) storeURL() (*url.URL, bool) {
	if !strings.HasPrefix(c.Store, "postgres://") && !strings.HasPrefix(c.Store, "postgresql://") {
		return nil, false
	}
	u, err := url.Parse(c.Store)
	return u, err == nil
}

// StoreFile is the path of the store's file; empty for a store in PostgreSQL.
func (c *Config) StoreFile() string {
	if _, ok := c.storeURL(); ok {
		return ""
	}
	return c.Store
}

// StoreAddress is where the store's database answers, as a network ("unix", "tcp") and an address;
// empty for a file.
func (c *Config) StoreAddress() (network, address string) {
	u, ok := c.storeURL()
	if !ok {
		return "", ""
	}
	q := u.Query()
	host, port := cmp.Or(q.Get("host"), u.Hostname(), "/var/run/postgresql"), cmp.Or(q.Get("port"), u.Port(), "5432")
	if strings.HasPrefix(host, "/") {
		return "unix", filepath.Join(host, ".s.PGSQL."+port)
	}
	return "tcp", net.JoinHostPort(host, port)
}

// storeSecrets are the files with the credentials for the store's database.
func (c *Config) storeSecrets() []string {
	u, ok := c.storeURL()
	if !ok {
		return nil
	}
	files := []string{filepath.Join(c.dirs.Home, ".pgpass")}
	for _, option := range []string{"passfile", "sslkey"} {
		if path := u.Query().Get(option); path != "" {
			files = append(files, path)
		}
	}
	return files
}

func (ck *checker) store(c *Config) {
	if !strings.Contains(c.Store, "://") {
		ck.path(&c.Store, "store")
		return
	}
	u, ok := c.storeURL()
	if !ok {
		ck.add("store", "%q: want a path, or postgres://USER@HOST:PORT/DATABASE", c.Store)
		return
	}
	if _, has := u.User.Password(); has || u.Query().Has("password") {
		ck.add("store", "it holds a password: put that into a file of mode 0600 and name the file with passfile=FILE, or set PGPASSWORD for the daemon")
	}
	for _, option := range []string{"passfile", "sslkey", "sslcert", "sslrootcert"} {
		if path := u.Query().Get(option); path != "" && path != "system" && !filepath.IsAbs(path) {
			ck.add("store", "%s %q: want an absolute path", option, path)
		}
	}
}
