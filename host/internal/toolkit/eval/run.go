package eval

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/errgroup"

	"github.com/callgate/callgate/host/internal/gate/ruletest"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// MaxLine is the longest request line, in bytes.
const MaxLine = 32 << 20

// Evaluator answers requests over a catalogue of modules. It is safe for
// concurrent use.
type Evaluator struct {
	// Lookup finds the tool for a name.
	Lookup func(name string) modules.Entry
	// Trial tests a rule with the tools for text commands.
	Trial ruletest.Tester
}

// New returns an evaluator over a catalogue.
func New(c *modules.Catalog) *Evaluator {
	// No disk is behind the examples of rules.
	return &Evaluator{Lookup: c.Lookup, Trial: ruletest.Tester{Catalog: c, Targets: &target.Resolver{FS: target.Links(nil), Limits: target.Limits{Time: patience}}}}
}

// Run answers every line of in on out, several at once, in the order they came.
// It returns the first error of reading or writing, never one of a request.
func (e *Evaluator) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	g, ctx := errgroup.WithContext(ctx)
	workers := runtime.GOMAXPROCS(0)
	queue := make(chan chan []byte, 2*workers)
	slots := make(chan struct{}, workers)
	g.Go(func() error {
		defer close(queue)
		return eachLine(in, func(line []byte) error {
			answer := make(chan []byte, 1)
			select {
			case queue <- answer:
			case <-ctx.Done():
				return ctx.Err()
			}
			slots <- struct{}{}
			go func() {
				defer func() { <-slots }()
				answer <- e.line(ctx, line)
			}()
			return nil
		})
	})
	g.Go(func() error { return writeAnswers(queue, out) })
	return g.Wait()
}

// eachLine hands every line that is not blank to f. Too long a line is handed over cut, so it
// is answered as bad; its rest is skipped.
func eachLine(in io.Reader, f func([]byte) error) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := readLine(r)
		if len(line) > 0 {
			if ferr := f(line); ferr != nil {
				return ferr
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read requests: %w", err)
		}
	}
}

func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line) <= MaxLine {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return trimLine(line), err
		}
	}
}

func trimLine(line []byte) []byte {
	for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r' || line[len(line)-1] == ' ') {
		line = line[:len(line)-1]
	}
	return line
}

func writeAnswers(queue <-chan chan []byte, out io.Writer) error {
	w := bufio.NewWriter(out)
	for answer := range queue {
		if _, err := w.Write(append(<-answer, '\n')); err != nil {
			return fmt.Errorf("write answers: %w", err)
		}
		if len(queue) == 0 {
			if err := w.Flush(); err != nil {
				return fmt.Errorf("write answers: %w", err)
			}
		}
	}
	return w.Flush()
}

// badLine answers a malformed request.
type badLine struct {
	ID    jsontext.Value `json:"id"`
	Error string         `json:"error"`
}

// line answers one request.
func (e *Evaluator) line(ctx context.Context, line []byte) []byte {
	var r request
	answer, err := any(nil), error(nil)
	if len(line) > MaxLine {
		err = fmt.Errorf("line of more than %d bytes", MaxLine)
	} else if err = strictjson.Explain(json.Unmarshal(line, &r, json.RejectUnknownMembers(true))); err == nil {
		answer, err = e.answer(ctx, &r)
	}
	if err != nil {
		answer = badLine{ID: idOf(line, r.ID), Error: err.Error()}
	}
	text, err := json.Marshal(answer, json.Deterministic(true), json.FormatNilSliceAsNull(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		text, _ = json.Marshal(badLine{ID: idOf(line, r.ID), Error: "encode the answer: " + err.Error()}) // two texts always encode
	}
	return text
}

// idOf finds the id of an undecodable line, as far as possible.
func idOf(line []byte, id jsontext.Value) jsontext.Value {
	if len(id) > 0 {
		return id
	}
	var only struct {
		ID jsontext.Value `json:"id"`
	}
	if json.Unmarshal(line, &only, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) == nil && len(only.ID) > 0 {
		return only.ID
	}
	return jsontext.Value("null")
}
