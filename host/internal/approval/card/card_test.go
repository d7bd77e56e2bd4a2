package card_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/testkit/asktest"
	"github.com/callgate/callgate/host/internal/testkit/golden"
)

// The asks of these tests.
var (
	noon = asktest.Noon
	bash = asktest.Bash
)

// common are the kinds that people answer every day; maxLines is how tall they are at most.
var common = []string{"plain", "install", "edit", "fetch", "mcp", "command", "safety-shell", "secret", "ask-rule", "project-file", "safety-rule", "changed", "folder"}

const maxLines = 14

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, a := range asktest.Kinds() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			drawn := card.Terminal(card.Render(a, noon.Add(14*time.Second)), 80, false)
			golden.Check(t, name, drawn)
			if n := strings.Count(drawn, "\n"); n > maxLines && slices.Contains(common, name) {
				t.Errorf("%d lines, want at most %d", n, maxLines)
			}
			a.TakesInput = true // a key more
			if n := strings.Count(card.Terminal(card.Render(a, noon), 80, true), "\n"); n > maxLines && slices.Contains(common, name) {
				t.Errorf("%d lines where its input can be changed, want at most %d", n, maxLines)
			}
		})
	}
	t.Run("narrow", func(t *testing.T) {
		t.Parallel()
		golden.Check(t, "narrow", card.Terminal(card.Render(asktest.Kinds()["hostile"], noon), 40, false))
	})
	t.Run("color", func(t *testing.T) {
		t.Parallel()
		golden.Check(t, "color", card.Terminal(card.Render(asktest.Kinds()["safety"], noon), 80, true))
	})
	t.Run("full", func(t *testing.T) {
		t.Parallel()
		golden.Check(t, "full", card.Full(asktest.Kinds()["safety"]))
	})
}
