package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"charm.land/huh/v2"
	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/builder"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

func permissionsCommand(c *cli) *cobra.Command {
	var by string
	var accessible bool
	cmd := &cobra.Command{
		Use:     "permissions",
		GroupID: "people",
		Short:   "Create rules interactively",
		Long: `Asks for a tool, a pattern, what the rule does, its scope and how long it applies. While
you type, it shows which recent calls of the tool match; before storing, it shows the
rule. Then it starts again with the next rule. Esc or Ctrl-C ends it.

With --accessible, with ACCESSIBLE set in the environment, or on a dumb terminal, it asks
line by line, without colors or drawing. In scripts use callgate /allow, /ask, /deny or
callgate rules add.`,
		Example: "  callgate permissions\n  callgate permissions --accessible",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := atTerminal()
			if err != nil {
				return fmt.Errorf("%w, or add the rule in one command: callgate /allow 'Bash(npm:*)', callgate /ask Bash, callgate /deny 'Read(**/.env*)', callgate rules add ask Bash --scope global --for 24h", err)
			}
			defer p.close()
			term := os.Getenv("TERM")
			d := &dialog{c: c, by: by, p: p, plain: accessible || os.Getenv("ACCESSIBLE") != "" || term == "" || term == "dumb"}
			return d.run(cmd.Context())
		},
	}
	asFlag(cmd, &by)
	cmd.Flags().BoolVar(&accessible, "accessible", false, "ask line by line, without drawing")
	return cmd
}

// dialog is one run of the builder.
type dialog struct {
	c      *cli
	by     string
	p      *person
	plain  bool
	stored int

	tools []wire.Tool
	rules []engine.Rule
}

// draft is an unfinished rule.
type draft struct {
	info     wire.Tool
	tool     string
	kind     builder.Kind
	text     string
	behavior string
	place    holds
	lasts    time.Duration
	calls    []builder.Call
}

// holds is where a rule is to hold.
type holds struct {
	scope engine.Scope
	key   string
}

// run builds rules until the person has enough.
func (d *dialog) run(ctx context.Context) error {
	for {
		err := d.c.withClient("", func(client *client.Client) error { return d.one(ctx, client) })
		another := false
		if err == nil {
			err = d.ask(ctx, huh.NewSelect[bool]().Title("What next?").Value(&another).Options(huh.NewOption("done", false), huh.NewOption("add another rule", true)))
		}
		if errors.Is(err, huh.ErrUserAborted) || errors.Is(err, io.EOF) {
			err, another = nil, false
		}
		if err != nil || !another {
			fmt.Fprintf(d.p.screen, "%d rules stored\n", d.stored)
			return err
		}
	}
}

// one builds one rule.
func (d *dialog) one(ctx context.Context, daemon *client.Client) error {
	var err error
	if d.tools, err = daemon.Tools(ctx); err != nil {
		return err
	}
	if d.rules, err = daemon.Rules(ctx, store.RuleFilter{}); err != nil {
		return err
	}
	var f draft
	for _, step := range []func(context.Context, *client.Client, *draft) error{d.askTool, d.askKind, d.askPattern, d.askRest} {
		if err := step(ctx, daemon, &f); err != nil {
			return err
		}
	}
	return d.settle(ctx, daemon, &f)
}

