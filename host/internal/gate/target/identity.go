package target

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/callgate/callgate/engine"
)

// Identity identifies the file at one place, different after a replacement at the same path.
// The zero Identity is nothing at all. Threat T11.
type Identity struct {
	// File is the device and the number of the file, link or directory.
	File string
	// Content is, for a file to run, its SHA-256 up to 16 MiB; for a larger file, and an
	// unreadable one, its size and time.
	Content string
	// Error says why it could not be looked at.
	Error string
}

// Identifier is a file system with identities of files. OS() is one on unix.
type Identifier interface {
	// Identify returns the state of the file at path. A link is not followed. Nothing there is
	// fs.ErrNotExist.
	Identify(path string) (Stat, error)
	// Sum returns the SHA-256 in hex of the regular file at path, which must not be a link and
	// hold at most limit bytes, and the identity of the file read, as from Identify. It ends
	// early with an error once ctx has ended.
	Sum(ctx context.Context, path string, limit int64) (sum, file string, err error)
}

// Stat is the state of a file.
type Stat struct {
	// File is the device and the number.
	File string
	// State is the size and the time of the last change, as text.
	State   string
	Size    int64
	Regular bool
}

// The bounds of Identify. Source: threat T11.
const (
	maxSum      = 16 << 20 // bytes of one file
	maxSums     = 64 << 20 // bytes of all files of a call
	identifying = 2 * time.Second
)

var errNoIdentity = errors.New("this system cannot distinguish files")

// Identify returns the identities of cwd, unless it is empty, and of each of the resolved
// targets, in their order. A target other than a path, or an unresolved one, has the zero
// Identity. It takes two seconds of its own time at most (see patient and enter for a crowded
// machine): on an error nothing is known.
func (r *Resolver) Identify(ctx context.Context, cwd string, targets []engine.Target) ([]Identity, error) {
	ids, ok := r.FS.(Identifier)
	if !ok {
		return nil, errNoIdentity
	}
	return run(ctx, r, identifying, func(w *walker) ([]Identity, error) {
		i := identifier{walker: w, ids: ids, left: maxSums}
		out := make([]Identity, 0, len(targets)+1)
		out = append(out, i.directory(cwd))
		for _, t := range targets {
			out = append(out, i.target(t))
		}
		return out, w.late()
	})
}

// identifier takes the identities of one call.
type identifier struct {
	*walker
	ids  Identifier
	left int64 // bytes left to read
}

func (i *identifier) directory(cwd string) Identity {
	if cwd == "" {
		return Identity{}
	}
	f, err := i.follow(cwd, true)
	if err != nil {
		return Identity{Error: err.Error()}
	}
	return i.place(f.path, f.exists, false)
}

func (i *identifier) target(t engine.Target) Identity {
	if t.Kind != "path" || t.Error != "" {
		return Identity{}
	}
	return i.place(t.Resolved, t.Exists, t.Access == "run")
}

// place looks at a resolved path. A path through a missing name is nothing.
func (i *identifier) place(path string, exists, content bool) Identity {
	if !exists {
		return Identity{}
	}
	if err := i.ctx.Err(); err != nil {
		return Identity{Error: errTooSlow.Error()}
	}
	defer i.ctx.steps.Add(1)
	st, err := i.ids.Identify(path)
	if err != nil {
		return Identity{Error: err.Error()}
	}
	if !content || !st.Regular {
		return Identity{File: st.File}
	}
	return i.content(path, st)
}

// content is the identity of a regular file to run.
func (i *identifier) content(path string, st Stat) Identity {
	large := Identity{File: st.File, Content: st.State + fmt.Sprintf(" (no digest: above %d MiB, or %d for the whole call)", maxSum>>20, maxSums>>20)}
	limit := min(maxSum, i.left)
	if st.Size > limit {
		return large
	}
	i.left -= st.Size
	sum, read, err := i.ids.Sum(i.ctx, path, limit)
	switch {
	case i.ctx.Err() != nil:
		return Identity{Error: errTooSlow.Error()}
	case errors.Is(err, errTooLarge):
		return large
	case err != nil:
		return Identity{File: st.File, Content: st.State + " (no digest: it cannot be read)"}
	case read != st.File:
		return Identity{Error: "another file took its place while it was looked at"}
	}
	return Identity{File: st.File, Content: "sha256:" + sum}
}
