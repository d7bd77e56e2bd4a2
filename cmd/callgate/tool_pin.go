package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/pin"
)

// installed is the file that an argument means in the directory of modules.
func installed(arg string) (string, error) {
	if !strings.HasSuffix(arg, ".wasm") {
		arg += ".wasm"
	}
	return arg, pin.CheckFile(arg)
}

func toolPin(c *cli) *cobra.Command {
	var f grantFlags
	var m moduleChange
	var by string
	var same bool
	cmd := &cobra.Command{
		Use:   "pin FILE",
		Short: "Pin the bytes that a module's file has now, in the directory of modules",
		Long: `Accepts what somebody put into the directory of modules: shows the module, asks, and
pins its bytes. It keeps the grant that it has. When it describes itself otherwise than
when that was given, what changed is shown member by member, and it has to be granted
anew: with --same-grant, or with flags as callgate tool add takes them.

Somebody has to be there to type the approver PIN.`,
		Example:           "  callgate tool pin deploy\n  callgate tool pin deploy --names Deploy,deploy --may-read-only",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeInstalled()),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := installed(args[0])
			if err != nil {
				return err
			}
			var p api.PinModule
			if f.signature != "" {
				if p.Signature, err = f.signed(file); err != nil {
					return err
				}
			}
			if f.given(cmd.Flags()) {
				if same {
					return usageError(cmd, errors.New("--same-grant goes without a grant beside it"))
				}
				if p.Grant, err = f.read(); err != nil {
					return err
				}
			}
			m.question = "Pin it, with this grant?"
			m.propose = func(ctx context.Context, client *api.Client) (api.ModuleChange, error) {
				p.DryRun = true
				out, err := client.PinModule(ctx, by, file, p)
				if err == nil && same {
					p.Grant, out.NeedsGrant = &out.Grant, false
				}
				return out, err
			}
			m.do = func(ctx context.Context, client *api.Client, digest, replaces string) (api.ModuleChange, error) {
				p.DryRun, p.Digest, p.Replaces = false, digest, replaces
				return client.PinModule(ctx, by, file, p)
			}
			return m.run(c, cmd)
		},
	}
	f.register(cmd.Flags())
	m.register(cmd.Flags())
	cmd.Flags().BoolVar(&same, "same-grant", false, "grant what it has once more, though it describes itself otherwise")
	asFlag(cmd, &by)
	return cmd
}

func toolRollback(c *cli) *cobra.Command {
	var m moduleChange
	var by string
	cmd := &cobra.Command{
		Use:   "rollback FILE",
		Short: "Go back to the version of a module before, with the grant that it had",
		Long: `Shows the version before, asks, and puts it in force again: its bytes and what it was
granted. The version that it replaces becomes the one before, so that a second rollback
goes forward again. Somebody has to be there to type the approver PIN.`,
		Example:           "  callgate tool rollback deploy",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeInstalled()),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := installed(args[0])
			if err != nil {
				return err
			}
			m.question = "Go back to it?"
			m.propose = func(ctx context.Context, client *api.Client) (api.ModuleChange, error) {
				return client.RollbackModule(ctx, by, file, api.PinModule{DryRun: true})
			}
			m.do = func(ctx context.Context, client *api.Client, digest, replaces string) (api.ModuleChange, error) {
				return client.RollbackModule(ctx, by, file, api.PinModule{Digest: digest, Replaces: replaces})
			}
			return m.run(c, cmd)
		},
	}
	m.register(cmd.Flags())
	asFlag(cmd, &by)
	return cmd
}
