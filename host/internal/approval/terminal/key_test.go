package terminal

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func TestKey(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typed, want string
	}{
		"one of them":       {"2", "2"},
		"upper case":        {"B", "b"},
		"others are none":   {"x\r9 \x1b[1~b", "b"},
		"the terminal ends": {"x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var screen bytes.Buffer
			got, ok := New(strings.NewReader(tt.typed), &screen).Key(t.Context(), "Your key: ", []string{"1", "2", "b"})
			if got != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %t, want %q", got, ok, tt.want)
			}
			if !strings.HasPrefix(screen.String(), "Your key: "+tt.want) || !strings.HasSuffix(screen.String(), "\n") {
				t.Errorf("screen: got %q", screen.String())
			}
		})
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	var screen bytes.Buffer
	terminal := New(strings.NewReader(" not on a Friday \rleft"), &screen)
	if got, ok := terminal.Line(t.Context(), "Why? "); got != "not on a Friday" || !ok || screen.String() != "Why? " {
		t.Errorf("got %q, %t, screen %q", got, ok, screen.String())
	}
	if got, ok := terminal.Line(t.Context(), "Why? "); got != "" || ok {
		t.Errorf("a line that does not end: got %q, %t", got, ok)
	}
}

func TestKeyEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var screen bytes.Buffer
	terminal := New(blocked{}, &screen)
	if key, ok := terminal.Key(ctx, "", []string{"1"}); ok {
		t.Errorf("Key: got %q, want none", key)
	}
	if line, ok := terminal.Line(ctx, ""); ok {
		t.Errorf("Line: got %q, want none", line)
	}
}
