package corpus

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Evaluator answers a line for a line, in order.
type Evaluator interface {
	Run(ctx context.Context, in io.Reader, out io.Writer) error
}

// probe is one request of a case and what its answer must be.
type probe struct {
	// about tells this probe from the others of its case.
	about   string
	request object
	judge   func(got object) *miss
	// next is what to ask once the answer is known; nil for nothing.
	next func(got object) []probe
}

// miss is how an answer differs from what is wanted.
type miss struct{ want, got string }

func wantBehavior(want string) func(object) *miss {
	return func(got object) *miss {
		b, ok := got["behavior"].(string)
		if !ok {
			return &miss{want: want, got: fmt.Sprintf("error: %v", got["error"])}
		}
		if b == want || want == "not allow" && b != "allow" {
			return nil
		}
		return &miss{want: want, got: b}
	}
}

func wantMatch(want bool) func(object) *miss {
	words := map[bool]string{true: "a match", false: "no match"}
	return func(got object) *miss {
		m, ok := got["match"].(bool)
		if !ok {
			return &miss{want: words[want], got: fmt.Sprintf("error: %v", got["error"])}
		}
		if m == want {
			return nil
		}
		return &miss{want: words[want], got: words[m]}
	}
}

// asked is a probe with the case it belongs to.
type asked struct {
	probe
	file, line int
}

// Run asks the evaluator about every case. The error is the evaluator's own;
// answers that are wrong are in the report.
func (c *Corpus) Run(ctx context.Context, e Evaluator) (*Report, error) {
	start := time.Now()
	var round []asked
	for f, file := range c.Files {
		for l, one := range file.Cases {
			for _, p := range one.probes {
				round = append(round, asked{p, f, l})
			}
		}
	}
	wrong := map[[2]int][]Wrong{}
	for len(round) > 0 {
		answers, err := ask(ctx, e, round)
		if err != nil {
			return nil, err
		}
		var next []asked
		for i, a := range round {
			got := answers[i]
			if m := a.judge(got); m != nil {
				at := [2]int{a.file, a.line}
				wrong[at] = append(wrong[at], c.wrong(a, m, got))
			}
			if a.next == nil {
				continue
			}
			for _, p := range a.next(got) {
				next = append(next, asked{p, a.file, a.line})
			}
		}
		round = next
	}
	return c.report(wrong, time.Since(start)), nil
}

func ask(ctx context.Context, e Evaluator, round []asked) ([]object, error) {
	var in, out bytes.Buffer
	for i, a := range round {
		request := object{"id": i}
		for k, v := range a.request {
			request[k] = v
		}
		if err := json.MarshalWrite(&in, request); err != nil {
			return nil, fmt.Errorf("encode a request: %w", err)
		}
		in.WriteByte('\n')
	}
	if err := e.Run(ctx, &in, &out); err != nil {
		return nil, err
	}
	answers := make([]object, len(round))
	d := jsontext.NewDecoder(&out, jsontext.AllowInvalidUTF8(true))
	for i := range answers {
		if err := json.UnmarshalDecode(d, &answers[i]); err != nil {
			return nil, fmt.Errorf("read answer %d of %d: %w", i+1, len(answers), err)
		}
		if answers[i]["id"] != float64(i) {
			return nil, fmt.Errorf("answer %d of %d: its id is %v", i+1, len(answers), answers[i]["id"])
		}
	}
	return answers, nil
}

func (c *Corpus) wrong(a asked, m *miss, got object) Wrong {
	file := c.Files[a.file]
	one := file.Cases[a.line]
	reason, _ := got["reason"].(string)
	return Wrong{File: file.Path, Line: one.Line, Case: one.Text, About: a.about, Want: m.want, Got: m.got, Reason: reason, Why: one.Why}
}
