package memory

import (
	"fmt"
	"os"
	"testing"
)

// TestImageIsSealed: the initial memory of instances is immutable, even through the process's
// own list of open files (T18).
func TestImageIsSealed(t *testing.T) {
	t.Parallel()
	i, _ := NewImage(make([]byte, PageSize), nil)
	defer i.Drop()
	if i.file.file == nil {
		t.Skip("this system has no files in memory")
	}
	path := fmt.Sprintf("/proc/self/fd/%d", i.file.file.Fd())
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return // not even opened
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("x"), 0); err == nil {
		t.Error("written to")
	}
	if err := f.Truncate(0); err == nil {
		t.Error("cut off")
	}
	if err := f.Truncate(2 * PageSize); err == nil {
		t.Error("grown")
	}
}
