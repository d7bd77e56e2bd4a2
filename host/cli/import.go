package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/convert"
	"github.com/callgate/callgate/host/internal/config/recipe"
	"github.com/callgate/callgate/host/wire"
)

// imported is import's output: the report, and the changes of the file.
type imported struct {
	*convert.Report
	// ConfigFile is the configuration, Diff an import's changes in it.
	ConfigFile string `json:"config_file"`
	Diff       string `json:"diff"`
	Written    bool   `json:"written"`
	// Widens are the changes waiting for callgate config accept.
	Widens []wire.PendingChange `json:"widens,omitempty"`
}

func importCommand(c *cli) *cobra.Command {
	var from string
	var o convert.Options
	var apply bool
	var formats strings.Builder
	for _, name := range convert.Formats() {
		fmt.Fprintf(&formats, "\n  %-16s %s", name, convert.Format(name).About())
	}
	cmd := &cobra.Command{
		Use:     "import --from FORMAT FILE",
		GroupID: "setup",
		Short:   "Import permissions from Claude, Codex, Gemini and other agents",
		Long: `Shows what each line of a file becomes: a rule, a setting, a profile, or why it cannot
be imported and what to do instead. The result never allows more than the file did.
A line marked WEAKER is a deny, an ask or a limit that is only partly imported: read
those first.

Nothing is stored without --apply, which adds to the configuration file and keeps
every existing line. Importing the same file again changes nothing.

Formats:` + formats.String(),
		Example: `  callgate import --from claude-settings .claude/settings.json --agent builder --dir ~/shop
  callgate import --from codex ~/.codex/rules/default.rules --agent codex --apply
  callgate import --from chorus agents/frontend/agent.json --json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			data, err := readBounded(args[0], convert.MaxBytes+1)
			if err != nil {
				return err
			}
			report, err := convert.Import(convert.Format(from), args[0], data, o)
			if err != nil {
				return err
			}
			return c.importReport(cmd, report, apply)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "format of the file: "+strings.Join(convert.Formats(), ", "))
	_ = cmd.MarkFlagRequired("from") // the flag exists
	completeFlag(cmd, "from", words(convert.Formats()...))
	cmd.Flags().StringVar(&o.Agent, "agent", "", "agent to import for (default: every agent, or the one the file names)")
	cmd.Flags().StringVar(&o.Dir, "dir", "", "directory the agent works in, absolute or ~/...")
	cmd.Flags().BoolVar(&apply, "apply", false, "write the result to the configuration file")
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

// importReport prints the report and, on request, stores its settings.
func (c *cli) importReport(cmd *cobra.Command, report *convert.Report, apply bool) error {
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
			return fmt.Errorf("nothing was stored: %w", err)
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
		return fmt.Errorf("nothing was stored: %w", conflict)
	}
	return nil
}

// importWidens lists the changed file's new permissions, and tests every rule on its own examples.
func importWidens(cmd *cobra.Command, file string, existing, next []byte, dirs config.Dirs) ([]wire.PendingChange, error) {
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
	_, waiting := was.Tighten(will)
	return waiting, nil
}

func printImport(w io.Writer, out imported, applied bool, conflict error) {
	fmt.Fprint(w, out.Text())
	switch {
	case conflict != nil:
		return // the error says it
	case out.Diff == "":
		fmt.Fprintf(w, "\n%s already contains all of it\n", card.Line(out.ConfigFile))
		return
	case applied:
		fmt.Fprintf(w, "\nstored:\n%s", out.Diff)
	default:
		fmt.Fprintf(w, "\n--apply would add:\n%s", out.Diff)
	}
	if len(out.Widens) > 0 {
		fmt.Fprintf(w, "a running daemon applies tightening changes at once; %d changes are pending:\n  callgate config accept\n", len(out.Widens))
	}
}
