package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/toolkit/script"
)

// buildScript bundles TypeScript or JavaScript and puts it into the engine, both
// within this process.
func buildScript(j *job) error {
	j.versions = append(j.versions, "Callgate's own compiler")
	return j.link(j.project.Main)
}

// link leaves the module of the script main at j.out.
func (j *job) link(main string) error {
	fmt.Fprintf(j.told, "bundle %s with callgate.ts and put it into the engine (within callgate)\n", main)
	sdk, err := os.ReadFile(filepath.Join(j.dir, "callgate.ts"))
	if err != nil {
		return fmt.Errorf("the SDK's source: %w", err)
	}
	if j.sdk == nil {
		return errors.New("the engine that runs scripts was not given")
	}
	engine, err := fs.ReadFile(j.sdk, "typescript/engine.wasm")
	if err != nil {
		return fmt.Errorf("the engine: %w", err)
	}
	bundle, err := script.Bundle(j.ctx, filepath.Join(j.dir, main), sdk)
	if err != nil {
		fmt.Fprintln(j.log, err) // one line for each mistake, as a compiler's
		return &failedError{what: main + " was refused"}
	}
	module, err := script.Link(engine, bundle)
	if err != nil {
		return err
	}
	return os.WriteFile(j.out, module, 0o600)
}

// testScript runs the tests of a script: a module of its own with the results in its describe.
func testScript(j *job) error {
	if err := j.link(j.language.tests(j.project.Name)); err != nil {
		return err
	}
	return j.askTests()
}

// askTests runs the module of tests at j.out.
func (j *job) askTests() error {
	module, err := os.ReadFile(j.out)
	if err != nil {
		return err
	}
	results, err := script.Test(j.ctx, module)
	if err != nil {
		return err
	}
	failed := 0
	for _, r := range results {
		if r.Failed == "" {
			fmt.Fprintf(j.log, "ok    %s\n", r.Name)
			continue
		}
		failed++
		fmt.Fprintf(j.log, "FAIL  %s: %s\n", r.Name, r.Failed)
	}
	if failed > 0 {
		return &failedError{what: fmt.Sprintf("%d of %d unit tests failed", failed, len(results)), test: true}
	}
	return nil
}
