package target

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // git names content so
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"

	"github.com/callgate/callgate/engine"
)

// The bounds of what is read to tell whether content is recoverable; beyond one of them
// nobody knows.
const (
	maxIndex   = 16 << 20
	maxTracked = 1 << 20
	maxBelow   = 64
)

// Recoverable tells of resolved paths whether git has their content: each file is in
// the index and is what the index says. No git runs. Filters make a file differ from
// what git keeps, so that one of equal size is unknown rather than changed.
// docs/effects.md, "What the host adds".
func (r *Resolver) Recoverable(ctx context.Context, paths []string) []engine.Recoverable {
	out := make([]engine.Recoverable, len(paths))
	found, err := run(ctx, r, r.limits().Time, func(w *walker) ([]engine.Recoverable, error) {
		k := keeper{w, map[string]*gitIndex{}, map[string]bool{}}
		list := make([]engine.Recoverable, len(paths))
		for i, p := range paths {
			left := maxBelow
			list[i] = k.path(p, &left)
		}
		return list, w.late()
	})
	if err == nil {
		copy(out, found)
	}
	return out
}

// keeper looks at files and the indexes of their repositories.
type keeper struct {
	*walker
	indexes map[string]*gitIndex
	broken  map[string]bool
}

// path judges a file, or a directory by all files below it, of which left may be looked
// at.
func (k keeper) path(p string, left *int) engine.Recoverable {
	root := k.factsAt(path.Dir(p)).root
	if root == "" || !strings.HasPrefix(p, strings.TrimSuffix(root, "/")+"/") || k.ctx.Err() != nil {
		return ""
	}
	name := strings.TrimPrefix(p[len(strings.TrimSuffix(root, "/")):], "/")
	if name == ".git" || strings.HasPrefix(name, ".git/") {
		return ""
	}
	ix := k.index(root)
	if ix == nil {
		return ""
	}
	n := k.look(p)
	switch {
	case n.err != nil:
		return ""
	case n.mode&fs.ModeDir != 0:
		return k.directory(ix, p, name, left)
	case !n.mode.IsRegular():
		return ""
	}
	entry, tracked := ix.find(name)
	if !tracked {
		return engine.RecoverableNo
	}
	data, err := k.fs.ReadSmall(p, maxTracked)
	switch {
	case err != nil || entry.odd:
		return ""
	case blobSum(data) == entry.sum:
		return engine.RecoverableYes
	case int(entry.size) == len(data):
		return ""
	}
	return engine.RecoverableNo
}

func (k keeper) directory(ix *gitIndex, p, name string, left *int) engine.Recoverable {
	if !ix.below(name + "/") {
		return engine.RecoverableNo
	}
	names, err := k.fs.Names(p, maxBelow)
	if err != nil {
		return ""
	}
	slices.Sort(names)
	answer := engine.RecoverableYes
	for _, one := range names {
		if *left--; *left < 0 {
			return ""
		}
		switch k.path(path.Join(p, one), left) {
		case engine.RecoverableNo:
			return engine.RecoverableNo
		case "":
			answer = ""
		}
	}
	return answer
}

// index reads the index of a repository once; nil when it cannot be read.
func (k keeper) index(root string) *gitIndex {
	if ix, ok := k.indexes[root]; ok || k.broken[root] {
		return ix
	}
	k.broken[root] = true
	dir, ok := k.gitDir(path.Join(root, ".git"), root)
	if !ok {
		return nil
	}
	data, err := k.fs.ReadSmall(path.Join(dir, "index"), maxIndex)
	if err != nil {
		return nil
	}
	if ix, err := parseIndex(data); err == nil {
		k.indexes[root] = ix
	}
	return k.indexes[root]
}

// blobSum is git's name of a file's content.
func blobSum(data []byte) [sha1.Size]byte {
	return sha1.Sum(append(fmt.Appendf(nil, "blob %d\x00", len(data)), data...)) //nolint:gosec // as above
}

