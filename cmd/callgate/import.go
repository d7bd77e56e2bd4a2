package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/card"
	"github.com/callgate/callgate/host/config"
	"github.com/callgate/callgate/host/exchange"
	"github.com/callgate/callgate/host/recipe"
)

// imported is what import prints: the report, and what it does to the file.
type imported struct {
	*exchange.Report
	// ConfigFile is the configuration, Diff what an import changes in it.
	ConfigFile string `json:"config_file"`
	Diff       string `json:"diff"`
	Written    bool   `json:"written"`
	// Widens is what of it waits for callgate config accept.
	Widens []config.Widening `json:"widens,omitempty"`
}

func importCommand(c *cli) *cobra.Command {
	var from string
	var o exchange.Options
	var apply bool
	var formats strings.Builder
	for _, name := range exchange.Formats() {
		fmt.Fprintf(&formats, "\n  %-16s %s", name, exchange.Format(name).About())
	}
	cmd := &cobra.Command{
		Use:     "import --from FORMAT FILE",
		GroupID: "setup",
		Short:   "Take over the permissions of another agent's file",
		Long: `Shows what each line of a file becomes here: a rule, a setting, a profile, or
why it cannot be carried and what to do instead. What it would allow is never
more than what the file allowed. A line marked WEAKER is a deny, an ask or a
limit of the file that is not carried whole: look at those first.

Nothing is stored without --apply, which adds to the configuration file and
keeps all that stands there. Importing twice changes nothing the second time.

Formats:` + formats.String(),
		Example: `  callgate import --from claude-settings .claude/settings.json --agent builder --dir ~/shop
  callgate import --from codex ~/.codex/rules/default.rules --agent codex --apply
  callgate import --from chorus agents/frontend/agent.json --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := readBounded(args[0], exchange.MaxBytes+1)
			if err != nil {
				return err
			}
			report, err := exchange.Import(exchange.Format(from), args[0], data, o)
			if err != nil {
				return err
			}
			return c.importReport(cmd, report, apply)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "what the file is: "+strings.Join(exchange.Formats(), ", "))
	_ = cmd.MarkFlagRequired("from") // the flag exists
	completeFlag(cmd, "from", words(exchange.Formats()...))
	cmd.Flags().StringVar(&o.Agent, "agent", "", "the agent it is for (default: every agent, or the one the file names)")
	cmd.Flags().StringVar(&o.Dir, "dir", "", "the directory that agent works in, absolute or ~/...")
	cmd.Flags().BoolVar(&apply, "apply", false, "store it in the configuration file")
	return cmd
}

// readBounded reads at most limit bytes of a regular file.
func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, cmp.Or(err, fmt.Errorf("%s is not a file", path))
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// importReport prints the report and, when told to, stores what it says.
func (c *cli) importReport(cmd *cobra.Command, report *exchange.Report, apply bool) error {
	dirs, err := config.UserDirs()
	if err != nil {
		return err
	}
	out := imported{Report: report, ConfigFile: cmp.Or(c.configPath, dirs.ConfigFile())}
	existing, err := os.ReadFile(out.ConfigFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	next, diff, conflict := recipe.Merge(out.ConfigFile, existing, []byte(report.YAML()), "the import")
	out.Diff = diff
	if conflict == nil {
		if out.Widens, err = importWidens(cmd, out.ConfigFile, existing, next, dirs); err != nil {
			return fmt.Errorf("nothing is stored: %w", err)
		}
		if apply && diff != "" {
			if err := recipe.Write(out.ConfigFile, existing, next); err != nil {
				return err
			}
			out.Written = true
		}
	}
	if err := c.print(cmd.OutOrStdout(), out, func(w io.Writer) { printImport(w, out, apply, conflict) }); err != nil {
		return err
	}
	if conflict != nil {
		return fmt.Errorf("nothing is stored: %w", conflict)
	}
	return nil
}

// importWidens tells what the changed file would allow that the present one does
// not, and tries every rule on its own examples.
func importWidens(cmd *cobra.Command, file string, existing, next []byte, dirs config.Dirs) ([]config.Widening, error) {
	was, err := config.Parse(file, existing, dirs)
	if err != nil {
		return nil, err
	}
	will, err := config.Parse(file, next, dirs)
	if err != nil {
		return nil, err
	}
	if needModules() == nil && len(will.Examples()) > 0 {
		if _, err := checkRules(cmd, will, dirs); err != nil {
			return nil, err
		}
	}
	return config.Stricter(was, will).Widenings(), nil
}

func printImport(w io.Writer, out imported, applied bool, conflict error) {
	fmt.Fprint(w, out.Text())
	switch {
	case conflict != nil:
		return // the error says it
	case out.Diff == "":
		fmt.Fprintf(w, "\n%s says all of it already\n", card.Line(out.ConfigFile))
		return
	case applied:
		fmt.Fprintf(w, "\nstored:\n%s", out.Diff)
	default:
		fmt.Fprintf(w, "\nwould be stored with --apply:\n%s", out.Diff)
	}
	if len(out.Widens) > 0 {
		fmt.Fprintf(w, "%d changes widen: a running daemon takes over the rest at once, and these after\n  callgate config accept\n", len(out.Widens))
	}
}
