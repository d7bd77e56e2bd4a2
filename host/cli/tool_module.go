package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/toolkit/scaffold"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// withBench runs f with a workbench over the daemon's cache of compiled modules. Logs of modules go
// to standard error.
func withBench(cmd *cobra.Command, f func(*workbench.Bench) error) (err error) {
	dirs, err := config.UserDirs()
	if err != nil {
		return err
	}
	log := slog.New(&lineHandler{cmd: cmd})
	b, err := workbench.Open(cmd.Context(), workbench.Options{CacheDir: dirs.Cache, Compiler: compiler(), Compiling: compiling(cmd), Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return f(b)
}

// withModule is withBench for one module; it must load.
func withModule(cmd *cobra.Command, path string, f func(*workbench.Bench, *workbench.Module) error) error {
	return withBench(cmd, func(b *workbench.Bench) error {
		m, err := b.Load(cmd.Context(), path)
		if err != nil {
			return fmt.Errorf("%s: %w (details: callgate tool inspect %s)", path, err, path)
		}
		return f(b, m)
	})
}

// moduleFile is the file for an argument: itself, or the module in a directory, of a project by its
// manifest, else the only one.
func moduleFile(arg string) (string, error) {
	info, err := os.Stat(arg)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return arg, nil
	}
	if isProject(arg) {
		project, err := scaffold.ReadManifest(arg)
		if err != nil {
			return "", err
		}
		file := filepath.Join(arg, project.Name+".wasm")
		if _, err := os.Stat(file); errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("%s is not built yet; build it: callgate tool build %s", file, arg)
		}
		return file, nil
	}
	files, err := filepath.Glob(filepath.Join(arg, "*.wasm"))
	if err != nil {
		return "", err
	}
	if len(files) != 1 {
		return "", fmt.Errorf("%s has %d modules (*.wasm) and no %s: name the module file", arg, len(files), scaffold.ManifestFile)
	}
	return files[0], nil
}

func isProject(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, scaffold.ManifestFile))
	return err == nil
}

// moduleArg is the first argument as a module's file; without one, the module of the current
// directory.
func moduleArg(args []string) (string, error) {
	if len(args) == 0 {
		return moduleFile(".")
	}
	return moduleFile(args[0])
}

// completeModule offers .wasm files.
func completeModule(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return []string{"wasm"}, cobra.ShellCompDirectiveFilterFileExt
}

// lineHandler writes the logs of modules, one line each, for a person.
type lineHandler struct {
	cmd   *cobra.Command
	attrs []slog.Attr
}

// Enabled implements slog.Handler.
func (h *lineHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h *lineHandler) Handle(_ context.Context, r slog.Record) error {
	line := "callgate: " + r.Message
	add := func(a slog.Attr) bool {
		line += fmt.Sprintf(", %s: %s", a.Key, a.Value)
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	h.cmd.PrintErrln(card.Line(line))
	return nil
}

// WithAttrs implements slog.Handler.
func (h *lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &lineHandler{h.cmd, append(append([]slog.Attr{}, h.attrs...), attrs...)}
}

// WithGroup implements slog.Handler: groups are not shown.
func (h *lineHandler) WithGroup(string) slog.Handler { return h }
