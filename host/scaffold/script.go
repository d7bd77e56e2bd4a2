package scaffold

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/script"
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
