package modules

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Usage is the work of the modules in one file since the start. A test of a module and a remembered
// answer are no work.
type Usage struct {
	File            string
	Calls, Failures uint64
	Took            time.Duration
	// Fuel is in the unit of sandbox.Limits.Fuel.
	Fuel uint64
}

// Usage returns the work of each file that had a module, by name.
func (c *Catalog) Usage() []Usage { return c.meters.list() }

// meter counts the calls of the modules in one file.
type meter struct {
	calls, failures, fuel atomic.Uint64
	took                  atomic.Int64
}

func (m *meter) add(took time.Duration, fuel int64, failed bool) {
	if m == nil {
		return
	}
	m.calls.Add(1)
	m.took.Add(int64(took))
	m.fuel.Add(uint64(max(fuel, 0)))
	if failed {
		m.failures.Add(1)
	}
}

// meters are the meters by file. The zero value is empty.
type meters struct {
	mu     sync.Mutex
	byFile map[string]*meter
}

// of returns a file's meter, the same for each of its modules.
func (m *meters) of(file string) *meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.byFile == nil {
		m.byFile = map[string]*meter{}
	}
	if m.byFile[file] == nil {
		m.byFile[file] = &meter{}
	}
	return m.byFile[file]
}

func (m *meters) list() []Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Usage, 0, len(m.byFile))
	for file, one := range m.byFile {
		out = append(out, Usage{
			File: file, Calls: one.calls.Load(), Failures: one.failures.Load(),
			Took: time.Duration(one.took.Load()), Fuel: one.fuel.Load(),
		})
	}
	slices.SortFunc(out, func(a, b Usage) int { return cmp.Compare(a.File, b.File) })
	return out
}
