package link

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

// once lets an interaction be answered once. An answer surely refused for its content leaves
// room for a plainer one.
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

// refused reports that a message was surely refused for its content.
func refused(err error) bool {
	var e *Error
	return errors.Is(err, ErrUnsound) || errors.As(err, &e) && e.Status == http.StatusBadRequest && !errors.Is(err, ErrAnswered)
}
