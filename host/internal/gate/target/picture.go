package target

import (
	"context"
	"errors"
	"io/fs"
	"sync"
)

// picture hands what one look-up of a call saw to the next one, so that all of them judge the
// same state of the disk and ask the kernel once for each path.
type picture struct {
	mu sync.Mutex
	// of is the resolver whose file system was looked at.
	of   *Resolver
	seen map[string]node
	turn uint32
}

type pictureKey struct{}

// OnePicture returns a context whose look-ups through one resolver see each path once; one that has
// a picture stays as it is. It is for gathering the facts of one call, and not for a second look at
// them, and for past calls that are decided again together.
func OnePicture(ctx context.Context) context.Context {
	if ctx.Value(pictureKey{}) != nil {
		return ctx
	}
	return context.WithValue(ctx, pictureKey{}, &picture{})
}

// take gives what was seen before to one look-up alone: a look-up left behind in the kernel keeps it.
func take(ctx context.Context, r *Resolver) (p *picture, seen map[string]node, turn uint32) {
	p, ok := ctx.Value(pictureKey{}).(*picture)
	if !ok {
		return nil, map[string]node{}, 1
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of == nil {
		p.of = r
	}
	if p.of != r {
		return nil, map[string]node{}, 1
	}
	p.turn++
	if seen, p.seen = p.seen, nil; seen == nil {
		seen = map[string]node{}
	}
	return p, seen, p.turn
}

// give returns it after the look-up has ended.
func (p *picture) give(seen map[string]node) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seen = seen
}

// holds reports whether an earlier look-up's answer is this one's as well. Each has its own borders.
func (w *walker) holds(p string, n node) bool {
	return (n.err == nil || errors.Is(n.err, fs.ErrNotExist)) && w.border(p) == nil
}
