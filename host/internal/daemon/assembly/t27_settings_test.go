package assembly_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
)

const inDiscord = `
people: {ann: {discord: 212345678901234567, roles: [ops]}}
discord: {server: 312345678901234567, token_file: TOKEN}
defaults: {discord: {channel: 412345678901234567}}
agents: {worker: {mode: bypass, working_directories: [PROJECT]}}
`

// TestT27_discordWaitsForAPerson: a changed file sends the cards elsewhere, to a server of the
// attacker's, and makes the attacker's account an approver. The accepted settings hold until a
// person accepts the file, also after a restart.
func TestT27_discordWaitsForAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t, strings.ReplaceAll(inDiscord, "TOKEN", "/t"))
	text := strings.NewReplacer("TOKEN", "/u", "212345678901234567", "212345678901234568", "server: 3", "server: 6", "channel: 4", "channel: 6").Replace(inDiscord)
	next := w.parse(text)
	notes, err := w.Apply(t.Context(), next)
	if err != nil || len(notes) != 2 || !strings.Contains(notes[1], "discord") || !strings.Contains(notes[1], "restart the daemon") {
		t.Errorf("got %q, %v", notes, err)
	}
	accepted := func(server, channel, account, file string) {
		t.Helper()
		s := w.Settings()
		d := s.DiscordSettings()
		p, listed := s.DiscordPerson(account)
		if string(d.Server) != server || d.TokenFile != file || string(s.Agent("worker").Discord.Channel) != channel || !listed || p.Name != "ann" || s.DiscordAccount("ann") != account {
			t.Errorf("got %+v, %+v, %+v, %t", d, s.Agent("worker").Discord, p, listed)
		}
	}
	accepted("312345678901234567", "412345678901234567", "212345678901234567", "/t")
	if got, want := w.pending(), "defaults.discord discord.server discord.token_file people.ann.discord"; got != want {
		t.Errorf("%s waits, want %s", got, want)
	}
	if _, err := w.AcceptConfig(t.Context(), w.ConfigState().Pending, "ann"); err != nil {
		t.Fatal(err)
	}
	accepted("612345678901234567", "612345678901234567", "212345678901234568", "/u")
}

// TestT27_botsToken: an agent allowed everything reads, writes or copies the file of the bot's
// token, that of the accepted configuration or that of the file as it is.
func TestT27_botsToken(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	one, two := filepath.Join(dir, "one.token"), filepath.Join(dir, "two.token")
	for _, file := range []string{one, two} {
		if err := os.WriteFile(file, []byte("token"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w := newWorld(t, strings.ReplaceAll(inDiscord, "TOKEN", one))
	w.yaml = strings.ReplaceAll(inDiscord, "TOKEN", two)
	w.reopen()
	for _, file := range []string{one, two} {
		w.decides("the token's file", map[string]engine.Behavior{"cat " + file: engine.Deny, "echo x > " + file: engine.Deny, "cp " + file + " /tmp/x": engine.Deny})
	}
	w.decides("another file", map[string]engine.Behavior{"cat " + filepath.Join(dir, "other"): engine.Allow})
}
