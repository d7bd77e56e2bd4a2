package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/config/recipe"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/setup"
	"github.com/callgate/callgate/host/internal/discord/slash"
	"github.com/callgate/callgate/host/internal/machine/finding"
)

// setupFlags are a person's choices for Discord.
type setupFlags struct {
	choice      setup.Choice
	people      []string
	write, post bool
}

func (f *setupFlags) register(c *cli, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.choice.TokenFile, "token-file", "", "file with the bot token (default: from the configuration, else "+defaultTokenName+" in the state directory; or the variable "+link.TokenVariable+")")
	flags.StringVar(&f.choice.Server, "server", "", "server ID")
	flags.StringVar(&f.choice.Channel, "channel", "", "ID of the text channel for cards")
	flags.StringVar(&f.choice.Agent, "agent", "", "agent whose cards go to this channel (default: every agent)")
	flags.StringArrayVar(&f.people, "person", nil, "person who may answer, as NAME=USERID; may be repeated")
	flags.StringVar(&f.choice.APIURL, "api-url", "", "base URL of the Discord API, if not Discord's own")
	flags.BoolVar(&f.post, "post", false, "post a test card in each channel and delete it")
	flags.BoolVar(&f.write, "write", false, "write the settings to the configuration file")
	completeFlag(cmd, "agent", c.completeAgents())
}

// defaultTokenName is the token's file in the state directory. No call of an agent may read it.
const defaultTokenName = "discord.token"

