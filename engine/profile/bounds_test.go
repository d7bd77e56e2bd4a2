package profile_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/engine/profile"
)

// TestCatastrophicPatterns: patterns with exploding backtracking are either answered rightly or
// denied, in bounded time; running out says so.
func TestCatastrophicPatterns(t *testing.T) {
	t.Parallel()
	long := "tool:bash:" + strings.Repeat("a", 5000)
	linear := []string{"tool:bash:(a+)+b", "tool:bash:(a|aa)+$b", "tool:bash:(.*)*x", "tool:bash:(?:a?){25}a{25}c", "tool:bash:(?=(a+)+b)a+",
		`tool:bash:(?:[\w.-]+/?)+\.py`, "tool:bash:(?:(?!a*b).)*b", "tool:bash:(?:(?<=a)a|aa)*b"}
	for _, text := range linear {
		start := time.Now()
		if a := compiled(t, profile.Profile{Allow: []string{text}}).Decide([]string{long}); a.Behavior != engine.Deny || a.Note != "" {
			t.Errorf("%s: got %s, note %q; want a plain denial", text, a.Behavior, a.Note)
		}
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%s took %s", text, d)
		}
	}
	for _, text := range []string{`tool:bash:(a+)+\1b`, "tool:bash:(?>(a|aa)+b|(a|aa)+)+c", `tool:bash:(?:(a)|a)*b(?(1)x|y)`, `tool:bash:(\w*)*(\w*)*\2c`} {
		for _, p := range []profile.Profile{{Allow: []string{text}}, {Ask: []string{text}}, {Deny: []string{text}, Allow: []string{".*"}}} {
			start := time.Now()
			a := compiled(t, p).Decide([]string{long, "tool:bash:x"})
			if a.Behavior != engine.Deny || !strings.Contains(a.Note, "gave up") {
				t.Errorf("%+v: got %s, note %q; want a denial that says it gave up", p, a.Behavior, a.Note)
			}
			if d := time.Since(start); d > time.Minute {
				t.Errorf("%s took %s", text, d)
			}
		}
	}
}

// TestDeepRepeatsGiveUp: a long text cannot use up the memory.
func TestDeepRepeatsGiveUp(t *testing.T) {
	t.Parallel()
	c := compiled(t, profile.Profile{Allow: []string{`tool:bash:(?:(a)|b)*\1`}})
	if a := c.Decide([]string{"tool:bash:" + strings.Repeat("ab", 1<<19)}); a.Behavior != engine.Deny || !strings.Contains(a.Note, "gave up: ") {
		t.Errorf("got %s, note %q; want a denial that says it gave up", a.Behavior, a.Note)
	}
	if a := c.Decide([]string{"tool:bash:" + strings.Repeat("ab", 200) + "a"}); a.Behavior != engine.Allow {
		t.Errorf("got %s (%s), want allow", a.Behavior, a.Note)
	}
}

// TestBoundIsShared: many patterns and actions together stay within the bound
// of one decision.
func TestBoundIsShared(t *testing.T) {
	t.Parallel()
	for _, slow := range []string{`tool:bash:(a|aa)+\1b`, "tool:bash:(?:a?){200}a{200}b"} {
		c := compiled(t, profile.Profile{Ask: slices.Repeat([]string{slow}, 500)})
		start := time.Now()
		a := c.Decide(slices.Repeat([]string{"tool:bash:" + strings.Repeat("a", 200)}, 500))
		if a.Behavior != engine.Deny || !strings.Contains(a.Note, "pattern "+slow+": gave up") {
			t.Errorf("%s: got %s, note %q; want a denial that names the pattern", slow, a.Behavior, a.Note)
		}
		if d := time.Since(start); d > time.Minute {
			t.Errorf("%s: took %s", slow, d)
		}
	}
}

