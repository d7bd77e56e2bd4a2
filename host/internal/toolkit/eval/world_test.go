package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/compiledtest"
	"github.com/callgate/callgate/host/internal/toolkit/eval"
	"github.com/callgate/callgate/plugins"
)

func TestMain(m *testing.M) { os.Exit(compiledtest.Tests{M: m, Modules: plugins.Modules()}.Run()) }

var opened = sync.OnceValues(func() (*eval.Evaluator, error) {
	c, err := compiledtest.Catalog()
	if err != nil {
		return nil, err
	}
	return eval.New(c), nil
})

// evaluator is one over the real modules, shared by all tests. It skips where
// they have not been built.
func evaluator(t testing.TB) *eval.Evaluator {
	t.Helper()
	compiledtest.Modules(t)
	e, err := opened()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answers runs an evaluator on lines and decodes its answers.
func answers(t testing.TB, e *eval.Evaluator, in io.Reader) []map[string]any {
	t.Helper()
	var out bytes.Buffer
	if err := e.Run(context.Background(), in, &out); err != nil {
		t.Fatal(err)
	}
	var all []map[string]any
	for _, line := range bytes.Split(bytes.TrimSuffix(out.Bytes(), []byte("\n")), []byte("\n")) {
		var a map[string]any
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("answer %.200q: %v", line, err)
		}
		all = append(all, a)
	}
	return all
}
