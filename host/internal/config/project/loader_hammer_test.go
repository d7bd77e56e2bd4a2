//go:build unix

package project_test

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/config/project"
)

// TestLoader_hammer reads one file from many goroutines while it is replaced:
// every answer is one of the versions, whole.
func TestLoader_hammer(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write(t, root, "deny: [V0, W0]\n")
	l := &project.Loader{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 200 {
				f, err := l.Load(t.Context(), root)
				if err != nil || len(f.Rules) != 2 || f.Rules[0].Tool[1:] != f.Rules[1].Tool[1:] {
					t.Errorf("got %v, %v, want both rules of one version", f.Rules, err)
					return
				}
			}
		})
	}
	for i := range 50 {
		next := filepath.Join(root, "next")
		mustDo(t, os.WriteFile(next, fmt.Appendf(nil, "deny: [V%d, W%d]\n", i, i), 0o600))
		mustDo(t, os.Rename(next, filepath.Join(root, project.Name)))
	}
	wg.Wait()
}
