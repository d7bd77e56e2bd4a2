package eval_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// corpusCase is one line of testdata/corpus: a request, and the parts of the
// answer that must be so. A wanted "error" is a part of the answer's text.
type corpusCase struct {
	Name    string         `json:"name"`
	Request map[string]any `json:"request"`
	Want    map[string]any `json:"want"`
}

// TestCorpus runs every file of testdata/corpus through the evaluator with the
// real modules. To add a case is to add a line.
func TestCorpus(t *testing.T) {
	t.Parallel()
	e := evaluator(t)
	files, err := filepath.Glob("../../testdata/corpus/*/*.jsonl")
	if err != nil || len(files) < 5 {
		t.Fatalf("testdata/corpus: got %d files, %v", len(files), err)
	}
	for _, file := range files {
		name := filepath.Base(filepath.Dir(file)) + "/" + strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cases := readCorpus(t, file)
			var in bytes.Buffer
			for i, c := range cases {
				c.Request["id"] = i
				line, err := json.Marshal(c.Request)
				if err != nil {
					t.Fatal(err)
				}
				in.Write(append(line, '\n'))
			}
			got := answers(t, e, &in)
			if len(got) != len(cases) {
				t.Fatalf("got %d answers to %d requests", len(got), len(cases))
			}
			for i, c := range cases {
				for _, wrong := range c.wrong(i, got[i]) {
					t.Errorf("%s:%d: %s: %s", file, i+1, c.Name, wrong)
				}
			}
		})
	}
}

func readCorpus(t *testing.T, file string) (cases []corpusCase) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range bytes.Split(bytes.TrimSpace(data), []byte("\n")) {
		var c corpusCase
		d := json.NewDecoder(bytes.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&c); err != nil || len(c.Want) == 0 {
			t.Fatalf("%s:%d: not a case with a want: %v", file, i+1, err)
		}
		cases = append(cases, c)
	}
	return cases
}

// wrong says how an answer differs from what is wanted.
func (c corpusCase) wrong(id int, got map[string]any) (all []string) {
	if got["id"] != float64(id) {
		all = append(all, fmt.Sprintf("id: got %v, want %d: the order was not kept", got["id"], id))
	}
	failure, failed := got["error"].(string)
	if want, ok := c.Want["error"].(string); ok || failed {
		if !failed || !ok || !strings.Contains(failure, want) {
			all = append(all, fmt.Sprintf("error: got %v, want %v", got["error"], c.Want["error"]))
		}
		return all
	}
	for key, want := range c.Want {
		if !reflect.DeepEqual(got[key], want) {
			all = append(all, fmt.Sprintf("%s: got %v, want %v (reason: %v)", key, got[key], want, got["reason"]))
		}
	}
	return all
}
