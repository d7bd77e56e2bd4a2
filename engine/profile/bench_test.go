package profile_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/engine/profile"
)

// BenchmarkDecide times one decision, by kind of pattern and size of action.
func BenchmarkDecide(b *testing.B) {
	open := func(p ...string) profile.Profile { return profile.Profile{Allow: p} }
	for _, c := range []struct {
		name   string
		p      profile.Profile
		action string
	}{
		{"plain", open("tool:bash:npm .*"), "tool:bash:npm run build"},
		{"program", open("tool:bash:(?:npm|yarn) (?:test|run [a-z:]+)"), "tool:bash:npm run build"},
		{"look", open("tool:bash:(?!.*[;&|])npm .*"), "tool:bash:npm run build"},
		{"memory", open(`tool:bash:echo (["']).*\1`), `tool:bash:echo "hello"`},
		{"program-1MiB", open("(?s)tool:bash:(?:.|x)*"), "tool:bash:" + strings.Repeat("a", 1<<20)},
		{"plain-1MiB", open("(?s)tool:bash:.*"), "tool:bash:" + strings.Repeat("a", 1<<20)},
		{"steps", open("tool:bash:(?:a?){300}a{300}b"), "tool:bash:" + strings.Repeat("a", 100_000)},
		{"words", open(`tool:bash:(?:\w+\W*)*;`), "tool:bash:" + strings.Repeat("aé ", 100_000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			compiled := compiled(b, c.p)
			b.ReportAllocs()
			for b.Loop() {
				compiled.Decide([]string{c.action})
			}
		})
	}
}
