package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/pin"
)

// moduleChange is a change of a module that is shown, agreed to, and made.
type moduleChange struct {
	question    string
	yes, dryRun bool
	propose     func(context.Context, *api.Client) (api.ModuleChange, error)
	do          func(ctx context.Context, client *api.Client, digest, replaces string) (api.ModuleChange, error)
}

func (m *moduleChange) register(flags *pflag.FlagSet) {
	flags.BoolVar(&m.yes, "yes", false, "do not ask; the approver PIN is wanted all the same")
	flags.BoolVar(&m.dryRun, "dry-run", false, "only show what would happen")
}

// run shows the change, asks, and makes exactly what was shown.
func (m *moduleChange) run(c *cli, cmd *cobra.Command) error {
	var shown *api.ModuleChange
	screen := cmd.OutOrStdout()
	if c.json {
		screen = cmd.ErrOrStderr()
	}
	// A person whose PIN is needed is asked for it, and then all of this runs again.
	return c.withClient("", func(client *api.Client) error {
		if shown == nil {
			p, err := m.propose(cmd.Context(), client)
			if err != nil {
				return err
			}
			if m.dryRun {
				return c.print(cmd.OutOrStdout(), p, func(w io.Writer) { printProposal(w, p.Proposal) })
			}
			printProposal(screen, p.Proposal)
			if p.NeedsGrant {
				return fmt.Errorf("%s describes itself otherwise than when it was granted: look at what changed, and grant it anew: callgate tool pin %[1]s --same-grant, or with --names, --may-allow, --may-read-only and --limit", p.File)
			}
			if !m.yes {
				if err := agreed(cmd.Context(), m.question); err != nil {
					return err
				}
			}
			shown = &p
		}
		replaces := modules.ReplacesNothing
		if shown.Replaces != nil {
			replaces = shown.Replaces.Digest
		}
		done, err := m.do(cmd.Context(), client, shown.Digest, replaces)
		if err != nil {
			return err
		}
		return c.print(cmd.OutOrStdout(), done, func(w io.Writer) {
			fmt.Fprintf(w, "%s is in force: %s %s, sha256 %s (%s)\n", done.File, card.Line(done.Name), card.Line(done.Version), done.Digest, done.Took.Round(time.Millisecond))
			for _, rule := range done.Suspended {
				fmt.Fprintln(w, "no longer used, because the module reads it otherwise:", card.Line(rule))
			}
			if len(done.Suspended) > 0 {
				fmt.Fprintln(w, "to use one all the same: callgate rules list, callgate rules remove ID, and store it again")
			}
		})
	})
}

// printProposal shows what a module says of itself, what it gets, and what it replaces.
func printProposal(w io.Writer, p modules.Proposal) {
	rows := [][]string{
		{"module", fmt.Sprintf("%s %s (%s, %d bytes)", card.Line(p.Name), card.Line(p.Version), p.File, p.Size)},
		{"sha256", p.Digest},
		{"signature", signatureText(p.Signature)},
	}
	if p.Summary != "" {
		rows = append(rows, []string{"it says", card.Line(p.Summary)})
	}
	for _, t := range p.Tools {
		rows = append(rows, []string{"it declares", declaredText(t)})
	}
	fmt.Fprint(w, table(append(rows, grantRows("granted", p.Grant)...)))
	if len(p.NotGranted) > 0 {
		fmt.Fprintln(w, "not granted, so that others answer for it:", card.Line(strings.Join(p.NotGranted, " ")))
	}
	if p.Replaces != nil {
		fmt.Fprintf(w, "it replaces %s %s, sha256 %s, granted by %s on %s\n", card.Line(p.Replaces.Name), card.Line(p.Replaces.Version), p.Replaces.Digest,
			card.Line(p.Replaces.GrantedBy), p.Replaces.GrantedAt.Local().Format(time.DateTime))
		printChanges(w, "it describes itself otherwise:", p.Changes)
		printChanges(w, "it is granted something else:", p.GrantChanges)
	}
	for _, rule := range p.Suspends {
		fmt.Fprintln(w, "will no longer be used, because the module reads it otherwise:", card.Line(rule))
	}
	for _, note := range p.Notes {
		fmt.Fprintln(w, "note:", card.Line(note))
	}
}

