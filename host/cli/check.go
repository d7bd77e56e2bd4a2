package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// callFlags say where and for whom a call would run.
type callFlags struct {
	agent   string
	timeout time.Duration
	req     wire.Request
}

func (f *callFlags) register(c *cli, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.agent, "agent", "", "act as this agent (default: admin)")
	flags.StringVar(&f.req.Context.Session, "session", "", "session of the call")
	flags.StringVar(&f.req.Context.User, "user", "", "user who triggered the call; ignored with --agent")
	flags.StringSliceVar(&f.req.Context.Roles, "role", nil, "a role of --user; may be repeated (default: the user's roles in the configuration)")
	flags.StringVar(&f.req.Context.CWD, "cwd", "", "directory the call would run in (default: the current one)")
	flags.StringVar(&f.req.Context.Mode, "mode", "", "permission mode reported by the client")
	flags.StringSliceVar(&f.req.Context.WorkingDirectories, "dir", nil, "working directory; may be repeated")
	flags.StringVar(&f.req.Context.Kind, "kind", "", "context of the call: main (default), interactive_fork or background")
	completeFlag(cmd, "agent", c.completeAgents())
	completeFlag(cmd, "session", c.completeSessions())
	completeFlag(cmd, "mode", completeModes())
	completeFlag(cmd, "kind", words("main", "interactive_fork", "background"))
	flags.StringVar(&f.req.CallID, "call-id", "", "call ID of the client")
	flags.DurationVar(&f.timeout, "timeout", 0, "deny if there is no answer within this time")
}

// request reads TOOL and INPUT; INPUT "-" or none is standard input.
func (f *callFlags) request(cmd *cobra.Command, args []string) (wire.Request, error) {
	r := f.req
	r.Tool, r.Timeout = args[0], f.timeout
	if err := f.here(&r.Context); err != nil {
		return r, err
	}
	if len(args) == 1 && typedByHand(cmd.InOrStdin()) {
		return r, usageError(cmd, errors.New("missing INPUT: want a JSON object, or - to type it here"))
	}
	if len(args) == 2 && args[1] != "-" {
		r.Input = json.RawMessage(args[1])
	} else {
		data, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), strictjson.MaxObject+1))
		if err != nil {
			return r, fmt.Errorf("read the input: %w", err)
		}
		r.Input = data
	}
	if _, err := strictjson.Object(r.Input); err != nil {
		return r, fmt.Errorf("input: %w", err)
	}
	return r, nil
}

