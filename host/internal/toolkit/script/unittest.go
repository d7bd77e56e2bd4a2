package script

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// TestResult is the result of one unit test.
type TestResult struct {
	Name string `json:"name"`
	// Failed is the reason for its failure; empty for a passed one.
	Failed string `json:"failed,omitempty"`
}

// testLimits are the limits of a module of tests: it asks many questions in one call.
var testLimits = sandbox.Limits{Fuel: 100_000_000_000, Timeout: 10 * time.Minute, OutputBytes: 16 << 20, MemoryPages: 4096, ErrorBytes: 4096, CompileTime: 10 * time.Minute}

// Test runs a module of unit tests, as made by the SDKs for TypeScript and AssemblyScript: its
// `describe` answers {"tests": [{"name", "failed"?}, ...]}. It runs in the sandbox, as modules
// do, and is compiled in this process. The error is the reason for missing results: the module
// does not load, its describe failed, its answer is none of tests or has none.
func Test(ctx context.Context, wasm []byte) (results []TestResult, err error) {
	runtime, err := sandbox.New(ctx, sandbox.Config{Limits: testLimits})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, runtime.Close(ctx)) }()
	module, err := runtime.Load(ctx, "tests", wasm)
	if err != nil {
		return nil, err
	}
	defer module.Close(ctx)
	output, err := module.Call(ctx, sandbox.Describe, nil)
	if err != nil {
		return nil, err
	}
	return readTests(output)
}

func readTests(output []byte) ([]TestResult, error) {
	var answer struct {
		Tests []TestResult `json:"tests"`
	}
	if err := json.Unmarshal(output, &answer, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("the answer of the tests: %w", strictjson.Explain(err))
	}
	if len(answer.Tests) == 0 {
		return nil, errors.New("the module has no tests: its describe has to answer {\"tests\": [...]}, as serveTests of the SDK does")
	}
	return answer.Tests, nil
}
