package doctor_test

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/setup"
	"github.com/callgate/callgate/host/internal/machine/finding"
)

const bot = "100000000000000002"

// botToken is a token of that bot, in Discord's form.
func botToken(bot string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(bot)) + ".GabcdE." + strings.Repeat("s3cr3t", 6) + "xx"
}

// withDiscord is a world with Discord in its configuration and daemon.
func withDiscord(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.install("sound", nil)
	text := "discord: {server: \"300000000000000001\", token_file: " + filepath.Join(w.root, "elsewhere", "discord.secret") + "}\ndefaults: {discord: {channel: \"400000000000000001\"}}\n"
	cfg, err := config.Parse("callgate.yaml", []byte(text), w.o.Dirs)
	if err != nil {
		t.Fatal(err)
	}
	w.o.Config = cfg
	w.daemon.health.Discord = &protocol.DiscordHealth{Configured: true, Connected: true, Bot: "gatekeeper (" + bot + ")"}
	w.o.Discord = func(context.Context) (setup.Report, error) {
		return setup.Report{Name: "gatekeeper", Bot: bot, Findings: []finding.Finding{{Check: "token", State: finding.Passed}}}, nil
	}
	return w
}

// TestDiscord: the state of the connection, and the bot's missing rights.
func TestDiscord(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*world)
		check  string
		state  finding.State
		want   string
	}{
		"people passed": {func(*world) {}, "people.discord", finding.Passed, "connected as gatekeeper"},
		"the bot":       {func(*world) {}, "discord.bot", finding.Passed, "gatekeeper"},
		"not set up":    {func(w *world) { w.daemon.health.Discord = &protocol.DiscordHealth{} }, "people.discord", finding.Skipped, "not set up"},
		"older daemon":  {func(w *world) { w.daemon.health.Discord = nil }, "people.discord", finding.Skipped, "does not report"},
		"down": {func(w *world) {
			*w.daemon.health.Discord = protocol.DiscordHealth{Configured: true, Problem: "no answer"}
		}, "people.discord", finding.Warning, "no answer"},
		"fatal": {func(w *world) {
			*w.daemon.health.Discord = protocol.DiscordHealth{Configured: true, Fatal: true, Problem: "close code 4004"}
		}, "people.discord", finding.Error, "4004"},
		"no token here": {func(w *world) {
			w.o.Discord = func(context.Context) (setup.Report, error) { return setup.Report{}, errors.New("not ours") }
		}, "discord.token", finding.Skipped, "not ours"},
		"what it lacks": {func(w *world) {
			w.found(finding.Finding{Check: "permissions", State: finding.Error, Text: "no Attach Files", Fix: "allow it"})
		}, "discord.permissions", finding.Error, "Attach Files"},
		"what to know": {func(w *world) {
			w.found(finding.Finding{Check: "intents", State: finding.Warning, Text: "on", Fix: "off"})
		}, "discord.intents", finding.Warning, "on"},
		"token file open": {func(w *world) {
			path := w.o.Config.DiscordSettings().TokenFile
			w.write(path, botToken(bot))
			if err := os.Chmod(path, 0o644); err != nil {
				w.t.Fatal(err)
			}
		}, "files.private", finding.Error, "discord.secret has mode 0644"},
		"agents without": {func(*world) {}, "discord.agents", finding.Passed, "No agent settings"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := withDiscord(t)
			c.change(w)
			if f := find(t, w.run(), c.check); f.State != c.state || !strings.Contains(f.Text, c.want) || (c.state == finding.Error || c.state == finding.Warning) && f.Fix == "" {
				t.Errorf("got %+v, want %s with %q", f, c.state, c.want)
			}
		})
	}
}

// found adds the finding to the bot's checks.
func (w *world) found(f finding.Finding) {
	w.o.Discord = func(context.Context) (setup.Report, error) {
		return setup.Report{Bot: bot, Findings: []finding.Finding{f}}, nil
	}
}

// TestT27_AgentHasTheToken: the asking bot's token, or an older one of the same bot, is found
// in every environment file of an agent's client; that of another bot is not. A found token is
// never repeated.
func TestT27_AgentHasTheToken(t *testing.T) {
	t.Parallel()
	token, older := botToken(bot), strings.Replace(botToken(bot), "GabcdE", "Fzzzzz", 1)
	for name, c := range map[string]struct {
		path func(*world) string
		text string
	}{
		"project settings": {func(w *world) string { return filepath.Join(w.places.Project, ".claude", "settings.json") }, `{"env": {"DISCORD_TOKEN": "` + token + `"}}`},
		"mcp":              {func(w *world) string { return filepath.Join(w.places.Project, ".mcp.json") }, `{"mcpServers": {"d": {"command": "x", "env": {"T": "` + older + `"}}}}`},
		"claude.json":      {func(w *world) string { return filepath.Join(w.places.Home, ".claude.json") }, `{"mcpServers": {"d": {"headers": {"Authorization": "Bot ` + token + `"}}}}`},
		"codex":            {func(w *world) string { return filepath.Join(w.places.Home, ".codex", "config.toml") }, "[mcp_servers.d.env]\nT = \"" + token + "\"\n"},
		"gemini":           {func(w *world) string { return filepath.Join(w.places.Home, ".gemini", "settings.json") }, `{"x": "` + token + `"}`},
		"env":              {func(w *world) string { return filepath.Join(w.places.Project, ".env") }, "DISCORD_BOT_TOKEN=" + token + "\n"},
		"channel plugin":   {func(w *world) string { return filepath.Join(w.places.Home, ".claude", "channels", "discord", ".env") }, "DISCORD_BOT_TOKEN='" + token + "'\n"},
		"the file's name":  {func(w *world) string { return filepath.Join(w.places.Project, ".env") }, "TOKEN_FILE=/state/discord.token\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := withDiscord(t)
			text := c.text
			if strings.Contains(text, "TOKEN_FILE") {
				text = "TOKEN_FILE=" + w.o.Config.DiscordSettings().TokenFile
			}
			path := c.path(w)
			w.write(path, text)
			found := w.run()
			if f := find(t, found, "discord.agents"); f.State != finding.Error || !strings.Contains(f.Text, path) || f.Fix == "" {
				t.Errorf("got %+v, want bad, with %s and a fix", f, path)
			}
			for _, f := range found {
				if strings.Contains(f.Text+f.Fix, "s3cr3t") {
					t.Errorf("the token is repeated: %+v", f)
				}
			}
			w.write(path, strings.NewReplacer(token, botToken("100000000000000009"), older, "", w.o.Config.DiscordSettings().TokenFile, "").Replace(text))
			if f := find(t, w.run(), "discord.agents"); f.State != finding.Passed {
				t.Errorf("another bot's token: got %+v, want ok", f)
			}
		})
	}
}

// TestT27_TokenUnknown: where neither daemon nor file name the bot, the doctor says so.
func TestT27_TokenUnknown(t *testing.T) {
	t.Parallel()
	w := withDiscord(t)
	w.daemon.health.Discord.Bot, w.o.Discord = "", nil
	w.o.Config = config.Default(w.o.Dirs)
	if f := find(t, w.run(), "discord.agents"); f.State != finding.Skipped {
		t.Errorf("got %+v, want skipped", f)
	}
}
