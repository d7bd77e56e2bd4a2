package memory

import (
	"bytes"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// imageFile is an image as a file in memory, mapped privately by instances. It is sealed: other
// processes of the same user can open it through /proc, and must not be able to change the
// start of instances.
type imageFile struct{ file *os.File }

const imageSeals = unix.F_SEAL_WRITE | unix.F_SEAL_SHRINK | unix.F_SEAL_GROW | unix.F_SEAL_SEAL

// store writes a memory into a new file and returns its bytes, mapped; nil when
// the system has no such files.
func (f *imageFile) store(memory []byte) []byte {
	if len(memory) == 0 {
		return nil
	}
	fd, err := unix.MemfdCreate("callgate-snapshot", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil
	}
	file := os.NewFile(uintptr(fd), "callgate-snapshot")
	mapped := fill(file, memory)
	if mapped == nil {
		_ = file.Close() // it was never used
		return nil
	}
	f.file = file
	return mapped
}

// fill writes, seals and maps the file.
func fill(file *os.File, memory []byte) []byte {
	if file.Truncate(int64(len(memory))) != nil || writeSparse(file, memory) != nil {
		return nil
	}
	if _, err := unix.FcntlInt(file.Fd(), unix.F_ADD_SEALS, imageSeals); err != nil {
		return nil
	}
	mapped, err := unix.Mmap(int(file.Fd()), 0, len(memory), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil
	}
	return mapped
}

// writeSparse writes runs of pages, and leaves out pages of zeros, so they take no memory.
func writeSparse(file *os.File, memory []byte) error {
	var zero [4096]byte
	from := 0 // the begin of the run
	write := func(to int) error {
		if from == to {
			return nil
		}
		_, err := file.WriteAt(memory[from:to], int64(from))
		return err
	}
	for at := 0; at < len(memory); at += len(zero) {
		page := memory[at:min(at+len(zero), len(memory))]
		if !bytes.Equal(page, zero[:len(page)]) {
			continue
		}
		if err := write(at); err != nil {
			return err
		}
		from = at + len(page)
	}
	return write(len(memory))
}

// lay maps the file over the beginning of a range, and reports whether it could.
func (f *imageFile) lay(all []byte, size int) bool {
	if f.file == nil || size > len(all) {
		return false
	}
	_, err := unix.MmapPtr(int(f.file.Fd()), 0, unsafe.Pointer(unsafe.SliceData(all)), uintptr(size),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED)
	return err == nil
}

func (f *imageFile) free(mapped []byte) {
	if f.file != nil {
		_ = unix.Munmap(mapped) // of Mmap's result
		_ = f.file.Close()      // nothing can be lost
	}
}
