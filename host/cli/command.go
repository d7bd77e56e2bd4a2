package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/config/frontmatter"
	"github.com/callgate/callgate/host/wire"
)

// place are the flags for a command's lists.
type place struct {
	session, agent, project, file string
	global                        bool
}

func (p *place) register(flags *pflag.FlagSet) {
	flags.StringVar(&p.session, "session", "", "edit the lists of this session")
	flags.StringVar(&p.agent, "agent", "", "edit the lists of this agent")
	flags.StringVar(&p.project, "project", "", "edit the lists of the project with this root")
	flags.BoolVar(&p.global, "global", false, "edit the lists for every agent")
}

// command is a text command for the place; without flags the project it runs in, else the one agent
// of the configuration, else every agent.
func (p place) command(c *cli, text string) (protocol.Command, error) {
	cmd := protocol.Command{Text: text, Session: p.session, Agent: p.agent, Project: p.project, Global: p.global}
	if p.project != "" {
		root, err := filepath.Abs(p.project)
		if err != nil {
			return cmd, err
		}
		cmd.Project = root
	}
	if p.session != "" || p.agent != "" || p.project != "" || p.global {
		return cmd, nil
	}
	var err error
	if cmd.CWD, err = os.Getwd(); err != nil {
		return cmd, err
	}
	if cfg, _, err := c.settings(); err == nil && len(cfg.Agents) == 1 {
		for name := range cfg.Agents {
			cmd.DefaultAgent = name
		}
	}
	return cmd, nil
}

// placeText names a place for a person.
func placeText(r wire.CommandResult) string {
	if r.ScopeKey == "" {
		return "for every agent"
	}
	return fmt.Sprintf("of the %s %s", r.Scope, card.Line(r.ScopeKey))
}

// textCommand is one text command of a chat, typed in a shell.
func textCommand(name, arg, short, long, example string) func(*cli) *cobra.Command {
	return func(c *cli) *cobra.Command {
		var at place
		var by string
		cmd := &cobra.Command{
			Use:     strings.TrimSpace(name + " " + arg),
			GroupID: "people",
			Short:   short,
			Long:    long,
			Example: example,
			// "-Bash" is a rule to remove and no flag.
			DisableFlagParsing: true,
			RunE: func(cmd *cobra.Command, args []string) error {
				words, err := ownFlags(cmd, args)
				if errors.Is(err, pflag.ErrHelp) {
					return cmd.Help()
				}
				if err != nil {
					return usageError(cmd, err)
				}
				return c.runText(cmd, at, by, strings.TrimSpace(name+" "+ruleArg(words)))
			},
		}
		asFlag(cmd, &by)
		at.register(cmd.Flags())
		cmd.Flags().StringVar(&at.file, "file", "", "edit the lists in the front matter of this chat file, and store nothing")
		return cmd
	}
}

// ownFlags parses the words beginning with "--" and -h, with their values, and returns the other
// words.
func ownFlags(cmd *cobra.Command, args []string) (words []string, err error) {
	cmd.InheritedFlags() // puts the root's flags beside the command's
	var flags []string
	for i := 0; i < len(args); i++ {
		name, isFlag := strings.CutPrefix(args[i], "--")
		if args[i] == "-h" || name == "help" && isFlag {
			return nil, pflag.ErrHelp
		}
		if !isFlag || name == "" {
			words = append(words, args[i])
			continue
		}
		flags = append(flags, args[i])
		f := cmd.Flags().Lookup(name)
		if f != nil && f.NoOptDefVal == "" && i+1 < len(args) {
			i++
			flags = append(flags, args[i])
		}
	}
	return words, cmd.Flags().Parse(flags)
}

