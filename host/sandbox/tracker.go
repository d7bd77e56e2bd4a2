package sandbox

import "os"

// tracking is how a system tells which pages of a memory were written.
type tracking int

const (
	// untracked systems tell nothing: all of the memory is compared.
	untracked tracking = iota
	// pageMapRead is Linux: one word for each page, to be read from a file.
	pageMapRead
	// pageMapScan is Linux since 6.7: it looks for the pages itself.
	pageMapScan
)

// tracker is a linear memory that can be put back to the image it began as, at
// a cost that goes by what a call wrote and not by how much memory there is.
//
// The beginning of the region maps the image's file privately. The first write
// to a page makes the system copy it, which costs more than fifty copies of ours; so
// a page that is a copy stays one, and is put back by comparing and copying. The
// page map says which pages are copies, and is asked only when the thread that
// ran the guest took a page fault.
type tracker struct {
	*region
	image  *image
	mode   tracking
	copies []span // the pages known to be copies
	wasted int    // pages compared that nobody had written, since the last remap

	scanner *scanner
}

// span is a range of bytes made of whole pages.
type span struct{ from, to int }

// The price of a page fault that copies, in pages compared, and what a remap
// costs by itself: measured on two virtual machines, 40 to 60.
const (
	faultPrice = 50
	remapPrice = 16 * faultPrice
)

var pageSize = os.Getpagesize()

// adopt lays the memory out as the image and counts it. The region must not
// have been written to beyond the image.
func (t *tracker) adopt(i *image, mode tracking) {
	t.image, t.copies, t.wasted = i.hold(), nil, 0
	t.mode = untracked
	switch {
	case mode != untracked && i.file.lay(t.all, len(i.bytes)):
		t.mode, t.scanner = mode, &scanner{}
	default:
		copy(t.all, i.bytes)
	}
}

// restore undoes what was written to the image's part. quiet tells that no page
// fault was taken since the last restore.
func (t *tracker) restore(quiet bool) {
	if t.mode == untracked || !quiet && !t.look() {
		t.putBack(span{0, len(t.image.bytes)})
		return
	}
	written, pages := 0, 0
	for _, s := range t.copies {
		written += t.putBack(s)
		pages += (s.to - s.from) / pageSize
	}
	// A call that wrote to very many pages must not make all later ones dear.
	if t.wasted += pages - written; t.wasted > faultPrice*written+remapPrice {
		t.remap()
	}
}

// putBack copies the pages of a span that differ from the image and returns
// their number.
func (t *tracker) putBack(s span) (written int) {
	return copyBack(t.all[s.from:s.to], t.image.bytes[s.from:s.to])
}

// look asks the page map for the copies.
func (t *tracker) look() (ok bool) {
	t.copies, ok = t.scanner.copies(t.mode, t.all[:len(t.image.bytes)], t.copies[:0])
	return ok
}

// private returns how many bytes are known to be the region's own copies.
func (t *tracker) private() (size int) {
	for _, s := range t.copies {
		size += s.to - s.from
	}
	return size
}

// remap gives all copies back to the system: the memory is the image again.
func (t *tracker) remap() {
	if t.mode != untracked {
		t.discard(0, len(t.image.bytes)) // of what is mapped there already
		t.copies, t.wasted = t.copies[:0], 0
	}
}

// release gives the memory back, and the image.
func (t *tracker) release() {
	if t.region != nil {
		t.region.release()
	}
	if t.image != nil {
		t.image.drop()
		t.image = nil
	}
}
