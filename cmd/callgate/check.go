package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// callFlags say where and for whom a call would run.
type callFlags struct {
	agent   string
	timeout time.Duration
	req     gate.Request
}

func (f *callFlags) register(c *cli, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", "judge as this agent, with its own check token (default: as admin, believed)")
	flags.StringVar(&f.req.Context.Session, "session", "", "the session the call belongs to")
	flags.StringVar(&f.req.Context.User, "user", "", "who triggered the call; not believed with --agent")
	flags.StringSliceVar(&f.req.Context.Roles, "role", nil, "a role of --user; may be repeated (default: what the configuration says of them)")
	flags.StringVar(&f.req.Context.CWD, "cwd", "", "where the call would run (default: here)")
	flags.StringVar(&f.req.Context.Mode, "mode", "", "the mode the client reports")
	flags.StringSliceVar(&f.req.Context.WorkingDirectories, "dir", nil, "working directory; may be repeated")
	flags.StringVar(&f.req.Context.Kind, "kind", "", "main (default), interactive_fork or background")
	completeFlag(cmd, "agent", c.completeAgents())
	completeFlag(cmd, "session", c.completeSessions())
	completeFlag(cmd, "mode", completeModes())
	completeFlag(cmd, "kind", words("main", "interactive_fork", "background"))
	flags.StringVar(&f.req.CallID, "call-id", "", "the client's own id of the call")
	flags.DurationVar(&f.timeout, "timeout", 0, "deny when nobody has answered by then")
}

// request reads TOOL and INPUT; INPUT "-" or none is standard input.
func (f *callFlags) request(cmd *cobra.Command, args []string) (gate.Request, error) {
	r := f.req
	r.Tool, r.Timeout = args[0], f.timeout
	if err := f.here(&r.Context); err != nil {
		return r, err
	}
	if len(args) == 1 && typedByHand(cmd.InOrStdin()) {
		return r, usageError(cmd, errors.New("INPUT is missing: want a JSON object, or - to type it here"))
	}
	if len(args) == 2 && args[1] != "-" {
		r.Input = json.RawMessage(args[1])
	} else {
		data, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), gate.MaxInput+1))
		if err != nil {
			return r, fmt.Errorf("read the input: %w", err)
		}
		r.Input = data
	}
	if _, err := gate.StrictObject(r.Input); err != nil {
		return r, fmt.Errorf("input: %w", err)
	}
	return r, nil
}

// here makes the directories of a call absolute, as somebody types them who is in one.
func (f *callFlags) here(c *gate.Claim) (err error) {
	if c.CWD, err = filepath.Abs(c.CWD); err != nil {
		return err
	}
	for i, dir := range c.WorkingDirectories {
		if c.WorkingDirectories[i], err = filepath.Abs(dir); err != nil {
			return err
		}
	}
	return nil
}

// typedByHand reports whether nothing comes from in unless somebody types it.
func typedByHand(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func checkCommand(c *cli) *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use:     "check TOOL [INPUT]",
		GroupID: "gate",
		Short:   "Judge one call, and wait for the human where one must decide",
		Long: `Judges one call of TOOL with INPUT, a JSON object (or - for standard input).
Paths count as inside only below --dir or the agent's working_directories; --cwd
by itself is no working directory.

Exit code 0 allows, 1 denies, 2 means that nobody answered in time, 3 an error.
With --json the whole result is printed, with the decision, its rule and its reason.`,
		Example: `  callgate check Bash '{"command": "npm run build"}'
  callgate check Bash '{"command": "npm run build"}' --timeout 30s --json
  echo '{"file_path": "/etc/hosts"}' | callgate check Read -`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: inOrder(c.completeTools()),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := f.request(cmd, args)
			if err != nil {
				return err
			}
			return c.withClient(f.agent, func(client *api.Client) error {
				res, err := client.Check(cmd.Context(), r, c.progress(cmd))
				if err != nil {
					return err
				}
				if err := c.print(cmd.OutOrStdout(), res, func(w io.Writer) { printResult(w, res) }); err != nil {
					return err
				}
				return exitCode(res)
			})
		},
	}
	f.register(c, cmd)
	return cmd
}

// progress tells the person what the call waits for, once each.
func (c *cli) progress(cmd *cobra.Command) func(api.Progress) {
	last := ""
	return func(p api.Progress) {
		if p.State == api.StateHeartbeat || c.json {
			return
		}
		if text := progressText(p); text != last {
			cmd.PrintErrln(text)
			last = text
		}
	}
}

