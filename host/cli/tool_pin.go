package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"
)

// installed is the file for an argument in the directory of modules.
func installed(arg string) (string, error) {
	if !strings.HasSuffix(arg, ".wasm") {
		arg += ".wasm"
	}
	return arg, modules.CheckFile(arg)
}

func toolPin(c *cli) *cobra.Command {
	var f grantFlags
	var m moduleChange
	var by string
	var same bool
	cmd := &cobra.Command{
		Use:   "pin FILE",
		Short: "Accept the current file of a module",
		Long: `Accepts a file that was put into the modules directory: shows the module, asks for
confirmation, and pins its bytes. The grant is kept. If the module's declarations changed
since the grant, the changes are shown, and it needs a new grant: --same-grant, or the
flags of callgate tool add.

Requires the approver PIN.`,
		Example:           "  callgate tool pin deploy\n  callgate tool pin deploy --names Deploy,deploy --may-read-only",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeInstalled()),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := installed(args[0])
			if err != nil {
				return err
			}
			var p protocol.PinModule
			if f.signature != "" {
				if p.Signature, err = f.signed(file); err != nil {
					return err
				}
			}
			if f.given(cmd.Flags()) {
				if same {
					return usageError(cmd, errors.New("--same-grant cannot be combined with other grant flags"))
				}
				if p.Grant, err = f.read(); err != nil {
					return err
				}
			}
			m.question = "Pin it with this grant?"
			m.propose = func(ctx context.Context, client *client.Client) (wire.ModuleChange, error) {
				p.DryRun = true
				out, err := client.PinModule(ctx, by, file, p)
				if err == nil && same {
					p.Grant, out.NeedsGrant = &out.Grant, false
				}
				return out, err
			}
			m.do = func(ctx context.Context, client *client.Client, digest, replaces string) (wire.ModuleChange, error) {
				p.DryRun, p.Digest, p.Replaces = false, digest, replaces
				return client.PinModule(ctx, by, file, p)
			}
			return m.run(c, cmd)
		},
	}
	f.register(cmd.Flags())
	m.register(cmd.Flags())
	cmd.Flags().BoolVar(&same, "same-grant", false, "keep the existing grant although the declarations changed")
	asFlag(cmd, &by)
	return cmd
}

func toolRollback(c *cli) *cobra.Command {
	var m moduleChange
	var by string
	cmd := &cobra.Command{
		Use:   "rollback FILE",
		Short: "Restore the previous version of a module, with its grant",
		Long: `Shows the previous version, asks for confirmation, and restores it with its grant. The
version it replaces becomes the previous one, so a second rollback goes forward again.
Requires the approver PIN.`,
		Example:           "  callgate tool rollback deploy",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeInstalled()),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := installed(args[0])
			if err != nil {
				return err
			}
			m.question = "Restore it?"
			m.propose = func(ctx context.Context, client *client.Client) (wire.ModuleChange, error) {
				return client.RollbackModule(ctx, by, file, protocol.PinModule{DryRun: true})
			}
			m.do = func(ctx context.Context, client *client.Client, digest, replaces string) (wire.ModuleChange, error) {
				return client.RollbackModule(ctx, by, file, protocol.PinModule{Digest: digest, Replaces: replaces})
			}
			return m.run(c, cmd)
		},
	}
	m.register(cmd.Flags())
	asFlag(cmd, &by)
	return cmd
}
