package card_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/card"
)

func BenchmarkRender(b *testing.B) {
	cases := []struct{ name, command string }{
		{"short", "npm run build"},
		{"1MB", strings.Repeat("echo привет <b>\n", 50_000)},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			a := bash(c.command)
			b.ReportAllocs()
			for b.Loop() {
				card.Terminal(card.Render(a, noon), 80, false)
			}
		})
	}
}
