package sandbox

import (
	"encoding/binary"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sharedImage is an image as a file in memory, which many trackers map.
type sharedImage struct{ file *os.File }

// share makes the image's file. Without it trackers cannot adopt the image.
func (i *image) share() {
	fd, err := unix.MemfdCreate("callgate-snapshot", unix.MFD_CLOEXEC)
	if err != nil {
		return
	}
	file := os.NewFile(uintptr(fd), "callgate-snapshot")
	if _, err := file.Write(i.bytes); err != nil {
		_ = file.Close() // err decides
		return
	}
	i.shared.file = file
}

// mapped is a range of addresses that never moves. Its beginning maps a
// snapshot's file privately: a page that was written is a copy of the system's
// making, which the page map tells from the file's own.
type mapped struct {
	all     []byte
	entries []byte // of the page map; kept for the next restore
	cleanup runtime.Cleanup
}

// newTracker reserves the most that the memory may grow to.
func newTracker(most uint64) tracker {
	if most == 0 || !tracking() {
		return nil
	}
	return reserveMapped(most)
}

func reserveMapped(most uint64) tracker {
	all, err := unix.Mmap(-1, 0, int(most), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	m := &mapped{all: all}
	// For instances that end with their runtime.
	m.cleanup = runtime.AddCleanup(m, unmap, all)
	return m
}

func unmap(all []byte) { _ = unix.Munmap(all) } // of a range that Mmap gave

// Reallocate implements experimental.LinearMemory.
func (m *mapped) Reallocate(size uint64) []byte {
	if size > uint64(len(m.all)) {
		return nil
	}
	return m.all[:size]
}

// Free implements experimental.LinearMemory.
func (m *mapped) Free() {}

// release implements tracker.
func (m *mapped) release() {
	m.cleanup.Stop()
	unmap(m.all)
}

// adopt implements tracker.
func (m *mapped) adopt(i *image) bool {
	if i.shared.file == nil || len(i.bytes) == 0 || len(i.bytes) > len(m.all) {
		return false
	}
	_, err := unix.MmapPtr(int(i.shared.file.Fd()), 0, unsafe.Pointer(&m.all[0]), uintptr(len(i.bytes)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED)
	runtime.KeepAlive(i)
	return err == nil
}

// The bits of a page map entry. Source: the kernel's pagemap.rst.
const (
	pagePresent = 1 << 63
	pageSwapped = 1 << 62
	pageOfFile  = 1 << 61
)

// restore implements tracker.
func (m *mapped) restore(i *image) bool {
	return m.written(len(i.bytes), func(from, to int) { copy(m.all[from:to], i.bytes[from:to]) })
}

// written calls f for each page of the first size bytes that is a copy.
func (m *mapped) written(size int, f func(from, to int)) bool {
	page := os.Getpagesize()
	n := size / page * 8
	if cap(m.entries) < n {
		m.entries = make([]byte, n)
	}
	m.entries = m.entries[:n]
	base := uintptr(unsafe.Pointer(&m.all[0]))
	if got, err := unix.Pread(pageMap(), m.entries, int64(base)/int64(page)*8); err != nil || got != n {
		return false
	}
	for at := 0; at < n; at += 8 {
		entry := binary.NativeEndian.Uint64(m.entries[at:])
		if entry&(pagePresent|pageSwapped) != 0 && entry&pageOfFile == 0 {
			f(at/8*page, at/8*page+page)
		}
	}
	return true
}

// pageMap is the process's own page map; -1 when it cannot be read. It stays
// open for as long as the process runs.
var pageMap = sync.OnceValue(func() int {
	fd, err := unix.Open("/proc/self/pagemap", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1
	}
	return fd
})

// tracking tells whether the system's page map says what it should: sandboxes
// and emulated kernels may have none, or one that means nothing.
var tracking = sync.OnceValue(func() bool {
	page := os.Getpagesize()
	if PageSize%page != 0 || pageMap() < 0 {
		return false
	}
	i := &image{bytes: make([]byte, PageSize)}
	i.bytes[0], i.bytes[PageSize-1] = 1, 1
	i.share()
	m, ok := reserveMapped(PageSize).(*mapped)
	if !ok || i.shared.file == nil {
		return false
	}
	defer m.release()
	if !m.adopt(i) || m.all[0] != 1 {
		return false
	}
	last := PageSize - page
	m.all[last] = 7
	found := 0
	read := m.written(PageSize, func(from, _ int) { found += from })
	return read && found == last && m.restore(i) && m.all[last] == 0 && m.all[PageSize-1] == 1
})
