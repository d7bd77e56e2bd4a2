package memory

import (
	"bytes"
	"os"
)

// Mode is how a system tells which pages of a memory were written.
type Mode int

const (
	// Untracked systems tell nothing: all of the memory is compared.
	Untracked Mode = iota
	// PageMapRead is Linux: one word for each page, to be read from a file.
	PageMapRead
	// PageMapScan is Linux since 6.7: it looks for the pages itself.
	PageMapScan
)

// Tracked is a linear memory that can be put back to the image it began as, at
// a cost that goes by what a call wrote and not by how much memory there is.
//
// The beginning of the region maps the image's file privately. The first write
// to a page makes the system copy it, which costs more than fifty copies of ours; so
// a page that is a copy stays one, and is put back by comparing and copying. The
// page map says which pages are copies, and is asked only when the thread that
// ran the guest took a page fault: see Faults.
//
// The zero Tracked is a module without memory. One goroutine at a time uses it.
type Tracked struct {
	*Region
	image  *Image
	mode   Mode
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

// SystemPage is the size of one of the system's pages, in bytes.
var SystemPage = os.Getpagesize()

// Adopt lays the memory out as the image, which it holds from now on. The region must not
// have been written to beyond the image.
func (t *Tracked) Adopt(i *Image, mode Mode) {
	t.image, t.copies, t.wasted = i.Hold(), nil, 0
	t.mode = Untracked
	switch {
	case mode != Untracked && i.file.lay(t.all, len(i.bytes)):
		t.mode, t.scanner = mode, &scanner{}
	default:
		copy(t.all, i.bytes)
	}
}

// Restore undoes what was written to the image's part. quiet tells that no page
// fault was taken since the last restore.
func (t *Tracked) Restore(quiet bool) {
	if t.mode != Untracked && !quiet && !t.look() {
		t.mode = Untracked // a copy that is not known now is written to later without a fault
	}
	if t.mode == Untracked {
		t.putBack(span{0, len(t.image.bytes)})
		return
	}
	written, pages := 0, 0
	for _, s := range t.copies {
		written += t.putBack(s)
		pages += (s.to - s.from) / SystemPage
	}
	// A call that wrote to very many pages must not make all later ones dear.
	if t.wasted += pages - written; t.wasted > faultPrice*written+remapPrice {
		t.Remap()
	}
}

// putBack copies the pages of a span that differ from the image and returns
// their number.
func (t *Tracked) putBack(s span) (written int) {
	return CopyBack(t.all[s.from:s.to], t.image.bytes[s.from:s.to])
}

// look asks the page map for the copies.
func (t *Tracked) look() (ok bool) {
	t.copies, ok = t.scanner.copies(t.mode, t.all[:len(t.image.bytes)], t.copies[:0])
	return ok
}

// Mode is how the memory is put back.
func (t *Tracked) Mode() Mode { return t.mode }

// Image is what the memory is put back to; nil before Adopt.
func (t *Tracked) Image() *Image { return t.image }

// Private returns how many bytes are known to be the region's own copies.
func (t *Tracked) Private() (size int) {
	for _, s := range t.copies {
		size += s.to - s.from
	}
	return size
}

// Remap gives all copies back to the system: the memory is the image again.
func (t *Tracked) Remap() {
	if t.mode == Untracked {
		return
	}
	image := span{0, len(t.image.bytes)}
	if !discardRange(t.all[:image.to]) {
		t.putBack(image) // they stay ours
		return
	}
	t.copies, t.wasted = t.copies[:0], 0
}

// Release gives the memory back, and the image.
func (t *Tracked) Release() {
	if t.Region != nil {
		t.Region.Release()
	}
	if t.image != nil {
		t.image.Drop()
		t.image = nil
	}
}

// CopyBack makes have what want is and returns the number of pages that were not.
func CopyBack(have, want []byte) (written int) {
	for at := 0; at < len(want); at += SystemPage {
		end := min(at+SystemPage, len(want))
		if !bytes.Equal(have[at:end], want[at:end]) {
			copy(have[at:end], want[at:end])
			written++
		}
	}
	return written
}
