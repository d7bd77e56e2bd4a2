package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/terminal"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/toolkit/demo"
	"github.com/callgate/callgate/plugins"
	"github.com/callgate/callgate/testdata/deploy"
	"github.com/callgate/callgate/testdata/sessions"
)

func demoCommand(*cli) *cobra.Command {
	var inDiscord, inBrowser bool
	command := &cobra.Command{
		Use:     "demo",
		GroupID: "gate",
		Short:   "Replay recorded agent sessions through a temporary gate",
		Long: `Starts a gate with a temporary store and replays recorded agent sessions through its
HTTP API. On a terminal you answer some of the asks (after 20 seconds the demo's own
approver does); that approver answers the others at once. The last act adds a third-party
module and then replaces its file with an unapproved one. Nothing is left behind.

With --discord the asks are cards on a fake Discord server inside the demo: no account
and no network is needed. Each card is printed as people see it, with the buttons they
press and the card's text afterwards.

With --console it replays the sessions as a week, and prints a one-time link to the web
console with that week and with calls that wait for you. It ends with Ctrl-C.`,
		Example: "  callgate demo\n  callgate demo </dev/null\n  callgate demo --discord",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := needModules(); err != nil {
				return err
			}
			dirs, err := config.UserDirs()
			if err != nil {
				return err
			}
			o := demo.Options{Sessions: sessions.Files, Own: deploy.WAT, Modules: plugins.Modules(), Compiler: compiler(), CacheDir: dirs.Cache, InDiscord: inDiscord, InBrowser: inBrowser, Out: cmd.OutOrStdout()}
			if t, ok := terminal.Open(cmd.InOrStdin(), cmd.OutOrStdout()); ok {
				o.Color, o.Width = t.Color(), terminal.Columns(cmd.OutOrStdout())
				if inDiscord || inBrowser {
					o.Keyboard = t
					return demo.Run(cmd.Context(), o)
				}
				o.Person = func(ctx context.Context, a ask.Ask) (ask.Answer, bool) {
					answer, ok := t.Ask(ctx, a)
					answer.By = "you"
					return answer, ok
				}
			}
			return demo.Run(cmd.Context(), o)
		},
	}
	command.Flags().BoolVar(&inDiscord, "discord", false, "show the asks on a fake Discord server inside the demo")
	command.Flags().BoolVar(&inBrowser, "console", false, "show a week of calls in the web console, until Ctrl-C")
	command.MarkFlagsMutuallyExclusive("discord", "console")
	return command
}
