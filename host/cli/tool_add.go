package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/wire"
)

func toolAdd(c *cli) *cobra.Command {
	var f grantFlags
	var m moduleChange
	var by string
	cmd := &cobra.Command{
		Use:   "add [MODULE]",
		Short: "Add a module, or a new version of one, and grant it permissions",
		Long: `Shows what a module declares and the permissions it would get, asks for confirmation, and
has the daemon load it. The file is pinned by SHA-256. Permissions come from the flags,
never from the module. Without flags the module answers for exactly the names it
declares, and its own allow and read-only answers are ignored.

If the module is already in use, the new file replaces it: the differences are shown, and
callgate tool rollback restores the previous version. A module that cannot be loaded,
fails its own examples or claims a name of another module is rejected, and nothing
changes. Requires the approver PIN.

MODULE is a .wasm file, or a directory with one.`,
		Example:           "  callgate tool add deploy.wasm\n  callgate tool add deploy.wasm --may-read-only --limit fuel=2000000000\n  callgate tool add deploy.wasm --dry-run --json",
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: completeModule,
		RunE: func(cmd *cobra.Command, args []string) error {
			path, err := moduleArg(args)
			if err != nil {
				return err
			}
			wasm, p, err := f.request(path)
			if err != nil {
				return err
			}
			file := filepath.Base(path)
			m.question = "Grant these permissions?"
			m.propose = func(ctx context.Context, client *client.Client) (wire.ModuleChange, error) {
				p.DryRun = true
				return client.PutModule(ctx, by, file, wasm, p)
			}
			m.do = func(ctx context.Context, client *client.Client, digest, replaces string) (wire.ModuleChange, error) {
				p.DryRun, p.Digest, p.Replaces = false, digest, replaces
				return client.PutModule(ctx, by, file, wasm, p)
			}
			return m.run(c, cmd)
		},
	}
	f.register(cmd.Flags())
	m.register(cmd.Flags())
	asFlag(cmd, &by)
	return cmd
}

// request reads a module's file, and the flags for it.
func (f *grantFlags) request(path string) (wasm []byte, p protocol.PinModule, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, p, err
	}
	if info.Size() > sandbox.MaxModuleBytes {
		return nil, p, fmt.Errorf("%s: larger than %d MiB, the limit for a module", path, sandbox.MaxModuleBytes>>20)
	}
	if err := modules.CheckFile(filepath.Base(path)); err != nil {
		return nil, p, err
	}
	if wasm, err = os.ReadFile(path); err != nil {
		return nil, p, err
	}
	if p.Grant, err = f.read(); err != nil {
		return nil, p, err
	}
	p.Signature, err = f.signed(path)
	return wasm, p, err
}
