package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/approval/terminal"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

func asksCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "asks",
		GroupID: "people",
		Short:   "List and answer pending approval requests (asks)",
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
		Short:   "List the pending asks",
		Example: "  callgate asks list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				asks, err := client.Asks(cmd.Context(), f)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), asks, func(w io.Writer) { printAsks(w, asks) })
			})
		},
	}
	cmd.Flags().StringVar(&f.Agent, "agent", "", "only asks from this agent")
	cmd.Flags().StringVar(&f.Session, "session", "", "only asks from this session")
	return cmd
}

func printAsks(w io.Writer, asks []protocol.AskView) {
	if len(asks) == 0 {
		fmt.Fprintln(w, "no pending asks")
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
func approversText(a protocol.AskView) string {
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
		Short:             "Show one ask with all the approver needs to decide",
		Example:           "  callgate asks show K7Q2PD\n  callgate asks show K7Q2PD --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeAsks()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				view, err := findAsk(cmd, client, args[0])
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), view, func(w io.Writer) {
					fmt.Fprint(w, card.Terminal(card.Render(view.Ask, time.Now()), 0, false))
					printLimits(w, view.Limits)
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
		Short: "Show each new ask and answer it with one key",
		Long: `Shows each new ask with everything the call would run, and reads one key as the
answer. Key l lists all waiting asks of the session on one screen: a allows all of them,
n denies all, a number answers one. Key e changes the input before it is allowed, where
the client takes a changed one. Without a terminal it only prints the asks. With --json
each line is an ask, or an alarm of a hook that does not check its calls: it has "event".`,
		Example: "  callgate asks watch --as ann",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withClient("", func(client *client.Client) error {
				w := watcher{client: client, by: *by, out: cmd.OutOrStdout(), json: c.json}
				if t, ok := terminal.Open(cmd.InOrStdin(), cmd.OutOrStdout()); ok && !c.json {
					w.terminal = t
				}
				return w.run(cmd.Context())
			})
		},
	}
}

// answerFlags are the further parts of an answer.
type answerFlags struct {
	answer      ask.Answer
	suggestions []int
	scope       string
	expires     time.Duration
	folder      string
	input       string
}

