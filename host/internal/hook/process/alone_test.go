package process

import (
	"bytes"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/hook/claudecode"
)

// TestAlone: without a hook's arguments the program says its version, or denies.
func TestAlone(t *testing.T) {
	t.Parallel()
	var out, failed bytes.Buffer
	if code := Alone("v1.2.3", []string{"version"}, &out, &failed); code != 0 || out.String() != "v1.2.3\n" || failed.Len() > 0 {
		t.Errorf("version: got code %d, %q, %q, want v1.2.3", code, &out, &failed)
	}
	for _, args := range [][]string{nil, {"--help"}, {"hook"}, {"hook", "claude-code"}, {"version", "x"}, {"hook", "claude-code", "--endpoint=unix:/s", "--token-file=/t"}} {
		out.Reset()
		failed.Reset()
		if code := Alone("v1.2.3", args, &out, &failed); code != claudecode.ExitDenied || out.Len() > 0 || !strings.HasPrefix(failed.String(), "Denied: ") {
			t.Errorf("%q: got code %d, %q, %q, want a denial", args, code, &out, &failed)
		}
	}
}
