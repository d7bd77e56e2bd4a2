package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
)

func toolRemove(c *cli) *cobra.Command {
	var by string
	var yes bool
	cmd := &cobra.Command{
		Use:   "remove FILE",
		Short: "Take a module away: its file, its grant, and the version before",
		Long: `Has the running daemon take a module away. Its tools are then unknown ones, about
which every call asks; what the module itself denied or asked about is no longer told
apart. So somebody has to be there to type the approver PIN.`,
		Example:           "  callgate tool remove deploy",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeInstalled()),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := installed(args[0])
			if err != nil {
				return err
			}
			said := yes
			return c.withClient("", func(client *api.Client) error {
				if !said {
					if err := agreed(cmd.Context(), "Take "+file+" away, with its grant and the version before?"); err != nil {
						return err
					}
					said = true
				}
				out, err := client.RemoveModule(cmd.Context(), by, file)
				if err != nil {
					return seeAlso(err, "callgate tool list")
				}
				return c.print(cmd.OutOrStdout(), out, func(w io.Writer) {
					fmt.Fprintln(w, file+" is no longer there")
					for _, p := range out.Problems {
						fmt.Fprintf(w, "problem: %s: %s\n", card.Line(p.File), card.Line(p.Error))
					}
				})
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask; the approver PIN is wanted all the same")
	asFlag(cmd, &by)
	return cmd
}
