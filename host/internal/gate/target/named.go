package target

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
)

// Bounds of what a pattern may cost: the names looked at for all patterns of a call (package modules
// counts them as its workOfNames), and the links told of one.
const (
	maxListed = 4096
	maxLinks  = 32
)

var errWide = errors.New("the pattern names more files than are looked at")

// linksOf returns the links that a pattern names, or leads through, each as one more target of the
// pattern's own value: cat docs/* shows what a link in docs leads to. A shell may name fewer files
// by it, never others. RATIONALE.md, "Which links does a pattern name?".
func (j *judge) linksOf(t engine.Target) []engine.Target {
	if t.Kind != "path" || t.Error != "" || !strings.ContainsAny(t.Value, "*?[") {
		return nil
	}
	written, err := j.absolute(t.Value)
	if err != nil {
		return nil
	}
	first := strings.IndexAny(written, "*?[")
	dir := written[:strings.LastIndexByte(written[:first], '/')+1]
	n := namer{judge: j}
	err = n.expand(path.Clean(dir), strings.Split(strings.Trim(written[len(dir):], "/"), "/"), false)
	out := make([]engine.Target, 0, len(n.links)+1)
	for _, at := range n.links {
		one := engine.Target{Kind: t.Kind, Value: at, Access: t.Access}
		if err := j.resolve(&one); err != nil {
			one = engine.Target{Kind: t.Kind, Access: t.Access, Error: err.Error()}
		}
		one.Value, one.Claimed = t.Value, t.Claimed
		out = append(out, one)
	}
	if err != nil {
		out = append(out, engine.Target{Kind: t.Kind, Value: t.Value, Access: t.Access, Error: err.Error()})
	}
	return out
}

// namer finds the links that one pattern names.
type namer struct {
	*judge
	links []string
}

// expand looks for the rest of a pattern in a directory, as written and without a pattern of its
// own. linked means: a link was met on the way.
func (n *namer) expand(dir string, rest []string, linked bool) error {
	if len(rest) == 0 {
		if linked && !slices.Contains(n.links, dir) {
			if len(n.links) == maxLinks {
				return errWide
			}
			n.links = append(n.links, dir)
		}
		return nil
	}
	segment, rest := rest[0], rest[1:]
	if segment == "" || segment == "." {
		return n.expand(dir, rest, linked)
	}
	real, err := n.follow(dir, true)
	switch {
	case errors.Is(err, errNoDirectory):
		return nil // nothing can be named there
	case err != nil:
		return err
	}
	names, deep := []string{segment}, segment == "**"
	if strings.ContainsAny(segment, "*?[") {
		if !n.mayList(real.path) {
			return nil
		}
		if names, err = n.names(real.path); err != nil {
			return err
		}
	}
	if deep {
		if err := n.expand(dir, rest, linked); err != nil {
			return err
		}
	}
	for _, name := range names {
		if !mayName(segment, name) {
			continue
		}
		at := n.look(below(real.path, name))
		if name == ".." {
			at = node{mode: fs.ModeDir}
		}
		if at.err == nil && at.mode&(fs.ModeSymlink|fs.ModeDir) == 0 && len(rest) > 0 {
			continue
		}
		if err := n.expand(below(dir, name), rest, linked || at.mode&fs.ModeSymlink != 0); err != nil {
			return err
		}
		if deep && at.mode&fs.ModeSymlink == 0 && (at.err != nil || at.mode&fs.ModeDir != 0) {
			if err := n.expand(below(dir, name), append([]string{segment}, rest...), linked); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayList reports whether a path may be a directory.
func (n *namer) mayList(p string) bool {
	at := n.look(p)
	return at.err != nil || at.mode&fs.ModeDir != 0
}

// names lists a directory; a missing one has none. A directory that is closed to this account may be
// open to the caller's, so it is an error.
func (n *namer) names(dir string) ([]string, error) {
	if err := n.border(dir); err != nil {
		return nil, err
	}
	names, err := n.fs.Names(dir, maxListed-n.listed)
	n.ctx.steps.Add(1)
	n.listed += len(names)
	switch {
	case errors.Is(err, errTooMany) || n.ctx.Err() != nil:
		return nil, errWide
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	}
	return names, err
}

// mayName reports whether a shell may take a segment of a pattern for the name.
func mayName(segment, name string) bool {
	if strings.ContainsAny(segment, `[\(`) {
		return true // shells differ
	}
	ok, err := path.Match(segment, name)
	return ok || err != nil
}
