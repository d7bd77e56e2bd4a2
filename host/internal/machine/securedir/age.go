package securedir

import (
	"crypto/rand"
	"io/fs"
	"time"
)

// abandoned is the age of a part file left by a dead process.
const abandoned = time.Hour

func (d *Dir) removeOld(part fs.FileInfo) {
	if time.Since(part.ModTime()) > abandoned {
		_ = d.root.Remove(part.Name()) // tried again another time
	}
}

// Used marks a file as used now, by its time of change.
func (d *Dir) Used(name string) {
	now := time.Now()
	_ = d.root.Chtimes(name, now, now) // the order of use is a matter of economy only
}

func randomName() string { return rand.Text() }
