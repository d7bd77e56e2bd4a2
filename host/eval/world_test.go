package eval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/callgate/callgate/host/compiledtest"
	"github.com/callgate/callgate/host/eval"
	"github.com/callgate/callgate/plugins"
)

// cache holds the compiled modules of all tests of this package.
var cache string

func TestMain(m *testing.M) {
	os.Exit(compiledtest.Main(plugins.Modules(), func(dir string) int {
		cache = dir
		return m.Run()
	}))
}

var opened = sync.OnceValues(func() (*eval.Evaluator, error) {
	_, c, err := compiledtest.Open(plugins.Modules(), cache) // closed with the process
	if err != nil {
		return nil, err
	}
	return eval.New(c), nil
})

// evaluator is one over the real modules, shared by all tests. It skips where
// they have not been built.
func evaluator(t testing.TB) *eval.Evaluator {
	t.Helper()
	if len(plugins.Names()) == 0 {
		t.Skip("SKIPPED: the tool modules are not built: run make build")
	}
	e, err := opened()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// answers runs an evaluator on lines and decodes what it says.
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
