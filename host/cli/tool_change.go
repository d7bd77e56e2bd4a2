package cli

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

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"
)

// moduleChange is a change of a module: it is shown, confirmed, and made.
type moduleChange struct {
	question    string
	yes, dryRun bool
	propose     func(context.Context, *client.Client) (wire.ModuleChange, error)
	do          func(ctx context.Context, client *client.Client, digest, replaces string) (wire.ModuleChange, error)
}

func (m *moduleChange) register(flags *pflag.FlagSet) {
	flags.BoolVar(&m.yes, "yes", false, "skip the question; the approver PIN is still required")
	flags.BoolVar(&m.dryRun, "dry-run", false, "show what would happen and change nothing")
}

// run shows the change, asks, and makes exactly this change.
func (m *moduleChange) run(c *cli, cmd *cobra.Command) error {
	var shown *wire.ModuleChange
	screen := cmd.OutOrStdout()
	if c.json {
		screen = cmd.ErrOrStderr()
	}
	// If the PIN is needed, the person types it, and then all of this runs again.
	return c.withClient("", func(client *client.Client) error {
		if shown == nil {
			p, err := m.propose(cmd.Context(), client)
			if err != nil {
				return err
			}
			if m.dryRun {
				return c.print(cmd.OutOrStdout(), p, func(w io.Writer) { printProposal(w, p.ModuleProposal) })
			}
			printProposal(screen, p.ModuleProposal)
			if p.NeedsGrant {
				what := "declares something else than when it was granted"
				if p.SignerWas != "" {
					what = "has another signer than when it was granted"
				}
				return fmt.Errorf("%s %s: review the changes and grant it again: callgate tool pin %[1]s --same-grant, or with --names, --may-allow, --may-read-only and --limit", p.File, what)
			}
			if err := pinIsSet(cmd.Context(), client); err != nil {
				return err
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
			fmt.Fprintf(w, "%s is in use: %s %s, sha256 %s (%s)\n", done.File, card.Line(done.Name), card.Line(done.Version), done.Digest, done.Took.Round(time.Millisecond))
			for _, rule := range done.Suspended {
				fmt.Fprintln(w, "disabled rules, because the module interprets them differently:", card.Line(rule))
			}
			if len(done.Suspended) > 0 {
				fmt.Fprintln(w, "to keep one: find it with callgate rules list, delete it with callgate rules remove ID, and add it again")
			}
		})
	})
}

// pinIsSet refuses at once, before any question, where a missing approver PIN would refuse the
// change later.
func pinIsSet(ctx context.Context, client *client.Client) error {
	view, err := client.Presence(ctx)
	if err == nil && !view.Set {
		err = errors.New("this requires the approver PIN, and none is set: callgate pin set")
	}
	return err
}

// printProposal shows a module's own description, its permissions, and the replaced module.
func printProposal(w io.Writer, p wire.ModuleProposal) {
	rows := [][]string{
		{"module", fmt.Sprintf("%s %s (%s, %d bytes)", card.Line(p.Name), card.Line(p.Version), p.File, p.Size)},
		{"sha256", p.Digest},
		{"signature", signatureText(p)},
	}
	if p.Summary != "" {
		rows = append(rows, []string{"declares", card.Line(p.Summary)})
	}
	for _, t := range p.Tools {
		rows = append(rows, []string{"tools", declaredText(t)})
	}
	fmt.Fprint(w, table(append(rows, grantRows("granted", p.Grant)...)))
	if p.ReplacesBuiltIn != "" {
		printBuiltIn(w, p)
	}
	if len(p.NotGranted) > 0 {
		fmt.Fprintln(w, "not granted, so other modules answer for it:", card.Line(strings.Join(p.NotGranted, " ")))
	}
	if p.Replaces != nil {
		fmt.Fprintf(w, "it replaces %s %s, sha256 %s, granted by %s on %s\n", card.Line(p.Replaces.Name), card.Line(p.Replaces.Version), p.Replaces.Digest,
			card.Line(p.Replaces.GrantedBy), p.Replaces.GrantedAt.Local().Format(time.DateTime))
		if p.SignerWas != "" {
			fmt.Fprintf(w, "ANOTHER SIGNER: it was signed by %s, and is now signed by %s\n", card.Line(p.SignerWas), card.Line(p.SignerWill))
		}
		if len(p.Changes) == 1 && p.Changes[0].Where == "version" {
			fmt.Fprintf(w, "new version: %s, was %s\n", p.Changes[0].Will, p.Changes[0].Was)
		} else {
			printChanges(w, "changed declarations:", p.Changes)
		}
		printChanges(w, "changed permissions:", p.GrantChanges)
	}
	for _, rule := range p.Suspends {
		fmt.Fprintln(w, "these rules would be disabled, because the module interprets them differently:", card.Line(rule))
	}
	for _, note := range p.Notes {
		fmt.Fprintln(w, "note:", card.Line(note))
	}
}

