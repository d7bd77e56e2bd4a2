package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/sandbox"
	"github.com/callgate/callgate/host/workbench"
	"github.com/callgate/callgate/plugins"
)

// inspected is a module's file with what the operator would have to grant.
type inspected struct {
	*workbench.Inspection
	// Names are what `tool add --names` has to list, all of them, because it does not
	// grant some by itself; empty where nothing needs to be listed. Refused are names
	// that no grant gives it, each with the reason.
	Names   []string          `json:"names_to_grant"`
	Refused map[string]string `json:"names_refused,omitempty"`
}

func toolInspect(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "inspect [MODULE]",
		Short: "Show what a module's file is, declares and costs, before anybody loads it",
		Long: `Shows a module's imports and exports, its size, digest and memory, what it declares,
how long it compiles, whether its own rule examples pass and what they cost, and
which of its names the operator would have to grant. Of a module that does not load
it shows what is known, and the step at which it fails.

MODULE is a .wasm file, or a directory with one. Everything that the module says is its own
word, not checked by anybody. The exit code is 1 when the daemon would refuse the file.`,
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

// grants tells which of the module's names need one, and which are taken.
func (i *inspected) grants(cmd *cobra.Command) error {
	if i.Described == nil {
		return nil
	}
	known, err := firstPartyTools(cmd)
	if err == nil {
		i.hold(known)
	}
	return err
}

// hold holds the module's names against those of tools that are known.
func (i *inspected) hold(known []catalog.Info) {
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
			i.Refused[name] = "belongs to the module " + owner + ", which comes with Callgate"
			continue
		}
		free, needed = append(free, name), needed || covered || strings.ContainsAny(name, "*?")
	}
	if needed {
		i.Names = free
	}
}

// firstPartyTools are those that come with this program; none when it was built
// without its modules.
func firstPartyTools(cmd *cobra.Command) (tools []catalog.Info, err error) {
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
	known, err := catalog.Open(cmd.Context(), catalog.Options{Runtime: runtime, Embedded: plugins.Modules(), CacheDir: dirs.Cache, Compiling: compiling(cmd)})
	if err != nil {
		return nil, err
	}
	return known.Tools(), nil
}

// ownerOf returns the module that a name or glob belongs to, and whether one covers
// it by a glob of its own.
func ownerOf(tools []catalog.Info, name string) (owner string, covered bool) {
	for _, t := range tools {
		for _, other := range t.Names() {
			meet, below := catalog.Meet(name, other)
			if meet && !below {
				return t.Module, false
			}
			covered = covered || below
		}
	}
	return "", covered
}
