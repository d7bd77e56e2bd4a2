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

// probe is one request of a case and its required answer.
type probe struct {
	// about tells this probe from the others of its case.
	about   string
	request object
	judge   func(got object) *miss
	// next are the questions after the answer is known; nil for none.
	next func(got object) []probe
}

// miss is the difference between an answer and the demand.
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

// Run puts every case to the evaluator. The error is the evaluator's own; wrong answers are in
// the report.
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
		answers, err := c.ask(ctx, e, round)
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

func (c *Corpus) ask(ctx context.Context, e Evaluator, round []asked) ([]object, error) {
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
	for i, a := range round {
		raw, err := d.ReadValue()
		if err == nil {
			err = json.Unmarshal(raw, &answers[i], jsontext.AllowInvalidUTF8(true))
		}
		if err != nil {
			return nil, fmt.Errorf("read answer %d of %d: %w", i+1, len(answers), err)
		}
		if err := c.keep(a, raw); err != nil {
			return nil, err
		}
		if answers[i]["id"] != float64(i) {
			return nil, fmt.Errorf("answer %d of %d: its id is %v", i+1, len(answers), answers[i]["id"])
		}
	}
	return answers, nil
}

// keep writes an answer to c.Answers, as the evaluator gave it.
func (c *Corpus) keep(a asked, answer jsontext.Value) error {
	if c.Answers == nil {
		return nil
	}
	file := c.Files[a.file]
	_, err := fmt.Fprintf(c.Answers, "%s:%d\t%s\t%s\n", file.Path, file.Cases[a.line].Line, a.about, answer)
	return err
}

func (c *Corpus) wrong(a asked, m *miss, got object) Wrong {
	file := c.Files[a.file]
	one := file.Cases[a.line]
	reason, _ := got["reason"].(string)
	return Wrong{File: file.Path, Line: one.Line, Case: one.Text, About: a.about, Want: m.want, Got: m.got, Reason: reason, Why: one.Why}
}
