package ruletest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/machine/securedir"
	"github.com/callgate/callgate/host/internal/modules"
)

// Cache remembers the rules and examples of the last configuration that passed, so a changed
// file, and the next start, cost only the changed ones. Its file between processes is
// authenticated, like the verdicts on modules. It is safe for concurrent use; nil remembers
// nothing.
type Cache struct {
	dir    *securedir.Dir
	key    *securedir.Key
	report func(error)

	mu     sync.Mutex
	passed map[testKey]bool
}

// cacheFile keeps the keys; its name changes when the meaning of a trial does.
const cacheFile = "rules.1"

// maxCache is the largest file to read, in bytes: a million keys.
const maxCache = 32 << 20

// OpenCache opens the cache in a directory; an empty directory keeps nothing between processes.
// A place writable by others is an error. report hears of errors that cost only time.
func OpenCache(cache string, report func(error)) (*Cache, error) {
	t := &Cache{report: report, passed: map[testKey]bool{}}
	if cache == "" {
		return t, nil
	}
	if err := t.open(cache); err != nil {
		err = fmt.Errorf("rule test cache: %w", err)
		if !securedir.Unwritable(err) {
			return nil, err
		}
		report(err)
		t.dir = nil
		return t, nil
	}
	t.passed = t.read()
	return t, nil
}

func (t *Cache) open(cache string) error {
	top, err := securedir.Open(cache)
	if err != nil {
		return err
	}
	defer func() { _ = top.Close() }() // no unsaved writes can be lost here
	if t.key, err = top.Key(); err != nil {
		return err
	}
	t.dir, err = top.Sub("trials")
	return err
}

func (t *Cache) read() map[testKey]bool {
	passed := map[testKey]bool{}
	data, err := t.dir.ReadSigned(t.key, cacheFile, cacheFile, maxCache)
	if errors.Is(err, fs.ErrNotExist) {
		return passed
	}
	if err != nil {
		t.report(fmt.Errorf("%s is not used: %w", t.dir.Path(cacheFile), err))
		return passed
	}
	for key := range slices.Chunk(data, sha256.Size) {
		if len(key) == sha256.Size {
			passed[testKey(key)] = true
		}
	}
	return passed
}

func (t *Cache) has(k testKey) bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.passed[k]
}

// keep replaces the passed ones.
func (t *Cache) keep(passed map[testKey]bool) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dir != nil && !subset(passed, t.passed) {
		var data bytes.Buffer
		for k := range passed {
			data.Write(k[:])
		}
		if err := t.dir.WriteSigned(t.key, cacheFile, cacheFile, data.Bytes()); err != nil {
			t.report(fmt.Errorf("write %s: %w", t.dir.Path(cacheFile), err))
		}
	}
	t.passed = passed
}

// subset reports whether all of a is in b.
func subset(a, b map[testKey]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return true
}

// testKey is the digest of all inputs of a trial.
type testKey [sha256.Size]byte

// keyOf is the key of an example, or, with an empty one, of whether the tool
// understands the rule at all.
func keyOf(entry modules.Entry, r engine.Rule, example string, want bool) testKey {
	content := ""
	if !r.WholeTool() {
		content = *r.Content
	}
	text, err := json.Marshal([]any{entry.Module, entry.Digest, entry.Name, r.Tool, content, r.Behavior.String(), r.Scope, r.ScopeKey, example, want})
	if err != nil {
		panic("gate: texts are JSON: " + err.Error())
	}
	return sha256.Sum256(text)
}