// ask shows one form.
func (d *dialog) ask(ctx context.Context, fields ...huh.Field) error {
	form := huh.NewForm(huh.NewGroup(fields...)).WithOutput(d.p.screen)
	if !d.plain {
		return form.WithTheme(huh.ThemeFunc(huh.ThemeBase16)).WithInput(d.p.keyboard).RunWithContext(ctx)
	}
	form.WithTheme(huh.ThemeFunc(func(bool) *huh.Styles { return &huh.Styles{} }))
	// Without a line there is no answer, although the library takes the default.
	in := &lines{from: d.p.keyboard}
	done := make(chan error, 1)
	go func() { done <- form.WithInput(in).WithAccessible(true).RunWithContext(ctx) }()
	select {
	case err := <-done:
		return errors.Join(err, in.ended)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// lines remembers the end of its input.
type lines struct {
	from  io.Reader
	ended error
}

func (l *lines) Read(p []byte) (int, error) {
	n, err := l.from.Read(p)
	if err != nil {
		l.ended = err
	}
	return n, err
}

// askTool asks for the tool; its label shows existing settings for it.
func (d *dialog) askTool(ctx context.Context, client *client.Client, f *draft) error {
	var options []huh.Option[int]
	for i, t := range d.tools {
		if t.Fallback {
			continue
		}
		label := t.Name
		if n := len(d.set(t.Name)); n > 0 {
			label = fmt.Sprintf("%s (%d rules)", t.Name, n)
		}
		options = append(options, huh.NewOption(label, i))
	}
	var at int
	if err := d.ask(ctx, huh.NewSelect[int]().Title("Which tool?").Options(options...).Value(&at).Height(12)); err != nil {
		return err
	}
	f.info, f.tool = d.tools[at], d.tools[at].Name
	if strings.ContainsAny(f.tool, "*?") {
		name := huh.NewInput().Title("Which tool exactly? A name, or a name pattern such as mcp__github__*").Value(&f.tool).
			Validate(func(text string) error {
				if !engine.MatchName(f.info.Name, text) || !engine.IsToolName(text) {
					return fmt.Errorf("want a name that %s matches", f.info.Name)
				}
				return nil
			})
		if err := d.ask(ctx, name); err != nil {
			return err
		}
	}
	var err error
	f.calls, err = builder.LastCalls(ctx, rowsOf(client), f.info, append([]string{f.tool}, f.info.Aliases...))
	return err
}

// set are the existing rules for a tool.
func (d *dialog) set(tool string) []engine.Rule {
	return slices.DeleteFunc(slices.Clone(d.rules), func(r engine.Rule) bool { return !engine.MatchName(r.Tool, tool) })
}

// askKind asks for the kind of pattern, after showing the existing rules and the tool's rule
// syntax.
func (d *dialog) askKind(ctx context.Context, _ *client.Client, f *draft) error {
	fmt.Fprintln(d.p.screen)
	for _, r := range d.set(f.tool) {
		fmt.Fprintf(d.p.screen, "existing: %s %s (%s)\n", r.Behavior, card.Line(r.String()), scopeText(r))
	}
	if f.info.RuleHelp != "" {
		fmt.Fprintf(d.p.screen, "%s: %s\n", f.tool, card.Line(f.info.RuleHelp))
	}
	var options []huh.Option[builder.Kind]
	for _, k := range builder.Kinds(f.info) {
		options = append(options, huh.NewOption(k.Label(), k))
	}
	return d.ask(ctx, huh.NewSelect[builder.Kind]().Title("What should the rule match?").Options(options...).Value(&f.kind))
}

// askPattern asks for the pattern and shows, while it is typed, the matching ones of the last
// calls. A pattern unreadable for the tool is refused.
func (d *dialog) askPattern(ctx context.Context, client *client.Client, f *draft) error {
	report := func() string {
		rule, err := builder.Rule(f.tool, f.kind, f.text)
		if err != nil {
			return err.Error()
		}
		return card.Line(builder.Report(f.calls, func(c builder.Call) (bool, bool, error) { return tried(ctx, client, rule, c) }))
	}
	if f.kind != builder.Whole {
		input := huh.NewInput().Title("Pattern").Value(&f.text).Validate(func(text string) error {
			rule, err := builder.Rule(f.tool, f.kind, text)
			if err != nil {
				return err
			}
			deny := engine.Deny
			_, err = client.ChangeRules(ctx, d.by, protocol.RuleChange{DryRun: true, Rules: []protocol.NewRule{{Rule: rule, Behavior: &deny}}})
			return err
		})
		if !d.plain {
			input = input.DescriptionFunc(report, &f.text)
		}
		if err := d.ask(ctx, input); err != nil {
			return err
		}
	}
	fmt.Fprintln(d.p.screen, report())
	return nil
}

// askRest asks for the rule's effect, scope and duration.
func (d *dialog) askRest(ctx context.Context, client *client.Client, f *draft) error {
	places, err := d.places(ctx, client)
	if err != nil {
		return err
	}
	return d.ask(ctx,
		huh.NewSelect[string]().Title("What should the rule do?").Value(&f.behavior).Options(
			huh.NewOption("ask: needs approval each time", "ask"), huh.NewOption("allow: runs without approval", "allow"), huh.NewOption("deny: never runs", "deny")),
		huh.NewSelect[holds]().Title("Where?").Options(places...).Value(&f.place),
		huh.NewSelect[time.Duration]().Title("How long should it apply?").Value(&f.lasts).Options(
			huh.NewOption("no expiry", time.Duration(0)), huh.NewOption("1 hour", time.Hour), huh.NewOption("24 hours", 24*time.Hour), huh.NewOption("7 days", 7*24*time.Hour)))
}

// places are the possible scopes of a rule, the narrowest usual one first.
func (d *dialog) places(ctx context.Context, client *client.Client) ([]huh.Option[holds], error) {
	var out []huh.Option[holds]
	cwd, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	here, err := client.Command(ctx, d.by, protocol.Command{Text: "/permissions", CWD: cwd})
	if err != nil {
		return nil, err
	}
	if here.Scope == engine.Project {
		out = append(out, huh.NewOption("the project "+card.Line(here.ScopeKey), holds{engine.Project, here.ScopeKey}))
	}
	if cfg, _, err := d.c.settings(); err == nil {
		for _, name := range agentNames(cfg) {
			out = append(out, huh.NewOption("the agent "+name, holds{engine.Agent, name}))
		}
	}
	sessions, err := client.Sessions(ctx, store.SessionFilter{Limit: 5})
	if err != nil {
		return nil, err
	}
	for _, s := range sessions {
		if strings.HasPrefix(s.ID, "-/") {
			continue // calls without a session share no conversation
		}
		out = append(out, huh.NewOption("the session "+card.Line(s.ID), holds{engine.Session, s.ID}))
	}
	return append(out, huh.NewOption("every agent and project", holds{engine.Global, ""})), nil
}
