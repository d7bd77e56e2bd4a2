package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/toolkit/scaffold"
	"github.com/callgate/callgate/sdk"
)

func toolBuild(c *cli) *cobra.Command {
	o := scaffold.BuildOptions{SDK: sdk.Files()}
	var verbose bool
	cmd := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Build a module with its language's own compiler",
		Long: `Builds the module of the project in DIR (default: the current directory) with the
language's own compiler. If the compiler is missing, the error says what to install;
nothing is installed for you. NAME.wasm is replaced only when the build succeeds.`,
		Example: "  callgate tool build\n  callgate tool build deploy --out modules/deploy.wasm -v",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Dir, o.Log = ".", cmd.ErrOrStderr()
			if len(args) == 1 {
				o.Dir = args[0]
			}
			if verbose {
				o.Commands = cmd.ErrOrStderr()
			}
			built, err := scaffold.Build(cmd.Context(), o)
			if err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), built, func(w io.Writer) {
				fmt.Fprintf(w, "%s: %d bytes, built with %s\n", card.Line(built.Path), built.Size, card.Line(built.Compiler))
			})
		},
	}
	cmd.Flags().StringVarP(&o.Out, "out", "o", "", "module file to write (default: NAME.wasm in the project)")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "print the commands")
	return cmd
}
