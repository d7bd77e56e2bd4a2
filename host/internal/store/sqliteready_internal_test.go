package store

import (
	"path/filepath"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// TestMayKnow: a look that fails does not make a call unknown: an id that was used would judge
// another call.
func TestMayKnow(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "callgate.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := s.db.(*sqliteFile)
	key := ask.Key{Token: "t", Session: "s", CallID: "c"}
	if d.mayKnow(t.Context(), key) {
		t.Error("an empty store may know a call")
	}
	if _, err := s.AppendCall(t.Context(), Row{Tool: "Bash", Decision: Allowed}, Call{Key: key}); err != nil {
		t.Fatal(err)
	}
	if !d.mayKnow(t.Context(), key) || d.mayKnow(t.Context(), ask.Key{Token: "t", Session: "s", CallID: ""}) {
		t.Error("the call just kept is not known, or another one is")
	}
	compiled := d.lookUp.compiled[hasCall]
	d.lookUp.compiled[hasCall] = 0
	if !d.mayKnow(t.Context(), ask.Key{CallID: "new"}) {
		t.Error("a failed look says that the call is unknown")
	}
	d.lookUp.compiled[hasCall] = compiled
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if !d.mayKnow(t.Context(), ask.Key{CallID: "new"}) {
		t.Error("a closed store says that a call is unknown")
	}
}
