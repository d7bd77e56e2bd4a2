package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/store"
)

func sessionsCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "sessions",
		GroupID: "people",
		Short:   "List, pause, clear and interrupt sessions, or change their mode",
		Example: "  callgate sessions list\n  callgate sessions set-mode s-42 explore",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	var by string
	asFlag(cmd, &by)
	cmd.AddCommand(sessionsList(c), sessionsSetMode(c, &by), sessionsLists(c, &by), sessionsClear(c, &by),
		sessionsDo(c, "interrupt", "Cancel the pending asks of a session", func(cmd *cobra.Command, client *client.Client, id string) (any, string, error) {
			n, err := client.InterruptSession(cmd.Context(), by, id)
			return map[string]int{"asks": n}, fmt.Sprintf("%d asks cancelled", n), err
		}),
		sessionsDo(c, "exit-fork", "Cancel the pending asks of a session's interactive forks and end their mode", func(cmd *cobra.Command, client *client.Client, id string) (any, string, error) {
			n, err := client.ExitFork(cmd.Context(), by, id)
			return map[string]int{"asks": n}, fmt.Sprintf("%d asks cancelled", n), err
		}),
		sessionsDo(c, "resume", "Resume a session that was paused after repeated denials", func(cmd *cobra.Command, client *client.Client, id string) (any, string, error) {
			return map[string]string{"resumed": id}, "resumed " + id, client.ResumeSession(cmd.Context(), by, id)
		}))
	return cmd
}

func sessionsList(c *cli) *cobra.Command {
	var f store.SessionFilter
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List sessions, most recently used first",
		Example: "  callgate sessions list --agent builder\n  callgate sessions list --paused --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				sessions, err := client.Sessions(cmd.Context(), f)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), sessions, func(w io.Writer) { printSessions(w, sessions) })
			})
		},
	}
	cmd.Flags().StringVar(&f.Agent, "agent", "", "only sessions of this agent")
	cmd.Flags().BoolVar(&f.Paused, "paused", false, "only paused sessions")
	cmd.Flags().IntVar(&f.Limit, "limit", 50, "maximum number of sessions")
	return cmd
}

func printSessions(w io.Writer, sessions []store.Session) {
	if len(sessions) == 0 {
		fmt.Fprintln(w, "no sessions")
		return
	}
	rows := [][]string{{"session", "agent", "mode", "seen", "state", "project"}}
	for _, s := range sessions {
		mode, state := "agent's", "-"
		if s.Mode != nil {
			mode = s.Mode.String()
		}
		if s.ForkMode != nil {
			mode += "; forks " + s.ForkMode.String()
		}
		if s.Paused != "" {
			state = "paused: " + card.Line(s.Paused)
		}
		for _, c := range s.Shell {
			if note := card.Line(c.Tool) + "'s shell: " + c.Part + " changed"; !strings.Contains(state, note) {
				state = strings.TrimPrefix(state+"; ", "-; ") + note
			}
		}
		rows = append(rows, []string{card.Line(s.ID), card.Line(s.Agent), mode, s.SeenAt.Local().Format(time.DateTime), state, card.Line(s.ProjectRoot)})
	}
	fmt.Fprint(w, table(rows))
}

func sessionsSetMode(c *cli, by *string) *cobra.Command {
	var fork bool
	cmd := &cobra.Command{
		Use:     "set-mode SESSION MODE",
		Aliases: []string{"mode"},
		Short:   "Set the mode of a session or of its interactive forks; \"agent\" resets it",
		Long: `Sets the mode of a session. With --fork it applies only to the session's interactive
forks, until exit-fork or clear. "agent" restores the agent's mode (with --fork, the
session's). A fork mode that asks less than a client's check token could request is
refused for forks: only a token of kind integrator may claim that a call is a fork's.`,
		Example:           "  callgate sessions set-mode s-42 accept_edits\n  callgate sessions set-mode s-42 bypass --fork",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: inOrder(c.completeSessions(), words(append(engine.Modes(), "agent")...)),
		RunE: func(cmd *cobra.Command, args []string) error {
			var mode *engine.Mode
			if args[1] != "agent" {
				m, err := engine.ParseMode(args[1])
				if err != nil {
					return err
				}
				mode = &m
			}
			return c.withClient("", func(client *client.Client) error {
				set, whose := client.SetMode, ""
				if fork {
					set, whose = client.SetForkMode, "forks have "
				}
				if err := set(cmd.Context(), *by, args[0], mode); err != nil {
					return seeAlso(err, "callgate sessions list")
				}
				return c.print(cmd.OutOrStdout(), map[string]any{"session": args[0], "mode": mode, "fork": fork}, func(w io.Writer) {
					fmt.Fprintf(w, "session %s: %smode %s\n", card.Line(args[0]), whose, args[1])
				})
			})
		},
	}
	cmd.Flags().BoolVar(&fork, "fork", false, "only for the session's interactive forks, until they end")
	return cmd
}

func sessionsClear(c *cli, by *string) *cobra.Command {
	return sessionsDo(c, "clear", "Cancel a session's pending asks and drop its grants, modes and shell state",
		func(cmd *cobra.Command, client *client.Client, id string) (any, string, error) {
			cleared, err := client.ClearSession(cmd.Context(), *by, id)
			return cleared, fmt.Sprintf("%d asks cancelled, %d grants dropped", cleared.Asks, cleared.Grants), err
		})
}

// sessionsDo is a sub-command with one action on one session.
func sessionsDo(c *cli, name, short string, do func(*cobra.Command, *client.Client, string) (any, string, error)) *cobra.Command {
	return &cobra.Command{
		Use:               name + " SESSION",
		Short:             short,
		Example:           "  callgate sessions " + name + " s-42",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeSessions()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				result, text, err := do(cmd, client, args[0])
				if err != nil {
					return seeAlso(err, "callgate sessions list")
				}
				return c.print(cmd.OutOrStdout(), result, func(w io.Writer) { fmt.Fprintln(w, card.Line(text)) })
			})
		},
	}
}
