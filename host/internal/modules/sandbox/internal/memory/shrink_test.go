package memory

import "testing"

// TestShrink: this version of wazero can shrink a grown memory. If it fails after an update,
// such instances are dropped instead: right, but slow.
func TestShrink(t *testing.T) {
	t.Parallel()
	if !canShrink() {
		t.Error("a memory that grew cannot be made small again")
	}
}
