package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
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
		Args:    onlyCommands,
		RunE:    needCommand,
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
			return c.withClient("", func(client *api.Client) error {
				asks, err := client.Asks(cmd.Context(), f)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), asks, func(w io.Writer) { printAsks(w, asks) })
			})
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
	rows := [][]string{{"id", "state", "until", "agent", "session", "tool", "approvers", "why"}}
	for _, a := range asks {
		state, until := string(a.State), "-"
		if a.Position > 0 {
			state = fmt.Sprintf("queued (%d)", a.Position)
		}
		if !a.Deadline.IsZero() {
			until = a.Deadline.Local().Format(time.TimeOnly)
		}
		rows = append(rows, []string{a.ID, state, until, card.Line(a.Agent), card.Line(a.Session), card.Line(a.Tool), approversText(a), card.Line(a.Decision.Reason)})
	}
	fmt.Fprint(w, table(rows))
}

// approversText says who may answer, and who has approved where several have to.
func approversText(a api.AskView) string {
	switch {
	case a.WhoMayAnswer == "":
		return "-"
	case a.Progress == "":
		return card.Line(a.WhoMayAnswer)
	}
	return card.Line(a.WhoMayAnswer + " (" + a.Progress + ")")
}

func asksShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show one ask as its approver sees it, whole",
		Example:           "  callgate asks show K7Q2PD\n  callgate asks show K7Q2PD --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeAsks()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *api.Client) error {
				view, err := findAsk(cmd, client, args[0])
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), view, func(w io.Writer) {
					fmt.Fprint(w, card.Terminal(card.Render(view.Ask, time.Now()), 0, false))
					if view.Long() {
						fmt.Fprintln(w, card.Full(view.Ask))
					}
				})
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
			return c.withClient("", func(client *api.Client) error {
				w := watcher{client: client, by: *by, out: cmd.OutOrStdout(), json: c.json}
				if t, ok := terminal.Open(cmd.InOrStdin(), cmd.OutOrStdout()); ok && !c.json {
					w.terminal = t
				}
				return w.run(cmd.Context())
			})
		},
	}
}

// answerFlags say what else an answer carries.
type answerFlags struct {
	answer      ask.Answer
	suggestions []int
	scope       string
	expires     time.Duration
}

func asksAnswer(c *cli, by *string) *cobra.Command {
	var f answerFlags
	cmd := &cobra.Command{
		Use:   "answer ID approve|deny",
		Short: "Answer one ask; with --suggestion, store the rule that answers the next one",
		Example: `  callgate asks answer K7Q2PD approve --suggestion 1 --scope project
  callgate asks answer K7Q2PD deny --reason 'use the staging host'`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: inOrder(c.completeAsks(), words("approve", "deny")),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := f.read(args[1], *by)
			if err != nil {
				return err
			}
			return c.withClient("", func(client *api.Client) error {
				view, err := findAsk(cmd, client, args[0])
				if err != nil {
					return err
				}
				if a.Sets, err = acceptedSets(view.Ask, f.suggestions); err != nil {
					return err
				}
				if a.ConfirmID, err = confirmed(cmd.Context(), view.Ask, a); err != nil {
					return err
				}
				answered, err := client.Answer(cmd.Context(), view.ID, a)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), answered, func(w io.Writer) { printAnswered(w, answered) })
			})
		},
	}
	flags := cmd.Flags()
	flags.IntSliceVar(&f.suggestions, "suggestion", nil, "store the rules behind this `number` of asks show; may be repeated")
	flags.StringVar(&f.scope, "scope", "", "where accepted rules hold: project, agent, session, global")
	flags.DurationVar(&f.expires, "for", 0, "how long accepted rules hold (default: for good)")
	flags.BoolVar(&f.answer.ForSession, "session", false, "the accepted rules hold for this session only")
	completeFlag(cmd, "scope", completeScopes())
	flags.BoolVar(&f.answer.WholeTool, "whole-tool", false, "grant the whole tool, for this session")
	flags.StringVar(&f.answer.Reason, "reason", "", "why, for the agent")
	flags.StringVar(&f.answer.ConfirmID, "confirm", "", "the ask's `id` again: needed to approve a safety check or a call too long for a card, and to store a rule beyond the session")
	return cmd
}

// confirmed has the ask's id typed where an answer wants it and no flag gave it.
func confirmed(ctx context.Context, shown ask.Ask, a ask.Answer) (string, error) {
	if a.ConfirmID != "" || !shown.WantsID(a) {
		return a.ConfirmID, nil
	}
	p, err := atTerminal()
	if err != nil {
		return "", fmt.Errorf("%w: --confirm %s (%w)", ask.ErrUnconfirmed, shown.ID, err)
	}
	defer p.close()
	return p.line(ctx, "Type the ask's id to approve: ")
}

// findAsk returns one ask by its id as a person types it.
func findAsk(cmd *cobra.Command, client *api.Client, id string) (api.AskView, error) {
	view, err := client.Ask(cmd.Context(), ask.NormalID(id))
	if err != nil {
		return view, seeAlso(fmt.Errorf("ask %q: %w", id, err), "callgate asks list")
	}
	return view, nil
}

// acceptedSets finds the suggestions that stand behind numbers of the card.
func acceptedSets(a ask.Ask, numbers []int) ([]int, error) {
	var sets []int
	choices := card.Choices(a)
	for _, n := range numbers {
		i := slices.IndexFunc(choices, func(c card.Choice) bool { return c.Key == strconv.Itoa(n) })
		if i < 0 && a.State == ask.Shown {
			return nil, fmt.Errorf("--suggestion %d: ask %s does not offer it: see callgate asks show %s", n, a.ID, a.ID)
		}
		if i >= 0 {
			sets = append(sets, choices[i].Answer.Sets...)
		}
	}
	return sets, nil
}

// consistent refuses flags that would do nothing.
func (f *answerFlags) consistent(a ask.Answer) error {
	accepts := len(f.suggestions) > 0 || a.WholeTool
	limits := f.scope != "" || f.expires != 0 || a.ForSession
	switch {
	case (accepts || limits) && a.Verdict != ask.Approve:
		return errors.New("a denial stores no rule: leave out --suggestion, --whole-tool, --scope, --for and --session")
	case limits && !accepts:
		return errors.New("--scope, --for and --session say where and how long an accepted rule holds: name the rule by --suggestion N or --whole-tool")
	case f.expires < 0:
		return fmt.Errorf("--for %s: want a time to come, such as 24h", f.expires)
	}
	return nil
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
	if err := f.consistent(a); err != nil {
		return a, err
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
