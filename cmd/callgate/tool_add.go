package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/pin"
	"github.com/callgate/callgate/host/sandbox"
)

func toolAdd(c *cli) *cobra.Command {
	var f grantFlags
	var m moduleChange
	var by string
	cmd := &cobra.Command{
		Use:   "add [MODULE]",
		Short: "Grant a module something and put it in force, also as a new version of one",
		Long: `Shows what a module says of itself and what it would be granted, asks, and has the
running daemon put it in force: its bytes are pinned by SHA-256, and what it may do
comes from the flags and never from the module. Without flags it answers for the exact
names that it declares, and neither its own allow nor its own read-only counts.

A module that is in force already is replaced: what changed is shown, member by
member, and the version before stays for callgate tool rollback. A module that cannot
be used, that fails its own examples or that claims a name of another is refused, and
nothing changes. Somebody has to be there to type the approver PIN.

MODULE is a .wasm file, or a directory with one.`,
		Example:           "  callgate tool add deploy.wasm\n  callgate tool add deploy.wasm --may-read-only --limit fuel=2000000000\n  callgate tool add deploy.wasm --dry-run --json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeModule,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := moduleArg(args)
			if err != nil {
				return err
			}
			r, err := f.request(path)
			if err != nil {
				return err
			}
			r.By = by
			m.question = "Grant it this?"
			m.propose = func(ctx context.Context, client *api.Client) (api.ModuleChange, error) {
				return client.PutModule(ctx, r, true)
			}
			m.do = func(ctx context.Context, client *api.Client, digest, replaces string) (api.ModuleChange, error) {
				r.Digest, r.Replaces = digest, replaces
				return client.PutModule(ctx, r, false)
			}
			return m.run(c, cmd)
		},
	}
	f.register(cmd.Flags())
	m.register(cmd.Flags())
	asFlag(cmd, &by)
	return cmd
}

// request is what is wanted of a module's file.
func (f *grantFlags) request(path string) (r modules.Request, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return r, err
	}
	if info.Size() > sandbox.MaxModuleBytes {
		return r, fmt.Errorf("%s: more than %d MiB are no module", path, sandbox.MaxModuleBytes>>20)
	}
	r.File = filepath.Base(path)
	if err := pin.CheckFile(r.File); err != nil {
		return r, err
	}
	if r.Wasm, err = os.ReadFile(path); err != nil {
		return r, err
	}
	if r.Grant, err = f.read(); err != nil {
		return r, err
	}
	r.Signature, err = f.signed(path)
	return r, err
}
