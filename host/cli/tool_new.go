package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/toolkit/scaffold"
	"github.com/callgate/callgate/sdk"
)

// newProject is a project written by `tool new`, for programs.
type newProject struct {
	Dir      string   `json:"dir"`
	Name     string   `json:"name"`
	Tool     string   `json:"tool"`
	Language string   `json:"language"`
	Files    []string `json:"files"`
	// Missing are the programs to install before a build; empty: nothing.
	Missing string   `json:"missing,omitempty"`
	Next    []string `json:"next"`
}

// ownTools are the names of Callgate's own tools valid for a project, once each in any case; no
// other module may claim them.
var ownTools = []string{
	"Agent", "AgentOutputTool", "ApplyPatch", "AskUserQuestion", "Bash", "BashOutput", "CronList", "Delete", "Edit", "EnterPlanMode", "ExitPlanMode",
	"Finish", "Glob", "Grep", "InvalidTool", "KillBash", "KillShell", "LS", "ListAgents", "ListMcpResources", "ListMcpResourcesTool", "Monitor", "MultiEdit",
	"NotebookEdit", "NotebookRead", "PlanMode", "Read", "ReadMany", "ReportFindings", "ReportIntent", "Skill", "Sleep", "SpawnAgent", "StructuredOutput",
	"Task", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoRead", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch",
	"Write", "codesearch", "create", "fetch", "generic", "invalid", "list", "patch", "question", "replace", "rg", "runSubagent", "shell", "view", "wait",
}

func toolNew(c *cli) *cobra.Command {
	o := scaffold.NewOptions{SDK: sdk.Files(), Taken: ownTools}
	cmd := &cobra.Command{
		Use:   "new --lang LANGUAGE NAME",
		Short: "Create a project for a new tool module: source, tests, cases, SDK",
		Long: `Creates a project for a new tool module in a directory of its name: a working example, its
unit tests, its cases for callgate tool test, and the SDK as source. Existing files are
never changed: a directory that is not empty is refused.

Languages:
` + languagesText() + `
NAME is lower-case letters, digits and dashes. It becomes the name of the module and, in
CamelCase, of the tool: cloud-deploy checks the calls of CloudDeploy.`,
		Example: "  callgate tool new --lang go deploy\n  callgate tool new --lang ts cloud-deploy --dir ~/src/cloud-deploy",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.Language == "" {
				return usageError(cmd, errors.New("missing language: add --lang and one of "+strings.Join(languageNames(), ", ")))
			}
			o.Name = args[0]
			if o.Dir == "" {
				o.Dir = o.Name
			}
			files, err := scaffold.New(o)
			if err != nil {
				return err
			}
			m, err := scaffold.ReadManifest(o.Dir)
			if err != nil {
				return err
			}
			p := newProject{Dir: o.Dir, Name: m.Name, Tool: scaffold.ToolName(m.Name), Language: m.Language, Files: files, Next: scaffold.Next(m)}
			if err := scaffold.Ready(cmd.Context(), m.Language); err != nil {
				p.Missing = err.Error()
			}
			return c.print(cmd.OutOrStdout(), p, p.write)
		},
	}
	cmd.Flags().StringVar(&o.Language, "lang", "", "language: "+strings.Join(languageNames(), ", "))
	cmd.Flags().StringVar(&o.Dir, "dir", "", "directory to create (default: ./NAME)")
	_ = cmd.RegisterFlagCompletionFunc("lang", cobra.FixedCompletions(languageNames(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	return cmd
}

func (p newProject) write(w io.Writer) {
	fmt.Fprintf(w, "%s: a module in %s that checks the calls of %s\n", card.Line(p.Dir), p.Language, p.Tool)
	for _, f := range p.Files {
		fmt.Fprintf(w, "  %s\n", filepath.FromSlash(f))
	}
	if p.Missing != "" {
		fmt.Fprintf(w, "\nto build it, %s\n", p.Missing)
	}
	fmt.Fprintf(w, "\nnext:\n  cd %s\n", card.Line(p.Dir))
	for _, line := range p.Next {
		fmt.Fprintf(w, "  %s\n", line)
	}
}

func languageNames() []string {
	var names []string
	for _, l := range scaffold.Languages() {
		names = append(names, l.Name)
	}
	return names
}

func languagesText() string {
	var text strings.Builder
	for _, l := range scaffold.Languages() {
		needs := l.Needs
		if needs == "" {
			needs = "nothing besides Callgate"
		}
		fmt.Fprintf(&text, "  %-15s needs %s\n", strings.Join(append([]string{l.Name}, l.Aliases...), ", "), needs)
	}
	return text.String()
}
