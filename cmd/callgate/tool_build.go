package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/scaffold"
	"github.com/callgate/callgate/sdk"
)

func toolBuild(c *cli) *cobra.Command {
	o := scaffold.BuildOptions{SDK: sdk.Files()}
	var verbose bool
	cmd := &cobra.Command{
		Use:   "build [DIR]",
		Short: "Build the module of a project, with the language's own compiler",
		Long: `Builds the module of the project in DIR, by default the directory you are in: the
compiler is found, and what to install is said when it is missing. Nothing is
installed. The compiler's messages come as it writes them. NAME.wasm is replaced in
one step, and only when everything went well.`,
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
				fmt.Fprintf(w, "%s: %d bytes, by %s\n", card.Line(built.Path), built.Size, card.Line(built.Compiler))
			})
		},
	}
	cmd.Flags().StringVarP(&o.Out, "out", "o", "", "the module's file (default NAME.wasm in the project)")
	cmd.Flags().BoolVarP(&verbose, "verbose", "v", false, "show the commands that run")
	return cmd
}