// greedyPatterns are small to write and large to compile.
func greedyPatterns() map[string][]string {
	nest := func(n int, open, body, end string) string {
		return strings.Repeat(open, n) + body + strings.Repeat(end, n)
	}
	many := func(format string) (out []string) {
		for i := range 1000 {
			out = append(out, fmt.Sprintf(format, i))
		}
		return out
	}
	return map[string][]string{
		"counts":              {`((((a{100}){100}){100}){100})\1`},
		"counts, plain":       {`(?:a{1000}){1000}`},
		"empty repeats":       {nest(200, "(", "a?", ")+") + `\1`},
		"nested repeats":      {nest(240, "(", "a", ")*") + `\1`},
		"nested atoms":        {nest(240, "(?>", "a", ")*")},
		"nested look-arounds": {nest(240, "(?=(?<!b)", "a", ")") + `(x)\1`},
		"words":               {`(a)\1` + strings.Repeat(`\w`, 8000)},
		"alternatives":        {`(?>` + strings.Repeat(`abc|abd|xyz|`, 1300) + `x)`},
		"repeats":             {`(a)\1` + strings.Repeat(`(?:a*b?)*`, 1800)},
		"groups":              {strings.Repeat(`(a)`, 5400) + `\1`},
		"folded":              {`(?i)(a)\1` + strings.Repeat(`[ab]`, 4000)},
		"1000 references":     many(`tool:x%d:(.)\1`),
		"1000 words":          many(`tool:x%d:(\w)\1`),
		"1000 programs":       many(`tool:x%d:(\w{20}|b){10}`),
	}
}

// TestCompileIsBounded: any profile is compiled or refused by name without much memory, and
// decides. It runs alone, to count its own memory.
func TestCompileIsBounded(t *testing.T) {
	if racing {
		t.Skip("SKIPPED: it takes minutes under the race detector, and has one goroutine")
	}
	for name, patterns := range greedyPatterns() {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			c, err := profile.Compile(profile.Profile{Allow: patterns})
			runtime.ReadMemStats(&after)
			if err != nil && !strings.Contains(err.Error(), ": not supported: ") {
				t.Errorf("got %v, want it compiled, or refused by name", err)
			}
			if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 200 {
				t.Errorf("compiling took %d MiB", got)
			}
			if err != nil {
				return
			}
			c.Decide([]string{strings.Repeat("a", 5000)})
			c.Offered("bash")
		})
	}
}

// TestLongActions: an action of a megabyte is decided where patterns are plain,
// and denied with its reason where they are not.
func TestLongActions(t *testing.T) {
	t.Parallel()
	long := "tool:bash:" + strings.Repeat("a\n", 1<<19)
	for name, want := range map[string]engine.Behavior{"open": engine.Allow, "standard": engine.Ask, "locked": engine.Deny} {
		if got := preset(t, name).Decide([]string{long}); got.Behavior != want || got.Note != "" {
			t.Errorf("%s: got %s, note %q; want %s", name, got.Behavior, got.Note, want)
		}
	}
	c := compiled(t, profile.Profile{Allow: []string{`(?s)tool:bash:(?:(?=(.))\1|x)*`}})
	if a := c.Decide([]string{long}); a.Behavior == engine.Deny && !strings.Contains(a.Note, "gave up: ") {
		t.Errorf("got a denial with the note %q, want the reason", a.Note)
	}
}

// TestConcurrentDecisions: many at once, some of them giving up, answer as one alone would. On
// a crowded machine any backtracking one may give up; none answers otherwise for it.
func TestConcurrentDecisions(t *testing.T) {
	t.Parallel()
	c := compiled(t, profile.Profile{
		Allow: []string{`tool:bash:echo (["']).*\1`, `tool:slow:(a|aa)+\1b`, "tool:view:(?!.*secret).*", "tool:view:public.*"},
		Ask:   []string{"tool:bash:(?>npm|npx) .*"},
		Deny:  []string{`tool:bash:(?:.*\b)?rm\b.*`},
	})
	cases := map[string]engine.Behavior{
		`tool:bash:echo "x"`:                   engine.Allow,
		`tool:bash:echo "x'`:                   engine.Deny,
		"tool:bash:npx tsc":                    engine.Ask,
		"tool:bash:npm ci; rm":                 engine.Deny,
		"tool:view:a secret":                   engine.Deny,
		"tool:view:readme":                     engine.Allow,
		"tool:view:public.html":                engine.Allow,
		"tool:slow:" + strings.Repeat("a", 40): engine.Deny,
	}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for round := range 30 {
				for action, want := range cases {
					if strings.HasPrefix(action, "tool:slow:") && round > 1 {
						continue
					}
					got := c.Decide([]string{action})
					if got.Behavior != want && !gaveUp(got) {
						t.Errorf("%.30q: got %s (%s), want %s", action, got.Behavior, got.Note, want)
					}
				}
			}
		})
	}
	wg.Wait()
}
