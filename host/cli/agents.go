package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/hook/canary"
	"github.com/callgate/callgate/host/internal/hook/codex"
	"github.com/callgate/callgate/host/internal/hook/gemini"
	"github.com/callgate/callgate/host/internal/hook/opencode"
	"github.com/callgate/callgate/host/internal/hook/settings"
)

// agentState is one client of this machine, as `callgate agents` shows it.
type agentState struct {
	Client string `json:"client"`
	// Program is the client's own program; empty where PATH has none.
	Program string `json:"program,omitempty"`
	// Hook is none, user, project or managed: the strongest place with Callgate's hook.
	Hook string `json:"hook"`
	// Protected means the files show the hook in force; Problems say why not, or what else is
	// wrong.
	Protected bool     `json:"protected"`
	File      string   `json:"file,omitempty"`
	Problems  []string `json:"problems,omitempty"`
	// Open are calls that no hook of the client sees, and what switches it off.
	Open []string `json:"open,omitempty"`
	// Probe are the canaries that were sent through the hook, with --probe.
	Probe []canary.Result `json:"probe,omitempty"`

	hook settings.Hook
	off  bool // something switches the hook off
}

func agentsCommand(c *cli) *cobra.Command {
	var project string
	var probe bool
	cmd := &cobra.Command{
		Use:     "agents",
		GroupID: "gate",
		Short:   "Show the agents' clients on this machine and which Callgate protects",
		Long: `Lists the clients that Callgate has a hook for: whether the program is on PATH, where the
hook is installed, whether the files show it in force, and what stays open. It reads files
and tries nothing.

--probe sends two calls through each installed hook, started as its client starts it: one
that Callgate always denies, and a harmless one. No client runs them. It compares the
client's reaction with the daemon's decision in the audit, and ends with code 1 when a
call would run unjudged or the daemon did not see it. "callgate doctor" also tries hooks
that fail.`,
		Example: "  callgate agents\n  callgate agents --project ~/shop --json\n  callgate agents --probe",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			states, err := agentStates(project)
			if err != nil {
				return err
			}
			alarm := false
			if probe {
				if alarm, err = c.probe(cmd.Context(), states, project); err != nil {
					return err
				}
			}
			if err := c.print(cmd.OutOrStdout(), states, func(w io.Writer) { printAgents(w, states) }); err != nil {
				return err
			}
			if alarm {
				return exit(exitDeny)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&probe, "probe", false, "send canary calls through each installed hook")
	cmd.Flags().StringVar(&project, "project", "", "directory of the session (default: the current one)")
	return cmd
}

// agentStates looks at every client, for a session in a directory.
func agentStates(project string) ([]agentState, error) {
	at, err := installFlags{project: cmp.Or(project, ".")}.otherPlaces()
	if err != nil {
		return nil, err
	}
	places, err := claudePlaces(project)
	if err != nil {
		return nil, err
	}
	states := []agentState{claudeState(places), at.codexState(), at.geminiState(), at.opencodeState()}
	for i, program := range []string{"claude", "codex", "gemini", "opencode"} {
		s := &states[i]
		if path, err := exec.LookPath(program); err == nil {
			s.Program = path
		}
		s.Hook = cmp.Or(s.Hook, "none")
	}
	return states, nil
}

func claudeState(places settings.Places) agentState {
	s := agentState{Client: string(settings.ClaudeCode), Open: []string{"commands (!) that you type yourself", "--bare, --safe-mode and disableAllHooks, without --managed"}}
	found := settings.Read(places)
	s.trouble(found.Faults()...)
	if own := found.Own(settings.PreToolUse); len(own) > 0 {
		s.found(own[0])
		for _, off := range found.Off(own[0].Scope) {
			s.switched(off.Text + " in " + off.File)
		}
	}
	return s
}

func (at clientPlaces) codexState() agentState {
	s := agentState{Client: string(settings.Codex), Open: codexOpen}
	machine := codex.LookManaged(codex.ManagedFile)
	account := codex.Look(at.codexHome(), at.codexHome())
	if at.project != "" && !account.Installed {
		account = codex.Look(filepath.Join(at.project, ".codex"), at.codexHome())
	}
	for _, found := range []codex.State{machine, account} {
		s.trouble(found.Err)
		if !found.Installed || s.Protected {
			continue
		}
		s.found(found.Hook)
		if !found.Trusted {
			s.switched("Codex does not trust the hook and skips it; run callgate hook codex --install")
		}
		if found.Off != "" {
			s.switched(found.Off)
		}
	}
	return s
}

func (at clientPlaces) geminiState() agentState {
	s := agentState{Client: string(settings.GeminiCLI), Open: geminiOpen}
	files := []struct {
		path  string
		scope settings.Scope
	}{{gemini.ManagedFile, settings.Managed}, {gemini.UserFile(at.home), settings.User}, {gemini.ProjectFile(at.project), settings.Project}}
	for i, file := range files {
		found := gemini.Look(file.path, file.scope)
		s.trouble(found.Err)
		if !found.Installed || s.Protected {
			continue
		}
		s.found(found.Hook)
		for j, other := range files {
			if off := found.Off(gemini.Look(other.path, other.scope), other.path); off != "" && (j != i || j > 0) {
				s.switched(off)
			}
		}
		if loose := gemini.Looser(file.path); i == 0 && loose != "" {
			s.switched("Gemini CLI skips the file, because other accounts can write " + loose)
		}
	}
	return s
}

func (at clientPlaces) opencodeState() agentState {
	s := agentState{Client: "opencode", Open: opencodeOpen}
	for _, project := range []string{"", at.project} {
		plugin, config := clientPlaces{home: at.home, project: project}.opencode()
		found := opencode.Look(plugin, config)
		s.trouble(found.Err)
		if !found.Installed || s.Protected {
			continue
		}
		s.found(found.Hook)
		if !found.Asks {
			s.Problems = append(s.Problems, config+` has no "permission": {"*": "ask"}: a plugin that does not load leaves calls unchecked`)
		}
	}
	return s
}

// found records the hook, and that its program can be started.
func (s *agentState) found(h settings.Hook) {
	s.Protected, s.File, s.Hook, s.hook, s.off = true, h.File, "user", h, false
	switch h.Scope {
	case settings.Managed:
		s.Hook = "managed"
	case settings.Project, settings.Local:
		s.Hook = "project"
	}
	words := h.Program()
	if len(words) == 0 {
		s.Problems = append(s.Problems, "the hook's command is not Callgate's own form; install it again")
		return
	}
	if info, err := os.Stat(words[0]); err != nil || info.Mode()&0o111 == 0 {
		s.Problems = append(s.Problems, "the hook's program is missing, so every call is blocked: "+words[0])
	}
}

// switched records what switches the hook off.
func (s *agentState) switched(why string) {
	s.Protected, s.off, s.Problems = false, true, append(s.Problems, why)
}

// trouble records unreadable files.
func (s *agentState) trouble(errs ...error) {
	for _, err := range errs {
		if err != nil {
			s.Problems = append(s.Problems, err.Error())
		}
	}
}

// printAgents tells a person.
func printAgents(w io.Writer, states []agentState) {
	table := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "client\tprogram\thook\tprotected")
	for _, s := range states {
		protected := "NO"
		if s.Protected {
			protected = "yes"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", s.Client, cmp.Or(card.Line(s.Program), "not on PATH"), s.Hook, protected)
	}
	_ = table.Flush() // as with any print to w
	for _, s := range states {
		if s.Program == "" && s.Hook == "none" {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", s.Client)
		for _, text := range s.Problems {
			fmt.Fprintln(w, "  problem: "+card.Line(text))
		}
		if s.Hook == "none" {
			fmt.Fprintf(w, "  install: callgate hook %s --install\n", s.Client)
			continue
		}
		for _, r := range s.Probe {
			fmt.Fprintf(w, "  probe: %s: %s\n", r.State, card.Line(r.Text))
		}
		fmt.Fprintln(w, "  open: "+strings.Join(s.Open, "\n  open: "))
	}
}
