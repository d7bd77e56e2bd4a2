package link

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

// once lets an interaction be answered once. An answer that was surely not taken, for
// what it holds, leaves room for a plainer one.
func once(f func(context.Context, Response) error) func(context.Context, Response) error {
	var mu sync.Mutex
	done := false
	begin := func() bool {
		mu.Lock()
		defer mu.Unlock()
		was := done
		done = true
		return !was
	}
	return func(ctx context.Context, r Response) error {
		if !begin() {
			return ErrAnswered
		}
		err := f(ctx, r)
		if refused(err) {
			mu.Lock()
			done = false
			mu.Unlock()
		}
		return err
	}
}

// refused tells that what was sent was surely not taken, for what it holds.
func refused(err error) bool {
	var e *Error
	return errors.Is(err, ErrUnsound) || errors.As(err, &e) && e.Status == http.StatusBadRequest && !errors.Is(err, ErrAnswered)
}
