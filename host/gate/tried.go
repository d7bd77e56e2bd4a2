package gate

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
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/internal/private"
)

// Tried remembers which rules and examples of the last configuration passed, so
// that a changed file, and the next start, cost what was changed of it. What it
// keeps between processes is authenticated, as the verdicts on modules are. It is
// safe for concurrent use; nil remembers nothing.
type Tried struct {
	dir    *private.Dir
	key    *private.Key
	report func(error)

	mu     sync.Mutex
	passed map[trialKey]bool
}

// triedFile keeps the keys; its name changes when the meaning of a trial does.
const triedFile = "rules.1"

// maxTried is the largest file that is read, in bytes: a million keys.
const maxTried = 32 << 20

// OpenTried opens what the cache in a directory keeps; an empty directory keeps
// nothing between processes. A place that others could have filled is an error.
// report hears of what costs no more than time.
func OpenTried(cache string, report func(error)) (*Tried, error) {
	t := &Tried{report: report, passed: map[trialKey]bool{}}
	if cache == "" {
		return t, nil
	}
	if err := t.open(cache); err != nil {
		err = fmt.Errorf("rules that were tried: %w", err)
		if !private.Unwritable(err) {
			return nil, err
		}
		report(err)
		t.dir = nil
		return t, nil
	}
	t.passed = t.read()
	return t, nil
}

func (t *Tried) open(cache string) error {
	top, err := private.Open(cache)
	if err != nil {
		return err
	}
	defer func() { _ = top.Close() }() // nothing was written through it that can be lost
	if t.key, err = top.Key(); err != nil {
		return err
	}
	t.dir, err = top.Sub("trials")
	return err
}

func (t *Tried) read() map[trialKey]bool {
	passed := map[trialKey]bool{}
	data, err := t.dir.ReadAuthentic(t.key, triedFile, triedFile, maxTried)
	if errors.Is(err, fs.ErrNotExist) {
		return passed
	}
	if err != nil {
		t.report(fmt.Errorf("%s is not used: %w", t.dir.Path(triedFile), err))
		return passed
	}
	for key := range slices.Chunk(data, sha256.Size) {
		if len(key) == sha256.Size {
			passed[trialKey(key)] = true
		}
	}
	return passed
}

func (t *Tried) has(k trialKey) bool {
	if t == nil {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.passed[k]
}

// keep puts what passed in the place of what did before.
func (t *Tried) keep(passed map[trialKey]bool) {
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
		if err := t.dir.WriteAuthentic(t.key, triedFile, triedFile, data.Bytes()); err != nil {
			t.report(fmt.Errorf("write %s: %w", t.dir.Path(triedFile), err))
		}
	}
	t.passed = passed
}

// subset reports whether all of a is in b.
func subset(a, b map[trialKey]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return true
}

// trialKey is the digest of all that the outcome of a trial depends on.
type trialKey [sha256.Size]byte

// keyOf is the key of an example, or, with an empty one, of whether the tool
// understands the rule at all.
func keyOf(entry catalog.Entry, r engine.Rule, example string, want bool) trialKey {
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
