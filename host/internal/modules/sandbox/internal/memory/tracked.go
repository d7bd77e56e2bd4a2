package memory

import (
	"bytes"
	"os"
)

// Mode is a system's way to report the written pages of a memory.
type Mode int

const (
	// Untracked systems tell nothing: all of the memory is compared.
	Untracked Mode = iota
	// PageMapRead is Linux: one word for each page, to be read from a file.
	PageMapRead
	// PageMapScan is Linux since 6.7: it looks for the pages itself.
	PageMapScan
)

// Tracked is a linear memory restorable to its initial image, at a cost proportional to a
// call's writes and independent of the memory's size.
//
// The beginning of the region maps the image's file privately. The first write to a page makes
// the system copy it, which costs more than fifty copies of ours; so a copied page stays one,
// and is restored by comparing and copying. The page map lists the copied pages, and is read
// only when the guest's thread took a page fault: see Faults.
//
// The zero Tracked is a module without memory. One goroutine at a time uses it.
type Tracked struct {
	*Region
	image  *Image
	mode   Mode
	copies []span // the pages known to be copies
	wasted int    // unwritten pages compared since the last remap

	scanner *scanner
}

// span is a range of bytes made of whole pages.
type span struct{ from, to int }

// The price of a copying page fault, in pages compared, and of a remap by itself: measured on
// two virtual machines, 40 to 60.
const (
	faultPrice = 50
	remapPrice = 16 * faultPrice
)

// SystemPage is the size of one of the system's pages, in bytes.
var SystemPage = os.Getpagesize()

// Adopt lays the memory out as the image, and holds it from now on. The region must not have
// been written to beyond the image.
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

// Restore undoes the writes to the image's part. quiet means: no page fault was taken since the
// last restore. RATIONALE.md, "Why are pages that were written kept, and not given back?".
func (t *Tracked) Restore(quiet bool) {
	if t.mode != Untracked && !quiet && !t.look() {
		t.mode = Untracked // an unknown copy is written to later without a fault
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
	// A call with very many written pages must not slow down all later ones.
	if t.wasted += pages - written; t.wasted > faultPrice*written+remapPrice {
		t.Remap()
	}
}

// putBack copies the pages of a span different from the image and returns their number.
func (t *Tracked) putBack(s span) (written int) {
	return CopyBack(t.all[s.from:s.to], t.image.bytes[s.from:s.to])
}

// look asks the page map for the copies.
func (t *Tracked) look() (ok bool) {
	t.copies, ok = t.scanner.copies(t.mode, t.all[:len(t.image.bytes)], t.copies[:0])
	return ok
}

// Mode is the mode of restoring.
func (t *Tracked) Mode() Mode { return t.mode }

// Image is the image to restore; nil before Adopt.
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

// CopyBack makes have equal to want and returns the number of pages changed.
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