func progressText(p api.Progress) string {
	switch {
	case p.Position > 0:
		return fmt.Sprintf("ask %s is queued, number %d", p.AskID, p.Position)
	case !p.Deadline.IsZero():
		return fmt.Sprintf("ask %s waits for a human until %s: %s", p.AskID, p.Deadline.Local().Format(time.TimeOnly), card.Line(p.Reason))
	}
	return fmt.Sprintf("ask %s: %s", p.AskID, p.State)
}

func printResult(w io.Writer, res gate.Result) {
	d := res.Decision
	fmt.Fprintf(w, "%s (%s): %s\n", d.Behavior, d.Stage, card.Line(d.Reason))
	if d.Rule != nil {
		fmt.Fprintf(w, "rule: %s\n", card.Line(d.Rule.String()))
	}
	if res.DecidedBy != "" {
		fmt.Fprintf(w, "answered by: %s\n", card.Line(res.DecidedBy))
	}
}

// exitCode turns a result into the exit codes of the design.
func exitCode(res gate.Result) error {
	switch {
	case res.Decision.Behavior == engine.Allow:
		return nil
	case res.Decision.Behavior == engine.Ask || res.Outcome == store.AskTimeout:
		return exit(exitAsk)
	}
	return exit(exitDeny)
}

func explainCommand(c *cli) *cobra.Command {
	var f callFlags
	cmd := &cobra.Command{
		Use:     "explain TOOL [INPUT]",
		GroupID: "gate",
		Short:   "Show every step of a decision, without asking, storing or auditing",
		Long: `Judges one call of TOOL with INPUT, a JSON object (or - for standard input), and
shows what each step saw: deny rules, ask rules, the tool's own check, allow rules,
the mode. Nobody is asked, and nothing is stored or audited.

Exit code 0 means that the call would be allowed, 1 denied, 2 asked about, 3 an error.`,
		Example: `  callgate explain Bash '{"command": "git status && rm -rf build"}'
  callgate explain Read '{"file_path": "/etc/hosts"}' --mode explore --json`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: inOrder(c.completeTools()),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := f.request(cmd, args)
			if err != nil {
				return err
			}
			return c.withClient(f.agent, func(client *api.Client) error {
				res, err := client.Evaluate(cmd.Context(), r)
				if err != nil {
					return err
				}
				if err := c.print(cmd.OutOrStdout(), res, func(w io.Writer) { printTrace(w, res) }); err != nil {
					return err
				}
				return exitCode(res)
			})
		},
	}
	f.register(c, cmd)
	return cmd
}

func printTrace(w io.Writer, res gate.Result) {
	fmt.Fprintf(w, "action   %s\n", card.Line(res.Action))
	for _, t := range res.Targets {
		fmt.Fprintf(w, "touches  %s\n", targetLine(t))
	}
	fmt.Fprintln(w)
	rows := [][]string{{"step", "result", "saw"}}
	for _, s := range res.Decision.Trace {
		rows = append(rows, []string{s.Step, s.Result, card.Line(s.Saw)})
	}
	fmt.Fprint(w, table(rows), "\n")
	printResult(w, res)
	if res.Decision.Message != "" {
		fmt.Fprintf(w, "the agent reads: %s\n", card.Line(res.Decision.Message))
	}
	for _, s := range res.Decision.Suggestions {
		rule := engine.Rule{Tool: s.Tool, Content: s.Content}
		fmt.Fprintf(w, "would be answered by: %s %s\n", s.Behavior, card.Line(rule.String()))
	}
	if res.Decision.SuggestionsNote != "" {
		fmt.Fprintf(w, "no rule answers this: %s\n", card.Line(res.Decision.SuggestionsNote))
	}
}

func targetLine(t engine.Target) string {
	switch {
	case t.Error != "":
		return card.Line(fmt.Sprintf("%s %s %s (unresolved: %s)", t.Access, t.Kind, t.Value, t.Error))
	case t.Resolved == "":
		return card.Line(fmt.Sprintf("%s %s %s", t.Access, t.Kind, t.Value))
	case t.Inside == "":
		return card.Line(fmt.Sprintf("%s %s (outside every working directory)", t.Access, t.Resolved))
	}
	return card.Line(fmt.Sprintf("%s %s (inside %s)", t.Access, t.Resolved, t.Inside))
}
