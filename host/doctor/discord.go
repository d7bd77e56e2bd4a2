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

	"github.com/callgate/callgate/host/discord/link"
	"github.com/callgate/callgate/host/discord/setup"
	"github.com/callgate/callgate/host/finding"
)

// discord tells whether people can be asked in Discord: how the daemon's connection
// stands, what the bot lacks where its token can be read here, and whether an agent
// has that token.
func (d *examination) discord(ctx context.Context) {
	told := d.health != nil && d.health.Discord != nil
	bot := d.connection(told)
	if d.Config != nil && d.Config.DiscordSettings().Enabled() || told && d.health.Discord.Configured {
		if found := d.bot(ctx); found != "" {
			bot = found
		}
		d.agentsToken(bot)
	}
}

// connection tells how the daemon's connection stands, and returns the bot's id where
// the daemon knows it.
func (d *examination) connection(told bool) string {
	const check = "people.discord"
	switch {
	case d.health == nil:
		d.skip(check, d.untold, "")
		return ""
	case !told:
		d.skip(check, "the daemon does not tell how Discord stands", "start the daemon again with this program")
		return ""
	}
	switch h := *d.health.Discord; {
	case !h.Configured:
		d.skip(check, h.String()+"; people answer in a terminal (callgate serve, callgate asks watch) and through the API", h.Cure())
	case h.Connected:
		d.ok(check, h.String())
	case h.Fatal:
		d.bad(check, h.String(), h.Cure())
	default:
		d.warn(check, h.String(), h.Cure())
	}
	_, id, _ := strings.Cut(d.health.Discord.Bot, "(")
	return strings.TrimSuffix(id, ")")
}

// bot looks at what the bot lacks, and returns its id.
func (d *examination) bot(ctx context.Context) string {
	if d.Discord == nil {
		return ""
	}
	d.Progress("asking Discord about the bot")
	report, err := d.Discord(ctx)
	if err != nil {
		d.skip("discord.token", "the bot could not be looked at from this account: "+err.Error(), "run callgate doctor as the daemon's account, where that is another one")
		return ""
	}
	good := 0
	for _, f := range report.Findings {
		if f.State == finding.OK {
			good++
			continue
		}
		f.Check = "discord." + f.Check
		d.add(f)
	}
	if report.Worst() == finding.OK {
		d.ok("discord.bot", fmt.Sprintf("%s: %d checks of the bot, its server, channels, permissions and people, all fine", report.Name, good))
	}
	return report.Bot
}

// agentsToken looks for the bot's token where agents would find it: whoever has it can
// take answers of people for its own, and change the cards. Threat T27.
func (d *examination) agentsToken(bot string) {
	const check = "discord.agents"
	tokenFile := ""
	if d.Config != nil {
		tokenFile = d.Config.DiscordSettings().TokenFile
	}
	if bot == "" && tokenFile == "" {
		d.skip(check, "whether an agent has the bot's token could not be told: the bot is not known", "run it again when the daemon is connected, or as its account")
		return
	}
	const cure = "reset the token (developer portal, your application, Bot), put the new one into a file of Callgate's alone, and give the agent a bot of its own"
	before := len(d.findings)
	for _, path := range d.agentsFiles() {
		switch text, err := agentsFile(path); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			d.skip(check, path+" could not be read: "+err.Error(), "run it as the account that owns it")
		case setup.TokenOf(text, bot):
			d.bad(check, path+" holds a token of the bot that asks people: an agent that has it can answer its own asks", cure)
		case tokenFile != "" && strings.Contains(text, tokenFile):
			d.bad(check, path+" names the file with the token of the bot that asks people", cure)
		}
	}
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if setup.TokenOf(value, bot) || name == link.TokenVariable {
			d.warn(check, "the variable "+name+" of this environment holds the bot's token: an agent that is started here inherits it", "put it into a file, name that as discord.token_file, and unset the variable")
		}
	}
	if len(d.findings) == before {
		d.ok(check, "none of the settings of agents here holds the bot's token")
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
