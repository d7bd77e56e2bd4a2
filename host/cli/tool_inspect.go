package cli

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
	"github.com/callgate/callgate/host/wire"
	"github.com/callgate/callgate/plugins"
)

// inspected is a module's file with the necessary grants.
type inspected struct {
	*workbench.Inspection
	// Names is the full list for `tool add --names`, needed because some names need a grant; empty
	// without such names. Refused are names no grant gives it, each with the reason.
	Names   []string          `json:"names_to_grant"`
	Refused map[string]string `json:"names_refused,omitempty"`
}

func toolInspect(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect [MODULE]",
		Short: "Show what a module declares and costs, without loading it",
		Long: `Shows a module's imports and exports, its size, digest and memory, its declarations, its
compile time, whether its rule examples pass and what they cost, and which of its names
need a grant. If the module cannot be loaded, it shows what is known and the step that
fails.

MODULE is a .wasm file, or a directory with one. What the module declares is not
verified. Exit code 1 when the daemon would reject the file.`,
		Example:           "  callgate tool inspect deploy.wasm\n  callgate tool inspect deploy.wasm --json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeModule,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := moduleArg(args)
			if err != nil {
				return err
			}
			return withBench(cmd, func(b *workbench.Bench) error {
				i, m := b.Inspect(cmd.Context(), path)
				if m == nil {
					return errors.New(i.Problem)
				}
				out := inspected{Inspection: i, Names: []string{}}
				if err := out.grants(cmd); err != nil {
					return err
				}
				if err := c.print(cmd.OutOrStdout(), out, out.write); err != nil {
					return err
				}
				if !i.Usable() || len(out.Refused) > 0 {
					return exit(exitDeny)
				}
				return nil
			})
		},
	}
}

// grants lists the module's names with a needed grant, and the taken ones.
func (i *inspected) grants(cmd *cobra.Command) error {
	if i.Described == nil {
		return nil
	}
	known, err := firstPartyTools(cmd)
	if err == nil {
		known = slices.DeleteFunc(known, i.replaces)
		i.hold(known)
	}
	return err
}

// replaces reports whether a tool is of the built-in module the file would replace: both have the
// same name of module and of file.
func (i *inspected) replaces(t wire.Tool) bool {
	return t.Module == i.Described.Name && t.File == filepath.Base(i.File)
}

// hold compares the module's names with those of known tools.
func (i *inspected) hold(known []wire.Tool) {
	var names []string
	for _, t := range i.Described.Tools {
		names = append(names, t.Names()...)
	}
	var free []string
	needed := false
	for _, name := range names {
		owner, covered := ownerOf(known, name)
		if owner != "" {
			if i.Refused == nil {
				i.Refused = map[string]string{}
			}
			i.Refused[name] = "belongs to the module " + owner + ", which is built in"
			continue
		}
		free, needed = append(free, name), needed || covered || strings.ContainsAny(name, "*?")
	}
	if needed {
		i.Names = free
	}
}

// firstPartyTools are those of this program; none when it was built without its modules.
func firstPartyTools(cmd *cobra.Command) (tools []wire.Tool, err error) {
	if needModules() != nil {
		return nil, nil
	}
	dirs, err := config.UserDirs()
	if err != nil {
		return nil, err
	}
	runtime, err := sandbox.New(cmd.Context(), sandbox.Config{CacheDir: dirs.Cache, Compiler: compiler()})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, runtime.Close(context.WithoutCancel(cmd.Context()))) }()
	known, err := modules.Open(cmd.Context(), modules.Options{Runtime: runtime, Embedded: plugins.Modules(), CacheDir: dirs.Cache, Compiling: compiling(cmd)})
	if err != nil {
		return nil, err
	}
	return known.Tools(), nil
}

// ownerOf returns the module owning a name or glob, and whether it owns it by a glob.
func ownerOf(tools []wire.Tool, name string) (owner string, covered bool) {
	for _, t := range tools {
		for _, other := range t.Names() {
			collide, below := modules.Collide(name, other)
			if collide && !below {
				return t.Module, false
			}
			covered = covered || below
		}
	}
	return "", covered
}
