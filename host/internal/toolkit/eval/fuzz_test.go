package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/eval/corpus"
)

// FuzzRun: any bytes give one JSON object with an id per non-blank line, and never an allow but
// a callback's, since there is no tool.
func FuzzRun(f *testing.F) {
	cases, err := corpus.Load(repo.File("testdata/corpus/eval"))
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range cases.Files {
		for _, c := range file.Cases {
			requests, err := c.Requests()
			if err != nil {
				f.Fatal(err)
			}
			for _, request := range requests {
				f.Add(request)
			}
		}
	}
	f.Add([]byte("{\n}\r\n \n\xff"))
	f.Add([]byte(`{"id":1,"id":2}`))
	e := bare()
	f.Fuzz(func(t *testing.T, in []byte) {
		want := 0
		for _, line := range bytes.Split(in, []byte("\n")) {
			if len(bytes.TrimRight(line, " \r")) > 0 {
				want++
			}
		}
		var out bytes.Buffer
		if err := e.Run(context.Background(), bytes.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(out.Bytes(), []byte("\n"))
		if len(lines)-1 != want {
			t.Fatalf("got %d answers to %d lines", len(lines)-1, want)
		}
		for _, line := range lines[:want] {
			var a map[string]any
			if err := json.Unmarshal(line, &a); err != nil {
				t.Fatalf("answer %q: %v", line, err)
			}
			if _, ok := a["id"]; !ok {
				t.Fatalf("answer %q has no id", line)
			}
			if a["stage"] != nil && a["behavior"] == "allow" && !bytes.Contains(in, []byte("callback")) {
				t.Fatalf("answer %q allows, with no tool at all", line)
			}
		}
	})
}