func discordSetup(c *cli) *cobra.Command {
	var f setupFlags
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "Check the bot, server, channels, permissions and people, and suggest fixes",
		Long: `Prints an invite link with exactly the permissions the bot needs, and checks the
settings from the configuration or the flags: the token, the application, the server,
each channel and its permissions, the approvers and their roles, the slash commands.
Only --write changes something: it adds the settings to the configuration file and
keeps every existing line; then run callgate config accept and restart the daemon.

The token is never an argument. It is read from a file with mode 0600 or from the
environment. Exit code 0 without errors, 1 with errors or when Discord cannot be reached.`,
		Example: `  callgate discord setup
  callgate discord setup --server 300000000000000001 --channel 400000000000000001 --person ann=200000000000000001 --write
  callgate discord setup --post --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			out, err := c.setUpDiscord(cmd, f)
			if err != nil {
				return err
			}
			if err := c.print(cmd.OutOrStdout(), out, out.print); err != nil {
				return err
			}
			if out.Worst() == finding.Error || out.Unreached() {
				return exit(exitDeny)
			}
			return nil
		},
	}
	f.register(c, cmd)
	return cmd
}

// setUp is the result of a run.
type setUp struct {
	setup.Report
	// File is the configuration file, Diff its changes.
	File    string `json:"file"`
	Diff    string `json:"diff,omitempty"`
	Written bool   `json:"written"`
}

func (c *cli) setUpDiscord(cmd *cobra.Command, f setupFlags) (out setUp, err error) {
	cfg, dirs, err := c.settings()
	if err != nil {
		return out, err
	}
	if err := f.complete(cmd, cfg, dirs, c.json); err != nil {
		return out, err
	}
	if f.write && !f.whole(cfg) {
		return out, usageError(cmd, errors.New("--write: needs both a server and a channel: add --server ID and --channel ID"))
	}
	out.File = cmp.Or(c.configPath, dirs.ConfigFile())
	existing, next, err := f.proposed(out.File, cfg)
	if err != nil {
		return out, err
	}
	out.Diff = next.diff
	want := setup.Of(next.config)
	want.Server = cmp.Or(want.Server, f.choice.Server)
	out.Report = checkDiscord(cmd.Context(), next.config, f.choice, want, f.post)
	if !f.write || out.Diff == "" || out.Worst() == finding.Error {
		return out, nil
	}
	out.Written = true
	return out, recipe.Write(out.File, existing, next.text)
}

// complete fills in missing settings, and asks a person at the terminal for others.
func (f *setupFlags) complete(cmd *cobra.Command, cfg *config.Config, dirs config.Dirs, quiet bool) (err error) {
	f.choice.People = map[string]string{}
	for _, text := range f.people {
		name, account, found := strings.Cut(text, "=")
		if !found || name == "" || !config.IsSnowflake(account) {
			return usageError(cmd, errors.New("--person: want NAME=USERID, such as ann=200000000000000001 (right-click the person, Copy User ID)"))
		}
		f.choice.People[name] = account
	}
	for flag, id := range map[string]string{"server": f.choice.Server, "channel": f.choice.Channel} {
		if id != "" && !config.IsSnowflake(id) {
			return usageError(cmd, fmt.Errorf("--%s: want an ID of 15 to 20 digits (Discord: Settings, Advanced, Developer Mode; then right-click, Copy ID)", flag))
		}
	}
	if f.choice.TokenFile != "" {
		if f.choice.TokenFile, err = filepath.Abs(f.choice.TokenFile); err != nil {
			return err
		}
	} else if file := tokenFileOf(cfg, dirs, ""); file != cfg.DiscordSettings().TokenFile {
		f.choice.TokenFile = file
	}
	if quiet || !f.write {
		return nil
	}
	return f.ask(cmd.Context(), cfg)
}

// proposal is the configuration file as it would be.
type proposal struct {
	text   []byte
	diff   string
	config *config.Config
}

// whole reports whether the choices, with the configuration, name a server and a place for cards:
// less can be checked, and not be written.
func (f *setupFlags) whole(cfg *config.Config) bool {
	return cfg.DiscordSettings().Enabled() || f.choice.Server != "" && f.choice.Channel != ""
}

// proposed puts the choices into the file's text.
func (f *setupFlags) proposed(path string, cfg *config.Config) (existing []byte, p proposal, err error) {
	if existing, err = os.ReadFile(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, p, err
	}
	p = proposal{text: existing, config: cfg}
	fragment := f.choice.Fragment()
	if fragment == "" || !f.whole(cfg) {
		return existing, p, nil
	}
	if p.text, p.diff, err = recipe.Merge(path, existing, []byte(fragment), "the Discord settings"); err != nil || p.diff == "" {
		return existing, p, err
	}
	p.config, err = config.Parse(path, p.text, cfg.Dirs())
	return existing, p, err
}

// checkDiscord checks the wanted settings of Discord. An unreadable token is a finding.
func checkDiscord(ctx context.Context, cfg *config.Config, chosen setup.Choice, want setup.Wanted, post bool) setup.Report {
	file := cmp.Or(chosen.TokenFile, cfg.DiscordSettings().TokenFile)
	client, err := discordClient(cfg, file, chosen.APIURL)
	if err != nil {
		return setup.NoToken(file, err)
	}
	defer func() { _ = client.Close() }() // nothing waits in it
	want.Commands = slash.Commands()
	if post {
		want.TestCard = sampleCard(time.Now())
	}
	return setup.Check(ctx, client, want, post)
}

// lookAtBot is checkDiscord for the doctor: a token this account may not read is an error.
func lookAtBot(ctx context.Context, cfg *config.Config, dirs config.Dirs) (setup.Report, error) {
	if cfg == nil {
		return setup.Report{}, errors.New("the configuration cannot be read")
	}
	file := tokenFileOf(cfg, dirs, "")
	if _, err := link.ReadToken(file); err != nil {
		return setup.Report{}, err
	}
	return checkDiscord(ctx, cfg, setup.Choice{TokenFile: file}, setup.Of(cfg), false), nil
}

// tokenFileOf is the token's file: the given one, or the configuration's. Without either, and
// without a token in the environment, it is the usual place.
func tokenFileOf(cfg *config.Config, dirs config.Dirs, given string) string {
	file := cmp.Or(given, cfg.DiscordSettings().TokenFile)
	if file == "" && os.Getenv(link.TokenVariable) == "" {
		return filepath.Join(dirs.State, defaultTokenName)
	}
	return file
}

// discordClient speaks to the Discord of a configuration, or to the one at apiURL.
func discordClient(cfg *config.Config, tokenFile, apiURL string) (*link.Client, error) {
	token, err := link.ReadToken(tokenFile)
	if err != nil {
		return nil, err
	}
	return link.NewClient(link.ClientConfig{Token: token, APIURL: cmp.Or(apiURL, cfg.DiscordSettings().APIURL)})
}

func (s setUp) print(w io.Writer) {
	if s.Invite != "" {
		fmt.Fprintf(w, "Invite the bot (it asks only for these permissions: %s):\n  %s\n\n", setup.Needs(), s.Invite)
	}
	printFound(w, s.Findings)
	switch {
	case s.Written:
		fmt.Fprintf(w, "\n%s\nWritten to %s. Next: callgate config accept (if the daemon runs), then restart callgate serve.\n", s.Diff, s.File)
	case s.Diff != "" && s.Worst() == finding.Error:
		fmt.Fprintf(w, "\n%s\nThis would be written to %s. Nothing was written. Fix the errors above first.\n", s.Diff, s.File)
	case s.Diff != "":
		fmt.Fprintf(w, "\n%s\nThis would be written to %s. To write it, run the same command with --write.\n", s.Diff, s.File)
	}
}
