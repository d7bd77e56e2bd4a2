package memory

import (
	"encoding/binary"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The bits of a page map entry, and the PAGEMAP_SCAN request. Source: the
// kernel's pagemap.rst and uapi/linux/fs.h.
const (
	pagePresent = 1 << 63
	pageSwapped = 1 << 62
	pageOfFile  = 1 << 61

	scanRequest = 0xc0606610
	scanFile    = 1 << 2
	scanPresent = 1 << 3
	scanSwapped = 1 << 4
)

// scanArguments is struct pm_scan_arg.
type scanArguments struct {
	size, flags, start, end, walkEnd, vec, vecLen, maxPages uint64
	inverted, mask, anyOf, returned                         uint64
}

// scanRegion is struct page_region.
type scanRegion struct{ start, end, _ uint64 } // and its categories

// scanner holds the buffers for reading the page map. It is not on the stack, which may move
// while the system knows its address.
type scanner struct {
	request scanArguments
	found   [32]scanRegion
	entries [512 * 8]byte
}

// copies appends the spans of a range's beginning where the process has its own copies of a
// file's pages. False means: the system did not answer.
func (s *scanner) copies(mode Mode, part []byte, dst []span) ([]span, bool) {
	if mode == PageMapScan {
		return s.scan(part, dst)
	}
	return s.read(part, dst)
}

// scan lets the system look. A few regions at a time: more are asked for from
// where it stopped.
func (s *scanner) scan(part []byte, dst []span) ([]span, bool) {
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(part))))
	s.request = scanArguments{
		size:  uint64(unsafe.Sizeof(s.request)),
		start: base, end: base + uint64(len(part)),
		vec: uint64(uintptr(unsafe.Pointer(&s.found))), vecLen: uint64(len(s.found)),
		inverted: scanFile, mask: scanFile, anyOf: scanPresent | scanSwapped, returned: scanFile,
	}
	for r := &s.request; r.start < r.end; r.start = r.walkEnd {
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(pageMap()), scanRequest, uintptr(unsafe.Pointer(r)))
		if errno != 0 || int(n) > len(s.found) || r.walkEnd <= r.start {
			return dst, false
		}
		for _, f := range s.found[:n] {
			dst = append(dst, span{int(f.start - base), int(f.end - base)})
		}
	}
	return dst, true
}

// read reads the map, a part of it at a time.
func (s *scanner) read(part []byte, dst []span) ([]span, bool) {
	first := uintptr(unsafe.Pointer(unsafe.SliceData(part))) / uintptr(SystemPage)
	for page, pages := 0, len(part)/SystemPage; page < pages; {
		want := s.entries[:min(8*(pages-page), len(s.entries))]
		if n, err := unix.Pread(pageMap(), want, 8*(int64(first)+int64(page))); err != nil || n != len(want) {
			return dst, false
		}
		for ; len(want) > 0; want, page = want[8:], page+1 {
			entry := binary.NativeEndian.Uint64(want)
			if entry&(pagePresent|pageSwapped) != 0 && entry&pageOfFile == 0 {
				dst = appendPage(dst, page*SystemPage)
			}
		}
	}
	return dst, true
}

// appendPage adds a page to the last span where it goes on.
func appendPage(dst []span, at int) []span {
	if n := len(dst); n > 0 && dst[n-1].to == at {
		dst[n-1].to += SystemPage
		return dst
	}
	return append(dst, span{at, at + SystemPage})
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

// Best is the system's best correct mode: sandboxes and emulated kernels may have no page map,
// or a meaningless one.
var Best = sync.OnceValue(func() Mode {
	for _, mode := range []Mode{PageMapScan, PageMapRead} {
		if mode.tells() {
			return mode
		}
	}
	return Untracked
})

// tells tries a mode on four pages of WebAssembly's: it must find the written ones, and nothing
// else, in a memory never touched and in one only read.
func (mode Mode) tells() bool {
	if PageSize%SystemPage != 0 || pageMap() < 0 {
		return false
	}
	bytes := make([]byte, 4*PageSize)
	for at := range bytes {
		bytes[at] = byte(at/SystemPage + 1)
	}
	t := Tracked{Region: Reserve(8*PageSize, nil)}
	if t.Region == nil {
		return false
	}
	defer t.Release()
	i, _ := NewImage(bytes, nil)
	defer i.Drop()
	t.Adopt(i, mode)
	if t.mode != mode || !t.look() || len(t.copies) != 0 || t.all[PageSize] != bytes[PageSize] {
		return false
	}
	last := len(bytes) - SystemPage
	t.all[0], t.all[last] = 7, 7
	want := [2]span{{0, SystemPage}, {last, len(bytes)}}
	if !t.look() || len(t.copies) != 2 || [2]span(t.copies) != want {
		return false
	}
	t.Restore(true)
	return t.all[0] == bytes[0] && t.all[last] == bytes[last]
}
