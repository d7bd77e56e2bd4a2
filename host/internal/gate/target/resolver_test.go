package target_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

var place = target.Place{CWD: "/my/project", Home: "/home/dev", WorkingDirectories: []string{"/my/project"}}

// resolveOne resolves one path named in the input.
func resolveOne(t *testing.T, r *target.Resolver, p target.Place, value string) engine.Target {
	t.Helper()
	input, err := json.Marshal(map[string]string{"path": value})
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.Resolve(context.Background(), p, input, []engine.Target{{Kind: "path", Value: value, Access: "write"}})
	if err != nil {
		t.Fatalf("Resolve(%q): %v", value, err)
	}
	return got[0]
}

func TestResolve_links(t *testing.T) {
	t.Parallel()
	r := &target.Resolver{FS: target.Links(map[string]string{
		"/my/project/out":       "/etc",
		"/my/project/sub":       "lib/deep",
		"/my/project/link":      "sub",
		"/my/project/back":      "..",
		"/my/project/loop":      "loop2",
		"/my/project/loop2":     "loop",
		"/other/in":             "/my/project/lib",
		"/my/project/far":       "/far",
		"/far/back":             "/my/project/x",
		"/my/project/evil":      "/my/project/lib",
		"/my/project/proc":      "/proc/self/root",
		"/home/dev/project":     "/my/project",
		"/my/project/.bashrc":   "/home/dev/.bashrc",
		"/my/project/nul":       "/dev/null",
		"/my/project/lib/final": "/my/project/lib/other",
	})}
	tests := []struct {
		name, value, resolved, lexical, inside string
	}{
		{"plain", "a/b", "/my/project/a/b", "/my/project/a/b", "/my/project"},
		{"the directory itself", ".", "/my/project", "/my/project", "/my/project"},
		{"neighbour with the same beginning", "/my/project2/a", "/my/project2/a", "/my/project2/a", ""},
		{"link out", "out/passwd", "/etc/passwd", "/my/project/out/passwd", ""},
		{"dot dot after a link is where the link led", "sub/../x", "/my/project/lib/x", "/my/project/x", "/my/project"},
		{"dot dot after a link out, back in by name", "out/../my/project/x", "/my/project/x", "/my/project/my/project/x", "/my/project"},
		{"dot dot after nothing", "none/../x", "/my/project/x", "/my/project/x", "/my/project"},
		{"up and out", "../x", "/my/x", "/my/x", ""},
		{"a link to the parent", "back/x", "/my/x", "/my/project/back/x", ""},
		{"chain of relative links", "link/x", "/my/project/lib/deep/x", "/my/project/link/x", "/my/project"},
		{"from outside to inside", "/other/in/x", "/my/project/lib/x", "/other/in/x", ""},
		{"a link standing outside, reached through a link", "far/back", "/my/project/x", "/my/project/far/back", ""},
		{"cleaned path leads out, walked path stays in", "sub/../../y", "/my/project/y", "/my/y", ""},
		{"home", "~/.ssh/config", "/home/dev/.ssh/config", "/home/dev/.ssh/config", ""},
		{"home itself", "~", "/home/dev", "/home/dev", ""},
		{"home is never the way in", "~/project/x", "/my/project/x", "/home/dev/project/x", ""},
		{"link to a shell start file", ".bashrc", "/home/dev/.bashrc", "/my/project/.bashrc", ""},
		{"the null device", "/dev/null", "/dev/null", "/dev/null", ""},
		{"root", "/..", "/", "/", ""},
		{"link to a file inside", "lib/final", "/my/project/lib/other", "/my/project/lib/final", "/my/project"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := resolveOne(t, r, place, tt.value)
			if got.Resolved != tt.resolved || got.Lexical != tt.lexical || got.Inside != tt.inside || got.Error != "" {
				t.Errorf("got %+v,\nwant resolved %s, lexical %s, inside %q", got, tt.resolved, tt.lexical, tt.inside)
			}
		})
	}
}
