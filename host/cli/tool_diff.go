package cli

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
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/modules/modulediff"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
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
		Short: "Compare two versions of a module on past calls",
		Long: `Runs two versions of a module on the past calls in the audit log and on the stored rules,
and shows the differences: first where the new version is more permissive, then other
differences, then where it is stricter.

OLD and NEW are .wasm files or names of modules that the daemon uses. Calls and rules come
from the daemon, or from files: --audit is an export of the audit log, --rules-file the
output of callgate rules list --json.

The audit log masks secrets and does not store the file system, so differences are real,
but no difference is no proof. Exit code 1 when the new version is more permissive for
any call.`,
		Example: `  callgate tool diff deploy new/deploy.wasm
  callgate tool diff deploy new/deploy.wasm --since 90d --tool Deploy --json
  callgate tool diff old.wasm new.wasm --audit audit.jsonl`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return c.diffModules(cmd, args, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.since, "since", "30d", "only calls after this (with --audit the default is all): a time, a date, or an age (2h, 7d)")
	flags.StringVar(&f.tool, "tool", "", "only calls of this tool")
	flags.StringVar(&f.audit, "audit", "", "read calls from this export (callgate audit export --format jsonl) instead of the daemon")
	flags.StringVar(&f.rules, "rules-file", "", "with --audit: read stored rules from this file (callgate rules list --json)")
	flags.BoolVar(&f.all, "all", false, "show all differences, not only the first 20 of each kind")
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
		since = time.Time{} // the whole exported surface
	}
	if f.rules != "" && f.audit == "" {
		return usageError(cmd, errors.New("--rules-file needs --audit; without it the rules come from the daemon"))
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
		report, err := modulediff.Compare(cmd.Context(), &was.Module, &is.Module, calls, rules, 0)
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

// versionFile is the file for an argument: an existing one, or that of a module in use.
func (c *cli) versionFile(cmd *cobra.Command, arg string, daemon bool) (string, error) {
	_, err := os.Stat(arg)
	if err == nil {
		return moduleFile(arg)
	}
	if !daemon || strings.ContainsRune(arg, filepath.Separator) || !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	file := ""
	err = c.withClient("", func(client *client.Client) error {
		list, err := client.Modules(cmd.Context())
		if err != nil {
			return err
		}
		for _, m := range list.Modules {
			if m.Name == arg || m.File == arg {
				if m.Embedded {
					return fmt.Errorf("module %s is built in and has no file: name a .wasm file", arg)
				}
				file = filepath.Join(filepath.Dir(list.Lock), m.File)
				return nil
			}
		}
		return fmt.Errorf("%s is neither a file nor a module of the daemon; list the modules: callgate tool list", arg)
	})
	return file, err
}

// toolsOf are the tools with the wanted calls: those of either version, or one.
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
func (c *cli) past(cmd *cobra.Command, f diffFlags, since time.Time, wanted func(string) bool) (calls modulediff.Calls, rules []engine.Rule, err error) {
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
	err = c.withClient("", func(client *client.Client) (err error) {
		if rules, err = client.Rules(cmd.Context(), store.RuleFilter{}); err != nil {
			return err
		}
		read, write := io.Pipe()
		go func() {
			filter := store.Filter{Event: store.EventDecision, Since: since, Tool: f.tool}
			write.CloseWithError(client.ExportAudit(cmd.Context(), filter, "jsonl", write))
		}()
		calls, err = modulediff.Read(read, since, wanted)
		return errors.Join(err, read.Close()) // ends the export, should it still run
	})
	return calls, rules, err
}

func exported(path string, since time.Time, wanted func(string) bool) (calls modulediff.Calls, err error) {
	file, err := os.Open(path)
	if err != nil {
		return calls, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return modulediff.Read(file, since, wanted)
}