// gitIndex are the tracked files of a repository, by name.
type gitIndex struct{ entries []indexEntry }

type indexEntry struct {
	name string
	sum  [sha1.Size]byte
	size uint32
	// odd tells that the entry is no plain file as it was added: a conflict, a link, a
	// submodule, a file of which only the name was added.
	odd bool
}

func (ix *gitIndex) at(name string) int {
	return sort.Search(len(ix.entries), func(i int) bool { return ix.entries[i].name >= name })
}

func (ix *gitIndex) find(name string) (indexEntry, bool) {
	if i := ix.at(name); i < len(ix.entries) && ix.entries[i].name == name {
		return ix.entries[i], true
	}
	return indexEntry{}, false
}

// below reports whether a tracked name begins with a prefix.
func (ix *gitIndex) below(prefix string) bool {
	i := ix.at(prefix)
	return i < len(ix.entries) && strings.HasPrefix(ix.entries[i].name, prefix)
}

var errIndex = errors.New("unreadable git index")

// parseIndex reads versions 2 to 4 with SHA-1. Source: gitformat-index(5). An index that
// is split, or of which a part is missing, is refused.
func parseIndex(data []byte) (*gitIndex, error) {
	const fixed = 62 // ten numbers, the sum, the flags
	if len(data) < 12+sha1.Size || string(data[:4]) != "DIRC" {
		return nil, errIndex
	}
	version, count := binary.BigEndian.Uint32(data[4:]), int(binary.BigEndian.Uint32(data[8:]))
	body := data[12 : len(data)-sha1.Size]
	if version < 2 || version > 4 || count > len(body)/fixed || sha1.Sum(data[:len(data)-sha1.Size]) != [sha1.Size]byte(data[len(data)-sha1.Size:]) { //nolint:gosec // as above
		return nil, errIndex
	}
	ix, name := &gitIndex{entries: make([]indexEntry, 0, count)}, ""
	for range count {
		if len(body) < fixed+2 {
			return nil, errIndex
		}
		mode, size := binary.BigEndian.Uint32(body[24:]), binary.BigEndian.Uint32(body[36:])
		flags, head := binary.BigEndian.Uint16(body[60:]), fixed
		odd := flags&0x3000 != 0 || mode>>12 != 8
		if flags&0x4000 != 0 {
			odd, head = true, fixed+2
		}
		rest := body[head:]
		if version == 4 {
			cut, n := stripped(rest)
			if n == 0 || cut > len(name) {
				return nil, errIndex
			}
			name, rest, head = name[:len(name)-cut], rest[n:], head+n
		} else {
			name = ""
		}
		end := bytes.IndexByte(rest, 0)
		if end < 0 {
			return nil, errIndex
		}
		name += string(rest[:end])
		next := head + end + 1
		if version < 4 {
			next = (head + end + 8) &^ 7
		}
		if next > len(body) || len(ix.entries) > 0 && ix.entries[len(ix.entries)-1].name > name {
			return nil, errIndex
		}
		ix.entries = append(ix.entries, indexEntry{name, [sha1.Size]byte(body[40:60]), size, odd})
		body = body[next:]
	}
	for len(body) >= 8 {
		// An extension that git must know, such as a split index, has a small letter.
		size := binary.BigEndian.Uint32(body[4:])
		if body[0] < 'A' || body[0] > 'Z' || int64(size) > int64(len(body)-8) {
			return nil, errIndex
		}
		body = body[8+size:]
	}
	return ix, nil
}

// stripped reads the number of bytes that version 4 takes from the name before; n is how
// many bytes the number has, 0 for none.
func stripped(data []byte) (cut, n int) {
	for n < len(data) && n < 5 {
		b := data[n]
		n++
		cut |= int(b & 0x7f)
		if b < 0x80 {
			return cut, n
		}
		cut = (cut + 1) << 7
	}
	return 0, 0
}
