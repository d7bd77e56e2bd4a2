package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/sandbox/internal/codecache"
)

// stateVersion is the form of kept states; it changes with what the host's own
// functions tell a module while it begins.
const stateVersion = 1

// beginning is the state that a module's instances begin in: the one that another
// process found and kept, or else found now, and kept. A Kept module's is found in each
// process, since each of its instances goes the same way; so is that of a module
// which is not warmed up, or not yet.
func (m *Module) beginning(ctx context.Context) (*state, *Error) {
	if m.rt.kept == nil || m.binary.Kept || len(m.examples) == 0 {
		return m.find(ctx)
	}
	id := m.stateID()
	if e, ok := m.rt.kept.states.Get(id); ok {
		s, err := m.stateOf(e)
		if err == nil {
			return s, nil
		}
		m.rt.kept.states.Refuse(id, err)
	}
	s, failure := m.find(ctx)
	if failure != nil || len(s.steps) == 0 {
		return s, failure // it did not survive its warm-up, this time
	}
	facts, err := json.Marshal(s.globals)
	if err == nil {
		m.rt.kept.states.Put(id, &codecache.Entry{Facts: facts, Code: s.memory})
	}
	return s, nil
}

// stateID is a digest of all that the state depends on.
func (m *Module) stateID() codecache.ID {
	h := sha256.New()
	limits := m.limits
	limits.Timeout, limits.CompileTime, limits.Instances = 0, 0, 0
	code := m.rt.codeID(m.digest)
	_, _ = fmt.Fprintf(h, "state %d\n%x\n%+v\n", stateVersion, code, limits) // a hash takes everything
	for _, e := range m.examples {
		for _, name := range m.verbs {
			input, ok := e[name]
			_, _ = fmt.Fprintf(h, "%s %v %d\n%s\n", name, ok, len(input), input)
		}
	}
	return codecache.ID(h.Sum(nil))
}

var errState = errors.New("not the state of this module")

// stateOf reads a kept state.
func (m *Module) stateOf(e *codecache.Entry) (*state, error) {
	s := &state{memory: slices.Clip(e.Code)}
	if err := json.Unmarshal(e.Facts, &s.globals); err != nil {
		return nil, err
	}
	stack := 1 // its global is one of the state's
	if len(s.globals) != len(m.binary.Globals)+stack || len(s.memory)%PageSize != 0 || len(s.memory) > int(m.binary.MemoryPages)*PageSize {
		return nil, errState
	}
	return s, nil
}