// printBuiltIn shows the permissions a module gets by replacing a built-in one.
func printBuiltIn(w io.Writer, p wire.ModuleProposal) {
	fmt.Fprintf(w, "THIS MODULE REPLACES THE BUILT-IN MODULE %s: it decides for %s\n", card.Line(p.ReplacesBuiltIn), card.Line(strings.Join(p.Grant.Names, ", ")))
	actions := "profiles treat its calls as those of a third-party module, since its own allow is ignored"
	if p.Grant.MayAllow {
		actions = "profiles trust the actions it names, as for the built-in module, since its own allow counts"
	}
	fmt.Fprintf(w, "  %s\n  to restore the built-in module: callgate tool remove %s\n", actions, p.File)
}

func printChanges(w io.Writer, head string, changes []wire.MemberChange) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprintln(w, head)
	for _, c := range changes {
		fmt.Fprintf(w, "  %s\n    was:  %s\n    will: %s\n", card.Line(c.Where), orNothing(c.Was), orNothing(c.Will))
	}
}

func signatureText(p wire.ModuleProposal) string {
	switch {
	case p.Unsigned != "":
		return "invalid, treated as unsigned: " + card.Line(p.Unsigned)
	case p.Signature == nil:
		return "none"
	case p.Signature.Trusted:
		return "valid, by an unknown key, which this grant would trust for this module: " + card.Line(p.Signer)
	}
	return "valid, by " + card.Line(p.Signer)
}

func declaredText(t wire.DeclaredTool) string {
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
func grantRows(head string, g wire.Grant) [][]string {
	counts := func(on bool) string {
		if on {
			return "counts"
		}
		return "is ignored"
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

// grantFlags are the permissions from a person.
type grantFlags struct {
	grant     wire.Grant
	limits    []string
	signature string
}

func (f *grantFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.grant.Names, "names", nil, "tool names and globs it may answer for; comma-separated or repeated (default: the exact names it declares)")
	flags.BoolVar(&f.grant.MayAllow, "may-allow", false, "accept the module's own allow answers")
	flags.BoolVar(&f.grant.MayReadOnly, "may-read-only", false, "accept the module's own read-only answers")
	flags.StringArrayVar(&f.limits, "limit", nil, "set a limit of its own, such as fuel=2000000000 or timeout=2s; may be repeated")
	flags.BoolVar(&f.grant.Dev, "dev", false, "reload the file whenever it changes: with the same grant while its declarations stay the same, else only with its names")
	flags.StringVar(&f.signature, "signature", "", "signature file, as written by callgate tool sign (default: the module's file with .sig, if it exists)")
}

// given reports whether a grant was named.
func (f *grantFlags) given(flags *pflag.FlagSet) bool {
	return slices.ContainsFunc([]string{"names", "may-allow", "may-read-only", "limit", "dev"}, flags.Changed)
}

// read completes the grant.
func (f *grantFlags) read() (*wire.Grant, error) {
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
	if err := modules.CheckGrant(f.grant); err != nil {
		return nil, err
	}
	return &f.grant, nil
}

// signed reads the signature of a module's file; nil when there is none.
func (f *grantFlags) signed(module string) (*wire.ModuleSignature, error) {
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
	s, err := modules.ParseSignature(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &s, nil
}
