package main

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/terminal"
)

func asksCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "asks",
		GroupID: "people",
		Short:   "See and answer the calls that wait for a human",
		Example: "  callgate asks watch\n  callgate asks answer K7Q2PD approve",
		Args:    cobra.NoArgs,
		RunE:    needSubcommand,
	}
	var by string
	asFlag(cmd, &by)
	cmd.AddCommand(asksList(c), asksShow(c), asksWatch(c, &by), asksAnswer(c, &by))
	return cmd
}

func asksList(c *cli) *cobra.Command {
	var f ask.Filter
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the asks that wait",
		Example: "  callgate asks list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.client("")
			if err != nil {
				return err
			}
			defer client.Close()
			asks, err := client.Asks(cmd.Context(), f)
			if err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), asks, func(w io.Writer) { printAsks(w, asks) })
		},
	}
	cmd.Flags().StringVar(&f.Agent, "agent", "", "only asks of this agent")
	cmd.Flags().StringVar(&f.Session, "session", "", "only asks of this session")
	return cmd
}

func printAsks(w io.Writer, asks []api.AskView) {
	if len(asks) == 0 {
		fmt.Fprintln(w, "nothing waits")
		return
	}
	rows := [][]string{{"id", "state", "until", "agent", "session", "tool", "why"}}
	for _, a := range asks {
		state, until := string(a.State), "-"
		if a.Position > 0 {
			state = fmt.Sprintf("queued (%d)", a.Position)
		}
		if !a.Deadline.IsZero() {
			until = a.Deadline.Local().Format(time.TimeOnly)
		}
		rows = append(rows, []string{a.ID, state, until, card.Line(a.Agent), card.Line(a.Session), card.Line(a.Tool), card.Line(a.Decision.Reason)})
	}
	fmt.Fprint(w, table(rows))
}

func asksShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show one ask as its approver sees it, whole",
		Example: "  callgate asks show K7Q2PD",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			client, err := c.client("")
			if err != nil {
				return err
			}
			defer client.Close()
			view, err := client.Ask(cmd.Context(), ask.NormalID(args[0]))
			if err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), view, func(w io.Writer) {
				fmt.Fprint(w, card.Terminal(card.Render(view.Ask, time.Now()), 0, false))
				if view.Long() {
					fmt.Fprintln(w, card.Full(view.Ask))
				}
			})
		},
	}
}

func asksWatch(c *cli, by *string) *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Show each ask as it comes and answer it with one key",
		Long: `Shows each ask as it comes, with everything it would run, and takes one key for
the answer. Without a terminal it only shows them.`,
		Example: "  callgate asks watch --as ann",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := c.client("")
			if err != nil {
				return err
			}
			defer client.Close()
			w := watcher{client: client, by: *by, out: cmd.OutOrStdout(), json: c.json}
			if t, ok := terminal.Open(cmd.InOrStdin(), cmd.OutOrStdout()); ok && !c.json {
				w.terminal = t
			}
			return w.run(cmd.Context())
		},
	}
}

// answerFlags say what else an answer carries.
type answerFlags struct {
	answer  ask.Answer
	scope   string
	expires time.Duration
}

func asksAnswer(c *cli, by *string) *cobra.Command {
	var f answerFlags
	cmd := &cobra.Command{
		Use:   "answer ID approve|deny",
		Short: "Answer one ask; with --suggestion, store the rule that answers the next one",
		Example: `  callgate asks answer K7Q2PD approve --suggestion 1 --scope project
  callgate asks answer K7Q2PD deny --reason 'use the staging host'`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := f.read(args[1], *by)
			if err != nil {
				return err
			}
			client, err := c.client("")
			if err != nil {
				return err
			}
			defer client.Close()
			answered, err := client.Answer(cmd.Context(), ask.NormalID(args[0]), a)
			if err != nil {
				return err
			}
			return c.print(cmd.OutOrStdout(), answered, func(w io.Writer) { printAnswered(w, answered) })
		},
	}
	flags := cmd.Flags()
	flags.IntSliceVar(&f.answer.Sets, "suggestion", nil, "accept this suggestion (its number in `asks show --json`); may be repeated")
	flags.StringVar(&f.scope, "scope", "", "where accepted rules hold: project, agent, session, global")
	flags.DurationVar(&f.expires, "for", 0, "how long accepted rules hold (default: for good)")
	flags.BoolVar(&f.answer.ForSession, "session", false, "accept for this session only")
	flags.BoolVar(&f.answer.WholeTool, "whole-tool", false, "grant the whole tool, for this session")
	flags.StringVar(&f.answer.Reason, "reason", "", "why, for the agent")
	flags.BoolVar(&f.answer.Confirmed, "confirm", false, "approve what needs a second confirmation")
	return cmd
}

func (f *answerFlags) read(verdict, by string) (ask.Answer, error) {
	a := f.answer
	a.By, a.Surface = by, "command line"
	switch verdict {
	case "approve":
		a.Verdict = ask.Approve
	case "deny":
	default:
		return a, fmt.Errorf("verdict %q: want approve or deny", verdict)
	}
	if f.expires > 0 {
		a.ExpiresAt = time.Now().Add(f.expires)
	}
	if a.WholeTool {
		a.ForSession = true
	}
	if f.scope != "" {
		var err error
		if a.Scope, err = engine.ParseScope(f.scope); err != nil {
			return a, err
		}
	}
	return a, nil
}