func asksAnswer(c *cli, by *string) *cobra.Command {
	var f answerFlags
	cmd := &cobra.Command{
		Use:   "answer ID... approve|deny",
		Short: "Approve or deny asks; --suggestion also stores a rule",
		Long: `Approves or denies one ask, or several at once, queued ones included. Several are
answered once, without a rule: a safety check, a call too long for a card, and an ask that
several people have to approve stay pending and need their own answer. A denial of several
counts once towards a pause of the session.`,
		Example: `  callgate asks answer K7Q2PD approve --suggestion 1 --scope project
  callgate asks answer K7Q2PD approve --input '{"command": "rm -rf build"}'
  callgate asks answer K7Q2PD M3XW8R P9TT4C approve
  callgate asks answer K7Q2PD deny --reason 'use the staging host'`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: inOrder(c.completeAsks(), words("approve", "deny")),
		RunE: func(cmd *cobra.Command, args []string) error {
			ids, verdict := args[:len(args)-1], args[len(args)-1]
			a, err := f.read(verdict, *by)
			if err != nil {
				return err
			}
			if len(ids) > 1 && (len(f.suggestions) > 0 || a.WholeTool || f.folder != "" || f.input != "" || a.ConfirmID != "") {
				return errors.New("several asks are answered once: give --suggestion, --whole-tool, --trust-folder, --input and --confirm with one ask")
			}
			return c.withClient("", func(client *client.Client) error {
				if len(ids) > 1 {
					return c.answerTogether(cmd, client, ids, a)
				}
				view, err := findAsk(cmd, client, args[0])
				if err != nil {
					return err
				}
				if a.Sets, err = acceptedSets(view.Ask, f.suggestions); err != nil {
					return err
				}
				if a.Input, err = f.changedInput(cmd.InOrStdin()); err != nil {
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
	flags.IntSliceVar(&f.suggestions, "suggestion", nil, "store the rule with this `number` from asks show; may be repeated")
	flags.StringVar(&f.scope, "scope", "", "scope of the stored rules: project, agent, session, global")
	flags.DurationVar(&f.expires, "for", 0, "how long the stored rules apply (default: no expiry)")
	flags.BoolVar(&f.answer.ForSession, "session", false, "store the rules for this session only")
	completeFlag(cmd, "scope", completeScopes())
	flags.StringVar(&f.folder, "trust-folder", "", "trust the call's project folder for this agent from now on: read, or edit, which includes reading")
	completeFlag(cmd, "trust-folder", words("read", "edit"))
	flags.BoolVar(&f.answer.WholeTool, "whole-tool", false, "allow every call of this tool for this session")
	flags.StringVar(&f.input, "input", "", "run this `JSON` input instead, given as an object, a file, or - for standard input; the changed call is checked again")
	flags.StringVar(&f.answer.Reason, "reason", "", "reason, shown to the agent")
	flags.StringVar(&f.answer.ConfirmID, "confirm", "", "repeat the ask's `id`: required to approve a safety check or a call too long for a card, or to store a rule beyond the session")
	return cmd
}

// answerTogether gives several asks one answer. An ask that needs its own stays pending, and
// the error names it.
func (c *cli) answerTogether(cmd *cobra.Command, client *client.Client, ids []string, a ask.Answer) error {
	var done []ask.AnswerResult
	var failed error
	for _, id := range ids {
		a.Together = len(done) + 1
		answered, err := client.Answer(cmd.Context(), ask.NormalID(id), a)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("ask %s: %w", ask.NormalID(id), err))
			continue
		}
		done = append(done, answered)
	}
	err := c.print(cmd.OutOrStdout(), done, func(w io.Writer) {
		for _, answered := range done {
			printAnswered(w, answered)
		}
	})
	return errors.Join(failed, err)
}

// confirmed has the ask's id typed where an answer wants it and no flag gave it.
func confirmed(ctx context.Context, shown ask.Ask, a ask.Answer) (string, error) {
	if a.ConfirmID != "" || a.Input != nil || !shown.WantsID(a) {
		return a.ConfirmID, nil
	}
	p, err := atTerminal()
	if err != nil {
		return "", fmt.Errorf("%w: --confirm %s (%w)", ask.ErrUnconfirmed, shown.ID, err)
	}
	defer p.close()
	return p.line(ctx, "Type the ask's ID to approve: ")
}

// findAsk returns one ask by its id as a person types it.
func findAsk(cmd *cobra.Command, client *client.Client, id string) (protocol.AskView, error) {
	view, err := client.Ask(cmd.Context(), ask.NormalID(id))
	if err != nil {
		return view, seeAlso(fmt.Errorf("ask %q: %w", id, err), "callgate asks list")
	}
	return view, nil
}

// acceptedSets finds the suggestions for numbers on the card.
func acceptedSets(a ask.Ask, numbers []int) ([]int, error) {
	var sets []int
	choices := card.Choices(a)
	for _, n := range numbers {
		i := slices.IndexFunc(choices, func(c card.Choice) bool { return c.Key == strconv.Itoa(n) })
		if i < 0 && a.State == ask.Shown {
			return nil, fmt.Errorf("--suggestion %d: ask %s has no such suggestion. List them: callgate asks show %s", n, a.ID, a.ID)
		}
		if i >= 0 {
			sets = append(sets, choices[i].Answer.Sets...)
		}
	}
	return sets, nil
}

// consistent refuses flags without an effect.
func (f *answerFlags) consistent(a ask.Answer) error {
	accepts := len(f.suggestions) > 0 || a.WholeTool
	limits := f.scope != "" || f.expires != 0 || a.ForSession
	switch {
	case (accepts || limits) && a.Verdict != ask.Approve:
		return errors.New("a denial stores no rule: remove --suggestion, --whole-tool, --scope, --for and --session")
	case limits && !accepts:
		return errors.New("--scope, --for and --session need a rule to store: add --suggestion N or --whole-tool")
	case f.folder != "" && (accepts || limits || a.Verdict != ask.Approve):
		return errors.New("--trust-folder works with approve and with none of --suggestion, --whole-tool, --scope, --for and --session")
	case f.input != "" && (f.folder != "" || accepts || limits || a.Verdict != ask.Approve):
		return errors.New("--input works with approve, once: remove --suggestion, --whole-tool, --scope, --for, --session and --trust-folder")
	case f.expires < 0:
		return fmt.Errorf("--for %s: want a duration in the future, such as 24h", f.expires)
	}
	return nil
}

// maxInput bounds the file of --input, in bytes.
const maxInput = 1 << 20

// changedInput is the input to run instead, as --input gives it; nil for none.
func (f *answerFlags) changedInput(stdin io.Reader) (json.RawMessage, error) {
	if f.input == "" {
		return nil, nil
	}
	text, err := []byte(f.input), error(nil)
	switch {
	case strings.HasPrefix(strings.TrimSpace(f.input), "{"):
	case f.input == "-":
		text, err = io.ReadAll(io.LimitReader(stdin, maxInput+1))
	default:
		text, err = os.ReadFile(f.input)
	}
	if err == nil && len(text) > maxInput {
		err = fmt.Errorf("larger than %d MiB", maxInput>>20)
	}
	if err == nil {
		text, err = strictjson.Object(text)
	}
	if err != nil {
		return nil, fmt.Errorf("--input: %w; want the whole input as one JSON object, a file of it, or -", err)
	}
	return text, nil
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
	if f.folder != "" {
		var err error
		if a.Folder, err = wire.ParseFolderAccess(f.folder); err != nil {
			return a, fmt.Errorf("--trust-folder %w", err)
		}
	}
	if f.scope != "" {
		var err error
		if a.Scope, err = engine.ParseScope(f.scope); err != nil {
			return a, err
		}
	}
	return a, nil
}
