package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
)

// maxEarly bounds what the packages allocate that are initialised before an installed
// hook runs, in bytes. All packages of the program allocate 1.8 MB. Of the 600 KB now,
// 140 are Prometheus's, whose paths sort before golang.org/x, which the hook needs.
const maxEarly = 640 << 10

// TestHook_startsFirst: an installed hook runs before the packages that it does not need
// are initialised.
func TestHook_startsFirst(t *testing.T) {
	t.Parallel()
	const timeout = 20 * time.Second
	hook := startHook(t, []string{"callgate", "hook", "claude-code", "--endpoint", "unix:/nonexistent/s", "--token-file", "/nonexistent/token"},
		calls(t, claudecode.PreToolUse, "toolu_1", "ls"), "GODEBUG=inittrace=1")
	wantEffect(t, claudecode.PreToolUse, hook.end(timeout), runner.Blocked)
	bytes, seen := 0, map[string]bool{}
	for line := range strings.Lines(hook.err.String()) {
		var name, after string
		var clock float64
		var size int
		if n, _ := fmt.Sscanf(line, "init %s @%s ms, %f ms clock, %d bytes", &name, &after, &clock, &size); n == 4 {
			seen[name], bytes = true, bytes+size
		}
	}
	if !seen["runtime"] || bytes > maxEarly {
		t.Errorf("%d packages allocate %d bytes before the hook runs, want at most %d", len(seen), bytes, maxEarly)
	}
	for _, late := range []string{
		"net/http", "github.com/google/jsonschema-go/jsonschema", "modernc.org/sqlite", module + "host/internal/store", module + "host/internal/gate",
		module + "host/internal/modules", module + "host/internal/discord/link", module + "host/internal/testkit/discordtest",
	} {
		if seen[late] {
			t.Errorf("%s is initialised before the hook runs", late)
		}
	}
}

// module is where the packages of the program are.
const module = "github.com/callgate/callgate/"
