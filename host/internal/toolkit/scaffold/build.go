package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/machine/atomicfile"
)

// BuildOptions say what to build.
type BuildOptions struct {
	// Dir is the project.
	Dir string
	// Out is the file of the module; empty: NAME.wasm in Dir.
	Out string
	// Log gets the compiler's output, word for word; nil discards it.
	Log io.Writer
	// Commands gets each command before it runs, as one line; nil discards it.
	Commands io.Writer
	// SDK are the sources of the SDKs; of them a build reads the engine of TypeScript
	// and JavaScript alone.
	SDK fs.FS
}

// Built is the result of a build.
type Built struct {
	Project Manifest `json:"project"`
	// Path is the module's file, Size its length in bytes.
	Path string `json:"path"`
	Size int64  `json:"size"`
	// Compiler is the compiler with its version, as it says it itself; the same text
	// with the same sources makes the same bytes.
	Compiler string `json:"compiler"`
	// Commands are the commands run in the project's directory, word by word.
	Commands [][]string    `json:"commands"`
	Took     time.Duration `json:"took_ns"`
}

// Build compiles the project. The module's file is replaced in one step, and only when
// everything went well. A missing compiler is a *MissingError; a compiler's refusal is an
// error, and Log has the compiler's own words.
func Build(ctx context.Context, o BuildOptions) (Built, error) {
	j, err := open(ctx, o)
	if err != nil {
		return Built{}, err
	}
	defer j.close()
	out := o.Out
	if out == "" {
		out = filepath.Join(o.Dir, j.project.Name+".wasm")
	}
	begun := time.Now()
	if err := j.language.build(j); err != nil {
		return Built{}, err
	}
	module, err := os.ReadFile(j.out)
	if err != nil {
		return Built{}, fmt.Errorf("the compiler left no module: %w", err)
	}
	if err := atomicfile.Write(out, module, func(f *os.File) error { return f.Chmod(0o644) }); err != nil {
		return Built{}, err
	}
	return Built{j.project, out, int64(len(module)), strings.Join(j.versions, ", "), j.commands, time.Since(begun)}, nil
}

// UnitTests runs the unit tests of the project, written in its own language; Log gets their
// output, Out is not used. It is false without an error when a test failed, and fs.ErrNotExist
// where the language has none.
func UnitTests(ctx context.Context, o BuildOptions) (passed bool, err error) {
	j, err := open(ctx, o)
	if err != nil {
		return false, err
	}
	defer j.close()
	if j.language.unit == nil {
		return false, fmt.Errorf("unit tests of %s: %w", j.language.Title, fs.ErrNotExist)
	}
	err = j.language.unit(j)
	var failed *failedError
	if errors.As(err, &failed) && failed.test {
		return false, nil
	}
	return err == nil, err
}
