package config_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
)

// watched is a running Watch, and its reports.
type watched struct {
	changes chan *config.Config
	errs    chan error
	looks   chan chan<- struct{}
}

func watch(t *testing.T, c *config.Config) watched {
	t.Helper()
	w := watched{make(chan *config.Config, 16), make(chan error, 16), make(chan chan<- struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- c.Watch(ctx, w.looks, func(c *config.Config) { w.changes <- c }, func(err error) { w.errs <- err })
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("Watch: got %v, want context canceled", err)
		}
	})
	return w
}

func (w watched) mode(t *testing.T) engine.Mode {
	t.Helper()
	select {
	case c := <-w.changes:
		return c.Agent("").Mode
	case err := <-w.errs:
		t.Fatalf("got error %v, want a change", err)
	case <-time.After(30 * time.Second):
		t.Fatal("no change was seen")
	}
	return 0
}

// look returns when the file as it is now has been handed over.
func (w watched) look(t *testing.T) {
	t.Helper()
	looked := make(chan struct{})
	w.looks <- looked
	select {
	case <-looked:
	case <-time.After(30 * time.Second):
		t.Fatal("no answer to a look")
	}
}

func (w watched) err(t *testing.T) error {
	t.Helper()
	select {
	case err := <-w.errs:
		return err
	case c := <-w.changes:
		t.Fatalf("got %+v, want an error", c)
	case <-time.After(30 * time.Second):
		t.Fatal("no error was seen")
	}
	return nil
}

// opened is a file in mode plan, and its configuration.
func opened(t *testing.T) (path string, c *config.Config) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "callgate.yaml")
	put(t, path, "defaults: {mode: plan}\n")
	c, err := config.Open(path, dirs)
	if err != nil {
		t.Fatal(err)
	}
	return path, c
}

// replace writes as careful editors do: a new file, renamed over the old one.
func replace(t *testing.T, path, text string) {
	t.Helper()
	put(t, path+".tmp", text)
	if err := os.Rename(path+".tmp", path); err != nil {
		t.Fatal(err)
	}
}

func TestWatch(t *testing.T) {
	t.Parallel()
	path, c := opened(t)
	put(t, path, "defaults: {mode: bypass}\n") // between reading and watching
	w := watch(t, c)
	if got := w.mode(t); got != engine.Bypass {
		t.Errorf("changed before Watch: got %v", got)
	}
	replace(t, path, "defaults: {mode: dont_ask}\n")
	if got := w.mode(t); got != engine.DontAsk {
		t.Errorf("renamed over: got %v", got)
	}
	put(t, path, "defaults: {mode: trusted}\n")
	if got := w.mode(t); got != engine.Trusted {
		t.Errorf("written in place: got %v", got)
	}
	replace(t, path, "defaults: {mode: nonsense}\n")
	if err := w.err(t); !strings.Contains(err.Error(), "previous one stays in effect") || !strings.Contains(err.Error(), "callgate.yaml:1:18: defaults.mode") {
		t.Errorf("a bad file: got %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := w.err(t); !strings.Contains(err.Error(), "no such file") || !strings.Contains(err.Error(), "previous one stays in effect") {
		t.Errorf("a removed file: got %v", err)
	}
	put(t, path, "defaults: {mode: plan}\n")
	if got := w.mode(t); got != engine.Explore {
		t.Errorf("put back: got %v", got)
	}
}

// TestWatch_looks: who asks right behind a change hears when it has been handed over,
// once, be it good, bad or the file's end; where nothing changed the answer comes
// without anything handed over.
func TestWatch_looks(t *testing.T) {
	t.Parallel()
	path, c := opened(t)
	w := watch(t, c)
	want := func(when string, changes, errs int) {
		t.Helper()
		w.look(t)
		if len(w.changes) != changes || len(w.errs) != errs {
			t.Fatalf("%s: got %d changes and %d errors, want %d and %d", when, len(w.changes), len(w.errs), changes, errs)
		}
	}
	want("unchanged", 0, 0)
	put(t, path, "defaults: {mode: bypass}\n")
	want("changed", 1, 0)
	want("the same again", 1, 0)
	put(t, path, "defaults: {mode: nonsense}\n")
	want("bad", 1, 1)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	want("removed", 1, 2)
	want("still removed", 1, 2)
	put(t, path, "defaults: {mode: bypass}\n")
	want("put back", 2, 2)
}

// TestWatch_looksWaitForTheWhole: an editor empties the file and then writes it; a look in
// between hands over the whole. The empty file would tighten, and a person would have to accept
// the restored parts again.
func TestWatch_looksWaitForTheWhole(t *testing.T) {
	t.Parallel()
	for !looksWaitForTheWhole(t) {
		t.Log("the machine was too busy to write within what is waited for: once more")
	}
}

func looksWaitForTheWhole(t *testing.T) (inTime bool) {
	t.Helper()
	path, c := opened(t)
	w := watch(t, c)
	w.look(t)
	began := time.Now()
	put(t, path, "")
	looked := make(chan struct{})
	w.looks <- looked
	put(t, path, "defaults: {mode: bypass}\n")
	if time.Since(began) > 25*time.Millisecond {
		return false
	}
	<-looked
	if got := w.mode(t); got != engine.Bypass || len(w.changes) != 0 {
		t.Errorf("got %v and %d more changes, want bypass alone", got, len(w.changes))
	}
	return true
}

func TestWatch_throughALink(t *testing.T) {
	t.Parallel()
	there, here := t.TempDir(), t.TempDir()
	put(t, filepath.Join(there, "real.yaml"), "defaults: {mode: plan}\n")
	path := filepath.Join(here, "callgate.yaml")
	if err := os.Symlink(filepath.Join(there, "real.yaml"), path); err != nil {
		t.Fatal(err)
	}
	c, err := config.Open(path, dirs)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(there, "real.yaml"), "defaults: {mode: bypass}\n")
	w := watch(t, c)
	if got := w.mode(t); got != engine.Bypass {
		t.Errorf("got %v", got)
	}
	replace(t, filepath.Join(there, "real.yaml"), "defaults: {mode: dont_ask}\n")
	if got := w.mode(t); got != engine.DontAsk {
		t.Errorf("behind the link: got %v", got)
	}
}

func TestWatch_defaultWaitsForTheFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	d := config.Dirs{Home: home, Config: filepath.Join(home, "not", "yet"), State: home, Cache: home}
	c, err := config.Open("", d)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(d.Config, 0o700); err != nil {
		t.Fatal(err)
	}
	w := watch(t, c)
	replace(t, d.ConfigFile(), "defaults: {mode: bypass}\n")
	if got := w.mode(t); got != engine.Bypass {
		t.Errorf("got %v", got)
	}
}

func TestWatch_cannot(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	put(t, filepath.Join(home, "file"), "")
	c := config.Default(config.Dirs{Home: home, Config: filepath.Join(home, "file", "callgate"), State: home, Cache: home})
	if err := c.Watch(t.Context(), nil, nil, nil); err == nil || !strings.Contains(err.Error(), "watch configuration") {
		t.Errorf("got %v", err)
	}
}
