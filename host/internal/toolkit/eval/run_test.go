package eval_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/toolkit/eval"
	"github.com/callgate/callgate/host/wire"
)

// noTools is a catalogue without any tool.
type noTools struct{}

func (noTools) Lookup(name string) modules.Entry {
	return modules.Entry{Entry: engine.Entry{Name: name, Err: errors.New("no tools here")}}
}

func (noTools) Tools() []wire.Tool { return nil }

// bare is an evaluator without any tool, for answers without one.
func bare() *eval.Evaluator {
	return &eval.Evaluator{Lookup: noTools{}.Lookup, Trial: ruletest.Tester{Catalog: noTools{}}}
}

// TestBadLines: each is answered in its place, with its id as far as one can be
// told, and the rest goes on.
func TestBadLines(t *testing.T) {
	t.Parallel()
	const good = `{"id":"good","op":"profile","profile":"open","action":"tool:view:a"}`
	cases := []struct {
		name, line string
		id         any
	}{
		{"not JSON", `hello`, nil},
		{"cut off", `{"id":1,"op":"decide"`, 1.0},
		{"a list", `[1]`, nil},
		{"null", `null`, nil},
		{"two values", `{"id":1} {"id":2}`, 1.0},
		{"an unknown field", `{"id":"x","op":"profile","profil":"open"}`, "x"},
		{"a field twice", `{"id":2,"op":"profile","op":"decide"}`, 2.0},
		{"another case", `{"id":3,"OP":"profile"}`, 3.0},
		{"a wrong type", `{"id":4,"op":"profile","action":7}`, 4.0},
		{"not UTF-8", "{\"id\":5,\"op\":\"profile\",\"action\":\"\xff\"}", 5.0},
		{"a lone surrogate", `{"id":6,"op":"profile","action":"\ud800"}`, 6.0},
		{"an unknown op", `{"id":7,"op":"dance"}`, 7.0},
		{"an id that is an object", `{"id":{"a":1},"op":"dance"}`, map[string]any{"a": 1.0}},
		{"a very deep value", `{"id":8,"op":"decide","input":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, 8.0},
	}
	var in strings.Builder
	for _, c := range cases {
		in.WriteString(c.line + "\n\n  \r\n" + good + "\r\n")
	}
	got := answers(t, bare(), strings.NewReader(strings.TrimSuffix(in.String(), "\n")))
	if len(got) != 2*len(cases) {
		t.Fatalf("got %d answers, want %d", len(got), 2*len(cases))
	}
	for i, c := range cases {
		bad, next := got[2*i], got[2*i+1]
		if text, _ := bad["error"].(string); text == "" || len(bad) != 2 || fmt.Sprint(bad["id"]) != fmt.Sprint(c.id) {
			t.Errorf("%s: got %.300v, want an error with id %v", c.name, bad, c.id)
		}
		if next["behavior"] != "allow" || next["id"] != "good" {
			t.Errorf("after %s: got %v, want the good line's answer", c.name, next)
		}
	}
}

// TestLongLines: 10 MB are judged like any other input; a line beyond the limit
// is refused, and its rest is not taken for another line.
func TestLongLines(t *testing.T) {
	t.Parallel()
	e := evaluator(t)
	line := func(n int) string {
		return `{"id":"long","op":"decide","mode":"bypass","rules":[{"tool":"Bash","content":"rm:*","behavior":"deny"}],` +
			`"tool":"Bash","input":{"command":"echo ` + strings.Repeat("a", n) + `; rm x"},"context":{"cwd":"/"}}`
	}
	const short = `{"id":"short","op":"read_only","tool":"Bash","input":{"command":"ls"},"context":{"cwd":"/"}}`
	got := answers(t, e, strings.NewReader(strings.Join([]string{line(10_000_000), short, line(eval.MaxLine), short}, "\n")))
	if len(got) != 4 {
		t.Fatalf("got %d answers, want 4", len(got))
	}
	if got[0]["id"] != "long" || got[0]["behavior"] == nil || got[0]["behavior"] == "allow" {
		t.Errorf("10 MB: got %.300v, want an answer that is no allow", got[0])
	}
	if text, _ := got[2]["error"].(string); !strings.Contains(text, "line of more than") {
		t.Errorf("beyond the limit: got %.300v, want an error", got[2])
	}
	for _, i := range []int{1, 3} {
		if got[i]["id"] != "short" || got[i]["read_only"] != true {
			t.Errorf("line %d: got %v, want the short line's answer", i+1, got[i])
		}
	}
}

// TestRunsAtOnce_hammer has several Runs share one evaluator; each keeps its own
// order.
func TestRunsAtOnce_hammer(t *testing.T) {
	t.Parallel()
	e := evaluator(t)
	var wg sync.WaitGroup
	for run := range 8 {
		wg.Go(func() {
			var in bytes.Buffer
			for i := range 40 {
				fmt.Fprintf(&in, `{"id":%d,"op":"action","tool":"Bash","input":{"command":"make r%d-%d"},"context":{"cwd":"/"}}`+"\n", i, run, i)
			}
			for i, a := range answers(t, e, &in) {
				if want := fmt.Sprintf("tool:bash:make r%d-%d", run, i); a["action"] != want || a["id"] != float64(i) {
					t.Errorf("run %d, answer %d: got %v, want %s", run, i, a, want)
				}
			}
		})
	}
	wg.Wait()
}

// TestRunEndsOnItsOwnErrors: a read or write error ends it; answers are written as soon as the
// input pauses.
func TestRunEndsOnItsOwnErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	if err := bare().Run(t.Context(), iotest.ErrReader(broken), io.Discard); !errors.Is(err, broken) {
		t.Errorf("reading fails: got %v, want it told", err)
	}
	if err := bare().Run(t.Context(), strings.NewReader(strings.Repeat("{}\n", 10_000)), brokenWriter{broken}); !errors.Is(err, broken) {
		t.Errorf("writing fails: got %v, want it told", err)
	}
	in, feed := io.Pipe()
	answered, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- bare().Run(context.Background(), in, out) }()
	for range 3 {
		if _, err := feed.Write([]byte("{}\n")); err != nil {
			t.Fatal(err)
		}
		if n, err := answered.Read(make([]byte, 4096)); n == 0 || err != nil {
			t.Fatalf("an answer before the next request: got %d bytes, %v", n, err)
		}
	}
	if err := feed.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Errorf("at the end: got %v", err)
	}
}

type brokenWriter struct{ err error }

// Write implements io.Writer.
func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }
