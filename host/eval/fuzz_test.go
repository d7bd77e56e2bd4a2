package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// FuzzRun: any bytes give one JSON object with an id per line that is not blank,
// and never an allow but a callback's, since there is no tool.
func FuzzRun(f *testing.F) {
	files, err := filepath.Glob("../../testdata/corpus/eval/*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, line := range bytes.Split(data, []byte("\n")) {
			var c corpusCase
			if json.Unmarshal(line, &c) != nil {
				continue
			}
			request, err := json.Marshal(c.Request)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(request)
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
