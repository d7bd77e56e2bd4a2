package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

// decision is a row as the Gate writes it.
func decision() store.Row {
	return store.Row{Agent: "builder", Session: "s-1", User: "ann", Tool: "Bash", Action: "tool:bash:npm run build",
		Decision: store.Allowed, DecidedBy: "rule", Detail: "rule Bash(npm run build) allows it", Stage: "allow_rule", Code: "rule_matched",
		RuleID: "0123456789abcdef", RuleText: "Bash(npm run build)", ModuleDigest: "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
		CallID: "toolu_01", Digest: "d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35",
		Input: `{"command":"npm run build","description":"Build the project"}`, Latency: 80 * time.Microsecond}
}

func BenchmarkAppend(b *testing.B) {
	s := fresh(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Append(b.Context(), decision()); err != nil {
			b.Fatal(err)
		}
	}
}

// 64 callers at once, as 64 clients checking.
// BenchmarkAppendCall is BenchmarkAppend with the judged call in its transaction.
func BenchmarkAppendCall(b *testing.B) {
	s := fresh(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := s.AppendCall(b.Context(), decision(), judged(fmt.Sprint(i), "d", time.Now())); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCall looks up a call never judged, among 1,000.
func BenchmarkCall(b *testing.B) {
	s := fresh(b)
	for i := range 1000 {
		if _, err := s.AppendCall(b.Context(), decision(), judged(fmt.Sprint(i), "d", time.Now())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Call(b.Context(), judged("none", "", time.Time{}).Key); err == nil {
			b.Fatal("it is known")
		}
	}
}

func BenchmarkAppend_parallel64(b *testing.B) {
	s := fresh(b)
	b.ReportAllocs()
	b.SetParallelism(32) // times GOMAXPROCS, 2 on the reference machine
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := s.Append(b.Context(), decision()); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkRulesFor_100(b *testing.B) {
	s := fresh(b)
	for i := range 100 {
		if _, err := s.AddRule(b.Context(), allow("Bash", "npm run "+string(rune('a'+i)))); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		rules, err := s.RulesFor(b.Context(), "builder", "", "/p", nil)
		if err != nil || len(rules) != 100 {
			b.Fatal(len(rules), err)
		}
	}
}

func BenchmarkTouchSession(b *testing.B) {
	s := fresh(b)
	in := store.Session{ID: "s-1", Agent: "builder", Token: "t", CWD: "/p", Kind: engine.Main}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.TouchSession(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkVerifyAudit_10000(b *testing.B) {
	s := fresh(b)
	appendMany(b, s, 10_000)
	b.ReportAllocs()
	for b.Loop() {
		if r, err := s.VerifyAudit(b.Context()); err != nil || !r.OK() {
			b.Fatal(r, err)
		}
	}
}

// BenchmarkMillion verifies 1,000,000 rows: all, and those since the last signature after a start of
// the daemon. Writing them takes most of its time.
func BenchmarkMillion(b *testing.B) {
	s := fresh(b)
	for range 100 {
		appendMany(b, s, 10_000)
		if _, err := s.GrowTree(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("verify", func(b *testing.B) {
		for b.Loop() {
			if r, err := s.VerifyAudit(b.Context()); err != nil || !r.OK() || r.Rows < 1_000_000 {
				b.Fatal(r, err)
			}
		}
	})
	b.Run("start", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			appendMany(b, s, 1000)
			b.StartTimer()
			if _, err := s.GrowTree(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// Opening a store with 100 rules and 1,000 rows: part of the daemon's cold start.
func BenchmarkOpen(b *testing.B) {
	s := fresh(b)
	appendMany(b, s, 1000)
	for i := range 100 {
		if _, err := s.AddRule(b.Context(), allow("Bash", "npm run "+string(rune('a'+i)))); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		again, err := store.Open(b.Context(), s.Path(), store.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := again.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
