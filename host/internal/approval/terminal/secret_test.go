package terminal

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestSecret(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typed, want string
		ok          bool
	}{
		"a line":                       {"4815 1623\r", "4815 1623", true},
		"blanks count":                 {" a \n", " a ", true},
		"corrected":                    {"48é\x7f15\b6\r", "4816", true},
		"nothing left to correct":      {"\x7f\x7fa\r", "a", true},
		"begun anew":                   {"abc\x15d\r", "d", true},
		"arrows are not typed":         {"a\x1b[Db\r", "ab", true},
		"nothing":                      {"\r", "", false},
		"the end of input":             {"abc\x04", "", false},
		"the terminal was closed":      {"abc", "", false},
		"control-C":                    {"abc\x03\r", "", false},
		"no more than a line can hold": {strings.Repeat("a", maxLine+5) + "\r", strings.Repeat("a", maxLine), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var screen bytes.Buffer
			term := New(strings.NewReader(tt.typed), &screen)
			restored := 0
			term.raw = func() (func(), error) { return func() { restored++ }, nil }
			term.interrupt = func() {}
			got, ok := term.Secret(t.Context(), "PIN: ")
			if got != tt.want || ok != tt.ok {
				t.Errorf("got %q, %t, want %q, %t", got, ok, tt.want, tt.ok)
			}
			if screen.String() != "PIN: \n" || restored != 1 {
				t.Errorf("screen %q, restored %d times, want nothing of the secret, and once", screen.String(), restored)
			}
		})
	}
}

func TestSecretEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, ok := New(blocked{}, &bytes.Buffer{}).Secret(ctx, "PIN: "); ok {
		t.Errorf("got %q, want nothing", got)
	}
}

// blocked is a keyboard without a typist.
type blocked struct{}

func (blocked) Read([]byte) (int, error) { select {} }
