package cli

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/daemon/assembly"
	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/plugins"
)

// TestOwnTools: no project can have the name of one of Callgate's own tools.
func TestOwnTools(t *testing.T) {
	t.Parallel()
	compiledtest.Modules(t)
	runtime, tools, err := assembly.OpenCatalog(context.Background(), assembly.Tools{Embedded: plugins.Modules(), CacheDir: compiledtest.Cache()}, config.Modules{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = runtime.Close(context.Background()) }() // the test is over
	var all, want []string
	for _, tool := range tools.Tools() {
		all = append(append(all, tool.Name), tool.Aliases...)
	}
	slices.Sort(all)
	for _, name := range all {
		if !strings.ContainsAny(name, "_*") && !slices.ContainsFunc(want, func(n string) bool { return strings.EqualFold(n, name) }) {
			want = append(want, name)
		}
	}
	if !slices.Equal(ownTools, want) {
		t.Errorf("got %q, want %q", ownTools, want)
	}
}
