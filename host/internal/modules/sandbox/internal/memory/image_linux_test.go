package memory

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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

// TestWriteSparse: an image holds the bytes of the memory, wherever its pages of zeros are.
func TestWriteSparse(t *testing.T) {
	t.Parallel()
	const page = 4096
	for _, pages := range []string{"", "0", "1", "01", "10", "0110", "1001", "00100", "11011", "010101"} {
		for _, rest := range []int{0, 100} {
			memory := make([]byte, len(pages)*page+rest)
			for i, p := range pages {
				memory[i*page+i] = byte(p - '0')
			}
			file, err := os.Create(filepath.Join(t.TempDir(), "image"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			if err := errors.Join(file.Truncate(int64(len(memory))), writeSparse(file, memory)); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(file.Name()); err != nil || !bytes.Equal(got, memory) {
				t.Errorf("pages %q and %d bytes: another memory, %v", pages, rest, err)
			}
		}
	}
}
