package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/internal/modules/sandbox/internal/codecache"
)

// stateVersion is the form of kept states; it changes with the host's own functions visible to
// a beginning module.
const stateVersion = 2

// beginning is the initial state of a module's instances: one that came with the program, one found
// and kept by another process, or else found now, and kept. A Kept module's is found in each process,
// since each of its instances goes the same way. RATIONALE.md, "Why does nothing run between a
// module's initialisers and its calls?".
func (m *Module) beginning(ctx context.Context) (*state, *Error) {
	if m.binary.Kept {
		return m.find(ctx)
	}
	if s := m.shippedState(); s != nil {
		return s, nil
	}
	if m.rt.kept == nil {
		return m.find(ctx)
	}
	id := m.rt.stateID(m.digest)
	if e, ok := m.rt.kept.states.Get(id); ok {
		s, err := m.stateOf(e)
		if err == nil {
			return s, nil
		}
		m.rt.kept.states.Refuse(id, err)
	}
	s, failure := m.find(ctx)
	if failure != nil {
		return nil, failure
	}
	facts, err := json.Marshal(s.globals)
	if err == nil {
		m.rt.kept.states.Put(id, &codecache.Entry{Facts: facts, Code: s.memory})
	}
	return s, nil
}

// stateID is a digest of everything a module's state depends on.
func (r *Runtime) stateID(digest string) codecache.ID {
	h := sha256.New()
	limits := r.limits
	limits.Timeout, limits.CompileTime, limits.Instances = 0, 0, 0
	code := r.codeID(digest)
	_, _ = fmt.Fprintf(h, "state %d\n%x\n%+v\n", stateVersion, code, limits) // a hash takes everything
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