// here makes the directories of a call absolute, relative to the caller's own.
func (f *callFlags) here(c *wire.CallContext) (err error) {
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

// typedByHand reports whether in is a terminal, waiting for a person's input.
func typedByHand(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func checkCommand(c *cli) *cobra.Command {
	var f callFlags
	var dry bool
	cmd := &cobra.Command{
		Use:     "check TOOL [INPUT]",
		GroupID: "gate",
		Short:   "Check a tool call (waits for approval if needed)",
		Long: `Checks one call of TOOL with INPUT, a JSON object (or - for standard input).
Paths count as inside only below --dir or the agent's working_directories;
--cwd alone does not make a working directory.

Exit code 0: allowed, 1: denied, 2: no answer in time, 3: error.
--json prints the whole result with the decision, its rule and its reason.`,
		Example: `  callgate check Bash '{"command": "npm run build"}'
  callgate check Bash '{"command": "npm run build"}' --timeout 30s --json
  callgate check Bash '{"command": "rm -rf ~"}' --dry-run
  echo '{"file_path": "/etc/hosts"}' | callgate check Read -`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: inOrder(c.completeTools()),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := f.request(cmd, args)
			if err != nil {
				return err
			}
			if dry {
				res, err := c.evaluate(cmd, f, r)
				if err != nil {
					return err
				}
				if err := c.print(cmd.OutOrStdout(), res, func(w io.Writer) { printResult(w, res) }); err != nil {
					return err
				}
				return exitCode(res)
			}
			return c.withClient(f.agent, func(client *client.Client) error {
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
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show the decision without asking, storing or auditing; works without a daemon")
	return cmd
}

// progress shows the person the reasons for waiting, once each.
func (c *cli) progress(cmd *cobra.Command) func(protocol.Progress) {
	last := ""
	return func(p protocol.Progress) {
		if p.State == protocol.StateHeartbeat || c.json {
			return
		}
		if text := progressText(p); text != last {
			cmd.PrintErrln(text)
			last = text
		}
	}
}

func progressText(p protocol.Progress) string {
	switch {
	case p.Position > 0:
		return fmt.Sprintf("ask %s is queued at position %d", p.AskID, p.Position)
	case !p.Deadline.IsZero():
		return fmt.Sprintf("ask %s is waiting for approval until %s: %s", p.AskID, p.Deadline.Local().Format(time.TimeOnly), card.Line(p.Reason))
	}
	return fmt.Sprintf("ask %s: %s", p.AskID, p.State)
}

func printResult(w io.Writer, res wire.Result) {
	d := res.Decision
	fmt.Fprintf(w, "%s (%s): %s\n", d.Behavior, d.Stage, card.Line(d.Reason))
	if d.Rule != nil {
		fmt.Fprintf(w, "rule: %s\n", card.Line(d.Rule.String()))
	}
	if res.DecidedBy != "" {
		fmt.Fprintf(w, "answered by: %s\n", card.Line(res.DecidedBy))
	}
}

// exitCode turns a result into the command's exit code.
func exitCode(res wire.Result) error {
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
		Short:   "Show how a tool call would be decided, step by step",
		Long: `Checks one call of TOOL with INPUT, a JSON object (or - for standard input), and
shows the result of each step: deny rules, ask rules, the tool's own check, allow
rules, the mode. No approver is asked, and nothing is stored or audited. Without a
running daemon it decides with the configuration alone.

Exit code 0: would be allowed, 1: denied, 2: needs approval, 3: error.`,
		Example: `  callgate explain Bash '{"command": "git status && rm -rf build"}'
  callgate explain Read '{"file_path": "/etc/hosts"}' --mode explore --json`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: inOrder(c.completeTools()),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := f.request(cmd, args)
			if err != nil {
				return err
			}
			res, err := c.evaluate(cmd, f, r)
			if err != nil {
				return err
			}
			if err := c.print(cmd.OutOrStdout(), res, func(w io.Writer) { printTrace(w, res) }); err != nil {
				return err
			}
			return exitCode(res)
		},
	}
	f.register(c, cmd)
	return cmd
}

func printTrace(w io.Writer, res wire.Result) {
	fmt.Fprintf(w, "action   %s\n", card.Line(res.Action))
	for _, t := range res.Targets {
		fmt.Fprintf(w, "touches  %s\n", targetLine(t))
	}
	for _, line := range engine.EffectLines(res.Effects, nil, maxNamed) {
		fmt.Fprintf(w, "effect   %s\n", card.Line(line))
	}
	fmt.Fprintln(w)
	rows := [][]string{{"step", "result", "saw"}}
	for _, s := range res.Decision.Trace {
		rows = append(rows, []string{s.Step, s.Result, card.Line(strings.Replace(s.Saw, "ask, bypass immune", "safety check", 1))})
	}
	fmt.Fprint(w, table(rows), "\n")
	printResult(w, res)
	if res.Decision.Message != "" {
		fmt.Fprintf(w, "agent sees: %s\n", card.Line(res.Decision.Message))
	}
	for _, s := range res.Decision.Suggestions {
		rule := engine.Rule{Tool: s.Tool, Content: s.Content}
		fmt.Fprintf(w, "rule that would allow it: %s %s\n", s.Behavior, card.Line(rule.String()))
	}
	if res.Decision.SuggestionsNote != "" {
		fmt.Fprintf(w, "no rule is offered: %s\n", card.Line(res.Decision.SuggestionsNote))
	}
}

// maxNamed is how many objects a line about effects names; --json has them all.
const maxNamed = 8

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