func printChanges(w io.Writer, head string, changes []pin.Change) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprintln(w, head)
	for _, c := range changes {
		fmt.Fprintf(w, "  %s\n    was:  %s\n    will: %s\n", card.Line(c.Where), orNothing(c.Was), orNothing(c.Will))
	}
}

func signatureText(s *pin.Signature) string {
	if s == nil {
		return "none"
	}
	return "good, by " + s.Key
}

func declaredText(t modules.DeclaredTool) string {
	text := t.Name
	if len(t.Aliases) > 0 {
		text += " (also " + strings.Join(t.Aliases, " ") + ")"
	}
	if t.ReadOnly {
		text += ", read-only"
	}
	if t.EditsFiles {
		text += ", edits files"
	}
	return card.Line(fmt.Sprintf("%s, %d rule examples", text, t.Examples))
}

// grantRows are a grant as rows of a table.
func grantRows(head string, g pin.Grant) [][]string {
	counts := func(on bool) string {
		if on {
			return "counts"
		}
		return "does not count"
	}
	rows := [][]string{
		{head, "names " + card.Line(strings.Join(g.Names, " "))},
		{"", "its own allow " + counts(g.MayAllow)},
		{"", "its own read-only " + counts(g.MayReadOnly)},
	}
	if len(g.Limits) > 0 {
		rows = append(rows, []string{"", "limits " + limitText(g.Limits)})
	}
	if g.Dev {
		rows = append(rows, []string{"", "dev: it may change its file"})
	}
	return rows
}

func limitText(limits map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		all = append(all, name+" "+limits[name])
	}
	return strings.Join(all, ", ")
}

// grantFlags are what a person grants.
type grantFlags struct {
	grant     pin.Grant
	limits    []string
	signature string
}

func (f *grantFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.grant.Names, "names", nil, "the tool names and globs it may answer for; commas between, or repeated (default: the exact names it declares)")
	flags.BoolVar(&f.grant.MayAllow, "may-allow", false, "its own allow counts")
	flags.BoolVar(&f.grant.MayReadOnly, "may-read-only", false, "its own read-only counts")
	flags.StringArrayVar(&f.limits, "limit", nil, "a limit of its own, as fuel=2000000000 or timeout=2s; repeated for more")
	flags.BoolVar(&f.grant.Dev, "dev", false, "load its file again whenever it changes: under the same grant while it describes itself the same, else under its names alone")
	flags.StringVar(&f.signature, "signature", "", "a signature file, as callgate tool sign makes it (default: the module's file with .sig, where that is)")
}

// given tells that a grant was named.
func (f *grantFlags) given(flags *pflag.FlagSet) bool {
	return slices.ContainsFunc([]string{"names", "may-allow", "may-read-only", "limit", "dev"}, flags.Changed)
}

// read completes the grant.
func (f *grantFlags) read() (*pin.Grant, error) {
	for _, text := range f.limits {
		name, value, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("--limit %q: want NAME=VALUE, such as fuel=2000000000", text)
		}
		if f.grant.Limits == nil {
			f.grant.Limits = map[string]string{}
		}
		f.grant.Limits[name] = value
	}
	if err := f.grant.Check(); err != nil {
		return nil, err
	}
	return &f.grant, nil
}

// signed reads the signature of a module's file; nil when there is none.
func (f *grantFlags) signed(module string) (*pin.Signature, error) {
	path := f.signature
	if path == "" {
		path = module + ".sig"
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && f.signature == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	s, err := pin.ParseSignature(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &s, nil
}
