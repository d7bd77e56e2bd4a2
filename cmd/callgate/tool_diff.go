package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/history"
	"github.com/callgate/callgate/host/replay"
	"github.com/callgate/callgate/host/store"
	"github.com/callgate/callgate/host/workbench"
)

// diffFlags are those of `callgate tool diff`.
type diffFlags struct {
	since, tool, audit, rules string
	all                       bool
}

func toolDiff(c *cli) *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Show how two versions of a module answer the calls of the audit",
		Long: `Asks two versions of a module about the past calls of its tools, as the audit has them,
and about the stored rules, and shows what they answer differently: first what the new
version would let through sooner, then other differences, then what it is stricter with.

OLD and NEW are .wasm files or names of modules that the daemon has in use. The calls and
rules come from the daemon, or the calls from an export of the audit with --audit (then the rules
from what callgate rules list --json printed, with --rules-file).

The audit keeps inputs with secrets masked, and not what was in the file system. A
difference shows how the versions differ; that there is none is no proof. The exit
code is 1 when the new version would let anything through sooner.`,
		Example: `  callgate tool diff deploy new/deploy.wasm
  callgate tool diff deploy new/deploy.wasm --since 90d --tool Deploy --json
  callgate tool diff old.wasm new.wasm --audit audit.jsonl`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return c.diffModules(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.since, "since", "30d", "only calls from then on, of an export all unless given: a time, a date, or how long ago (2h, 7d)")
	flags.StringVar(&f.tool, "tool", "", "only calls of this tool")
	flags.StringVar(&f.audit, "audit", "", "take the calls from this export of the audit (callgate audit export --format jsonl), and ask no daemon")
	flags.StringVar(&f.rules, "rules-file", "", "with --audit: take the stored rules from this file (callgate rules list --json)")
	flags.BoolVar(&f.all, "all", false, "show every difference, not only the first 20 of each direction")
	completeFlag(cmd, "tool", c.completeTools())
	return cmd
}

// shownChanges is how many differences of one direction are shown without --all.
const shownChanges = 20

func (c *cli) diffModules(cmd *cobra.Command, args []string, f diffFlags) error {
	since, err := history.When("--since", f.since, time.Now())
	if err != nil {
		return err
	}
	if f.audit != "" && !cmd.Flags().Changed("since") {
		since = time.Time{} // all that was exported
	}
	if f.rules != "" && f.audit == "" {
		return usageError(cmd, errors.New("--rules-file: only with --audit; otherwise the daemon has the rules"))
	}
	files := make([]string, 2)
	for i, arg := range args {
		if files[i], err = c.versionFile(cmd, arg, f.audit == ""); err != nil {
			return err
		}
	}
	return withModule(cmd, files[0], func(b *workbench.Bench, was *workbench.Module) error {
		is, err := b.Load(cmd.Context(), files[1])
		if err != nil {
			return fmt.Errorf("%s: %w", files[1], err)
		}
		calls, rules, err := c.past(cmd, f, since, toolsOf(f.tool, was, is))
		if err != nil {
			return err
		}
		report, err := replay.Compare(cmd.Context(), was, is, calls, rules)
		if err != nil {
			return err
		}
		most := shownChanges
		if f.all {
			most = math.MaxInt
		}
		if err := c.print(cmd.OutOrStdout(), report, func(w io.Writer) { report.Print(w, most) }); err != nil {
			return err
		}
		if report.Loosened() {
			return exit(exitDeny)
		}
		return nil
	})
}

// versionFile is the file that an argument means: one that is there, or that of a
// module in use.
func (c *cli) versionFile(cmd *cobra.Command, arg string, daemon bool) (string, error) {
	_, err := os.Stat(arg)
	if err == nil {
		return moduleFile(arg)
	}
	if !daemon || strings.ContainsRune(arg, filepath.Separator) || !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	file := ""
	err = c.withClient("", func(client *api.Client) error {
		list, err := client.Modules(cmd.Context())
		if err != nil {
			return err
		}
		for _, m := range list.Modules {
			if m.Name == arg || m.File == arg {
				if m.Embedded {
					return fmt.Errorf("the module %s comes with this program and is no file: name one", arg)
				}
				file = filepath.Join(filepath.Dir(list.Lock), m.File)
				return nil
			}
		}
		return fmt.Errorf("%s is neither a file nor a module that the daemon has (see callgate tool list)", arg)
	})
	return file, err
}

// toolsOf tells which tools' calls are wanted: those of either version, or one.
func toolsOf(only string, versions ...*workbench.Module) func(tool string) bool {
	return func(tool string) bool {
		if only != "" {
			return tool == only
		}
		return slices.ContainsFunc(versions, func(m *workbench.Module) bool {
			_, _, err := m.Tool(tool)
			return tool != "" && err == nil
		})
	}
}

// past are the calls and the stored rules, from the daemon or from files.
func (c *cli) past(cmd *cobra.Command, f diffFlags, since time.Time, wanted func(string) bool) (calls replay.Calls, rules []engine.Rule, err error) {
	if f.audit != "" {
		if calls, err = exported(f.audit, since, wanted); err != nil {
			return calls, nil, fmt.Errorf("--audit %s: %w", f.audit, err)
		}
		if f.rules == "" {
			return calls, nil, nil
		}
		text, err := os.ReadFile(f.rules)
		if err == nil {
			err = json.Unmarshal(text, &rules)
		}
		if err != nil {
			return calls, nil, fmt.Errorf("--rules-file: %w", err)
		}
		return calls, rules, nil
	}
	err = c.withClient("", func(client *api.Client) (err error) {
		if rules, err = client.Rules(cmd.Context(), store.RuleFilter{}); err != nil {
			return err
		}
		read, write := io.Pipe()
		go func() {
			filter := store.Filter{Event: store.EventDecision, Since: since, Tool: f.tool}
			write.CloseWithError(client.ExportAudit(cmd.Context(), filter, "jsonl", write))
		}()
		calls, err = replay.Read(read, since, wanted)
		return errors.Join(err, read.Close()) // ends the export, should it still run
	})
	return calls, rules, err
}

func exported(path string, since time.Time, wanted func(string) bool) (calls replay.Calls, err error) {
	file, err := os.Open(path)
	if err != nil {
		return calls, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return replay.Read(file, since, wanted)
}
