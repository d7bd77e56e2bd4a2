package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/setup"
	"github.com/callgate/callgate/host/internal/machine/checkup"
	"github.com/callgate/callgate/host/internal/machine/finding"
)

// discord checks whether people can be asked in Discord: the daemon's connection, missing
// permissions of the bot where its token can be read here, and whether an agent has the token.
func (d *examination) discord(ctx context.Context) {
	told := d.health != nil && d.health.Discord != nil
	d.of(ctx, checkup.Discord)
	bot := ""
	if told {
		_, id, _ := strings.Cut(d.health.Discord.Bot, "(")
		bot = strings.TrimSuffix(id, ")")
	}
	if d.Config != nil && d.Config.DiscordSettings().Enabled() || told && d.health.Discord.Configured {
		if found := d.bot(ctx); found != "" {
			bot = found
		}
		d.agentsToken(bot)
	}
}

// bot finds the bot's missing permissions, and returns its id.
func (d *examination) bot(ctx context.Context) string {
	if d.Discord == nil {
		return ""
	}
	d.Progress("checking the bot with Discord")
	report, err := d.Discord(ctx)
	if err != nil {
		d.skip("discord.token", "this account cannot check the bot: "+err.Error(), "run callgate doctor as the daemon's account")
		return ""
	}
	good := 0
	for _, f := range report.Findings {
		if f.State == finding.Passed {
			good++
			continue
		}
		f.Check = "discord." + f.Check
		d.add(f)
	}
	if report.Worst() == finding.Passed {
		d.ok("discord.bot", fmt.Sprintf("%s: %d checks of bot, server, channels, permissions and people passed.", report.Name, good))
	}
	return report.Bot
}

// agentsToken looks for the bot's token where agents would find it: with it an agent can forge
// people's answers and change the cards. Threat T27.
func (d *examination) agentsToken(bot string) {
	const check = "discord.agents"
	tokenFile := ""
	if d.Config != nil {
		tokenFile = d.Config.DiscordSettings().TokenFile
	}
	if bot == "" && tokenFile == "" {
		d.skip(check, "cannot check whether an agent has the bot token: the bot is unknown", "run it again when the daemon is connected, or as the daemon's account")
		return
	}
	const fix = "reset the token (developer portal, your application, Bot), save the new one in a file that only Callgate can read, and give the agent another bot"
	before := len(d.findings)
	for _, path := range d.agentsFiles() {
		switch text, err := agentsFile(path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			d.skip(check, "cannot read "+path+": "+err.Error(), "run it as the account that owns the file")
		case setup.TokenOf(text, bot):
			d.bad(check, path+" contains the bot token for approvals: an agent that reads it can answer its own asks.", fix)
		case tokenFile != "" && strings.Contains(text, tokenFile):
			d.bad(check, path+" names the file with the bot token for approvals.", fix)
		}
	}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if setup.TokenOf(value, bot) || name == link.TokenVariable {
			d.warn(check, "The environment variable "+name+" contains the bot token; agents started from here inherit it.", "save the token in a file, set discord.token_file to it, and unset the variable")
		}
	}
	if len(d.findings) == before {
		d.ok(check, "No agent settings contain the bot token.")
	}
}

// agentsFiles are where clients of agents keep their environment and their servers'.
func (d *examination) agentsFiles() []string {
	p := d.Settings.Places
	var list []string
	for _, f := range d.Settings.Files {
		list = append(list, f.Path)
	}
	home := func(parts ...string) { list = append(list, filepath.Join(append([]string{p.Home}, parts...)...)) }
	home(".claude.json")
	home(".claude", ".env")
	home(".claude", "channels", "discord", ".env")
	home(".codex", "config.toml")
	home(".codex", ".env")
	home(".gemini", "settings.json")
	home(".gemini", ".env")
	list = append(list, filepath.Join(filepath.Dir(p.UserFile()), ".claude.json"))
	if p.Project != "" {
		for _, name := range []string{
			".mcp.json", ".env", ".env.local", ".envrc", filepath.Join(".gemini", "settings.json"), filepath.Join(".gemini", ".env"),
			filepath.Join(".codex", "config.toml"),
		} {
			list = append(list, filepath.Join(p.Project, name))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// maxAgentsFile is how much of a file is looked at, in bytes.
const maxAgentsFile = 16 << 20

// agentsFile reads a regular file.
func agentsFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fs.ErrNotExist
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(f, maxAgentsFile))
	return string(text), err
}
