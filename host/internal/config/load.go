package config

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// maxSize bounds the file. A thousand rules are about 100 KiB.
const maxSize = 4 << 20

// Default returns the configuration for a missing file: no agents, no rules, mode default.
func Default(dirs Dirs) *Config {
	c := &Config{dirs: dirs}
	c.fill()
	return c
}

// Open reads the file at path; with an empty path dirs.ConfigFile, or Default when it does not
// exist. The error names every mistake with its place (see Parse).
func Open(path string, dirs Dirs) (*Config, error) {
	byDefault := path == ""
	if byDefault {
		path = dirs.ConfigFile()
	}
	data, err := read(path)
	if byDefault && errors.Is(err, fs.ErrNotExist) {
		return Default(dirs), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return Parse(path, data, dirs)
}

func read(path string) ([]byte, error) {
	// A pipe in its place is refused below; opening it must not wait for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err == nil && len(data) > maxSize {
		err = fmt.Errorf("%s: larger than %d MiB", path, maxSize>>20)
	}
	return data, err
}

// Parse reads a configuration; file is its name in errors, rule IDs and Config.File. The error
// joins all mistakes, up to 20, each "file:line:column: field: problem and fix"; the Config is then
// nil.
func Parse(file string, data []byte, dirs Dirs) (*Config, error) {
	c := &Config{File: file, dirs: dirs, data: bytes.Clone(data)}
	places, err := strictyaml.Decode(file, data, c)
	if err != nil {
		return nil, err
	}
	c.places = places
	if err := c.check(places); err != nil {
		return nil, err
	}
	c.fill()
	return c, nil
}

// Text returns the original bytes; none for Default.
func (c *Config) Text() []byte { return bytes.Clone(c.data) }

// Digest is the SHA-256 of Text in hex. A person accepts exactly the text they saw.
func (c *Config) Digest() string {
	sum := sha256.Sum256(c.data)
	return hex.EncodeToString(sum[:])
}

// Earlier parses the former content of this configuration's file.
func (c *Config) Earlier(text []byte) (*Config, error) {
	file := c.File
	if file == "" {
		file = c.dirs.ConfigFile()
	}
	return Parse(file, text, c.dirs)
}

// Dirs are the places it was read for.
func (c *Config) Dirs() Dirs { return c.dirs }

// BuiltIn is the configuration without a file, for the places of this one.
func (c *Config) BuiltIn() *Config { return Default(c.dirs) }

// fill puts the built-in values where nothing was said.
func (c *Config) fill() {
	if c.Listen == "" {
		c.Listen = c.dirs.Socket()
	}
	if c.Store == "" {
		c.Store = filepath.Join(c.dirs.State, "callgate.db")
	}
	if c.Modules.Dir == "" {
		c.Modules.Dir = c.dirs.Modules()
	}
	c.Modules.MemoryMiB = cmp.Or(c.Modules.MemoryMiB, 1024)
	// Empty lists mean the same as missing ones, and are no change of them.
	for _, accounts := range []*[]Account{&c.Boundary.AgentAccounts, &c.Boundary.ApproverAccounts} {
		if len(*accounts) == 0 {
			*accounts = nil
		}
	}
	c.Asks.fill(c.places)
	c.byTool = newRuleLists(c)
}

// defaultTimeout is the default waiting time of an ask.
const defaultTimeout = Duration(60 * time.Second)

// NoLimit is a limit of Asks that is off: no number of asks reaches it.
const NoLimit = math.MaxInt32

func (a *Asks) fill(places strictyaml.Places) {
	a.Timeout = Duration(a.Timeout.or(defaultTimeout))
	a.RepeatDenial = Duration(a.RepeatDenial.or(Duration(10 * time.Minute)))
	a.ApprovalLifetime = Duration(a.ApprovalLifetime.or(Duration(10 * time.Minute)))
	if _, given := places["asks.checks"]; !given {
		a.Checks = 512
	}
	for _, limit := range []struct {
		name    string
		value   *int
		builtIn int
	}{{"per_session", &a.PerSession, 20}, {"per_agent", &a.PerAgent, 20}, {"pause_after", &a.PauseAfter, 3}} {
		_, given := places["asks."+limit.name]
		switch {
		case *limit.value == 0 && given:
			*limit.value = NoLimit
		case *limit.value == 0:
			*limit.value = limit.builtIn
		}
	}
}
