package claudecode_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/hook/claudecode"
	"github.com/callgate/callgate/host/internal/hook/runner"
)

// TestAnswer_zero: an empty answer blocks.
func TestAnswer_zero(t *testing.T) {
	t.Parallel()
	wantEffect(t, claudecode.PreToolUse, give(t, claudecode.Answer{}), runner.Blocked)
	wantEffect(t, claudecode.UserPromptSubmit, give(t, claudecode.Answer{Event: claudecode.UserPromptSubmit}), runner.Runs)
	for _, event := range claudecode.Events()[:4] {
		o := give(t, claudecode.Answer{Event: event})
		want := map[claudecode.Event]runner.Effect{claudecode.PreToolUse: runner.Blocked, claudecode.PermissionRequest: runner.Blocked}[event]
		if want == 0 {
			want = runner.Told
		}
		wantEffect(t, event, o, want)
	}
}

// closedPipe is a stream without its reader.
type closedPipe struct{}

// Write implements io.Writer.
func (closedPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestAnswer_thatCannotBeWrittenDenies(t *testing.T) {
	t.Parallel()
	a := hookOf(allows()).Run(t.Context(), strings.NewReader(payload(nil)))
	var stderr bytes.Buffer
	if code := a.Give(closedPipe{}, &stderr); code != claudecode.ExitDenied || stderr.Len() == 0 {
		t.Errorf("got exit %d, stderr %q, want a denial", code, stderr.String())
	}
	if code := a.Give(closedPipe{}, closedPipe{}); code != claudecode.ExitDenied {
		t.Errorf("both closed: got exit %d, want 2", code)
	}
}

// FuzzReason: for any reason, the model gets one clean, non-empty line, in every form of a
// denial and in an allow.
func FuzzReason(f *testing.F) {
	f.Add("Denied: `rm -rf /` is on the list.")
	f.Add("")
	f.Add("\x1b[31mred\x1b]0;t\x07 \u202e\u200b \x00 two\r\nlines \xff")
	f.Add(strings.Repeat("é\u0301\n", 9000))
	f.Fuzz(func(t *testing.T, reason string) {
		var out, err bytes.Buffer
		code := claudecode.Deny(claudecode.PreToolUse, reason).Give(&out, &err)
		if code != claudecode.ExitDenied || !sameDenial(claudecode.PreToolUse, out.Bytes(), strings.TrimSuffix(err.String(), "\n")) {
			t.Fatalf("got exit %d, stdout %q, stderr %q", code, out.String(), err.String())
		}
		checkReason(t, strings.TrimSuffix(err.String(), "\n"))
		out.Reset()
		if code := claudecode.Deny(claudecode.PermissionRequest, reason).Give(&out, &err); code != 0 {
			t.Fatalf("a permission request: got exit %d", code)
		}
		var doc struct {
			Out struct{ Decision struct{ Message string } } `json:"hookSpecificOutput"`
		}
		if json.Unmarshal(out.Bytes(), &doc) != nil {
			t.Fatalf("not one document: %q", out.String())
		}
		checkReason(t, doc.Out.Decision.Message)
		d := decides(engine.Decision{Behavior: engine.Allow, Stage: engine.StageMode, Reason: reason})
		o := run(t, hookOf(d), payload(nil))
		wantEffect(t, claudecode.PreToolUse, o, runner.Allowed)
	})
}

func checkReason(t *testing.T, text string) {
	t.Helper()
	bad := strings.IndexFunc(text, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) })
	if text == "" || len(text) > 20_000 || !utf8.ValidString(text) || bad >= 0 {
		t.Fatalf("got %d bytes, a character to hide at %d: %.200q", len(text), bad, text)
	}
}