// runText has a text command carried out and prints the answer.
func (c *cli) runText(cmd *cobra.Command, at place, by, text string) error {
	body, err := at.command(c, text)
	if err != nil {
		return err
	}
	if text == "/help" { // the same for everybody: no daemon has to run
		return c.print(cmd.OutOrStdout(), wire.CommandResult{OK: true, Message: command.Help}, func(w io.Writer) { fmt.Fprintln(w, command.Help) })
	}
	c.noteStranger(at.agent)
	return c.withClient("", func(client *client.Client) error {
		var out wire.CommandResult
		var err error
		if at.file != "" {
			out, err = editChat(cmd, client, by, at.file, body)
		} else {
			out, err = client.Command(cmd.Context(), by, body)
		}
		switch {
		case err != nil:
			return seeAlso(err, "callgate sessions list")
		case !out.OK && c.json:
			if err := c.print(cmd.OutOrStdout(), out, nil); err != nil {
				return err
			}
			return exit(exitError)
		case !out.OK:
			return errors.New(card.Visible(out.Message))
		}
		return c.print(cmd.OutOrStdout(), out, func(w io.Writer) {
			where := placeText(out)
			if at.file != "" {
				where = "in " + card.Line(at.file)
			}
			for line := range strings.Lines(out.Message + "\n") {
				fmt.Fprintln(w, card.Line(strings.TrimSuffix(line, "\n")))
			}
			fmt.Fprintf(w, "(%s)\n", where)
			for _, note := range out.Notes {
				fmt.Fprintln(w, "note:", card.Line(note))
			}
		})
	})
}

// editChat carries out a command on the lists of a chat's file.
func editChat(cmd *cobra.Command, client *client.Client, by, path string, body protocol.Command) (out wire.CommandResult, err error) {
	_, err = frontmatter.EditFile(path, func(text string) (string, error) {
		head, err := frontmatter.Parse(frontmatter.Chat, text)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		mode, err := frontmatter.ChatMode(text)
		if err != nil {
			return "", err
		}
		body.Lists = &wire.Lists{Allow: head.Allow, Ask: head.Ask, Deny: head.Deny, Mode: mode}
		if out, err = client.Command(cmd.Context(), by, body); err != nil || !out.OK {
			return text, err
		}
		head.Allow, head.Ask, head.Deny, head.Mode = out.Lists.Allow, out.Lists.Ask, out.Lists.Deny, out.Lists.Mode
		next, err := frontmatter.Edit(text, head)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		return next, nil
	})
	return out, err
}

// Without a scope a change is for the person's own place; every answer names it.
const placeHelp = `
Without --session, --agent, --project or --global, the lists are those of the current
project, else of the only configured agent, else of every agent; the output says which.
With --file the command edits the front matter of a chat file and stores nothing;
callgate sessions lists applies the file.

Deny comes before ask, ask before allow; the mode decides the rest. The same text
works in a chat; callgate /help lists all of them.`

// texts are the text commands.
var texts = []func(*cli) *cobra.Command{
	textCommand("/allow", "[RULE | -RULE]", "Show the allow list, or add or remove a rule", `Adds a rule, "Tool" or "Tool(content)", to the allow list: matching calls run without
approval. "-RULE" removes it. Without a rule the list is shown.
`+placeHelp, `  callgate /allow 'Bash(npm:*)'
  callgate /allow 'Read(src/**/*.ts)' --session s-42
  callgate /allow -Bash --global
  callgate /allow 'Bash(npm:*)' --file chat.md`),
	textCommand("/ask", "[RULE | -RULE]", "Show the ask list, or add or remove a rule", `Adds a rule to the ask list: matching calls need approval each time, even if an allow
rule matches. "-RULE" removes it. Without a rule the list is shown.
`+placeHelp, `  callgate /ask Bash
  callgate /ask 'WebFetch(*.npmjs.com)' --agent builder
  callgate /ask -Bash`),
	textCommand("/deny", "[RULE | -RULE]", "Show the deny list, or add or remove a rule", `Adds a rule to the deny list: matching calls are denied, even if another rule allows
them. "-RULE" removes it. Without a rule the list is shown.
`+placeHelp, `  callgate /deny 'Bash(rm -rf)'
  callgate /deny 'Read(**/.env*)' --project ~/shop
  callgate /deny -Bash`),
	textCommand("/permission", "[MODE]", "Show or change the mode of a session", `Changes the mode of one session: default, acceptEdits, plan, bypassPermissions,
trusted or dontAsk. Without a mode the current one is shown. The mode of an agent is
set in the configuration.
`+placeHelp, `  callgate /permission plan --session s-42
  callgate /permission --agent builder
  callgate /permission acceptEdits --file chat.md`),
	textCommand("/permissions", "", "Show the lists, the mode and the profile", `Shows the deny, the ask and the allow list, the mode and the profile.
`+placeHelp, `  callgate /permissions
  callgate /permissions --session s-42 --json`),
	textCommand("/help", "", "List the text commands and explain how rules are written", command.Help, "  callgate /help"),
}
