package memory

import "testing"

// TestShrink: this version of wazero lets a memory that grew be put back. If it
// fails after an update, instances whose memory grew are dropped instead: right,
// but slow.
func TestShrink(t *testing.T) {
	t.Parallel()
	if !canShrink() {
		t.Error("a memory that grew cannot be made small again")
	}
}
