package sandbox

import "github.com/tetratelabs/wazero/experimental"

// tracker is a linear memory that knows which of its pages differ from the
// snapshot it began as, so that restoring costs by what a call wrote and not by
// how much memory there is. Where the system has no such thing, newTracker
// returns nil, and all of the memory is copied back.
type tracker interface {
	experimental.LinearMemory
	// adopt lays the memory out as the image; false leaves it as it was.
	adopt(*image) bool
	// restore undoes what was written since; false when it could not tell.
	restore(*image) bool
	// release gives the memory back to the system. Free does not, because wazero
	// calls it while the guest that exits is still on the stack.
	release()
}

// image is the memory of a snapshot.
type image struct {
	bytes  []byte
	shared sharedImage
}
