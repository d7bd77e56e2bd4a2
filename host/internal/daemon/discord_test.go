package daemon_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/daemon"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/internal/testkit/projecttest"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
)

// inDiscord is a configuration for asks in a server, with ann's account, and the token's file
// with that text.
func inDiscord(t *testing.T, s *discordtest.Server, api, token, more string) (w *world.World, ann discordtest.Human) {
	t.Helper()
	ann = s.Person("ann")
	w = newWorld(t, "")
	file := filepath.Join(w.Dirs.State, "discord.token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	w.Configure(fmt.Sprintf(`asks: {timeout: 10m}
discord:
  token_file: %q
  server: %q
  api_url: %q
%sdefaults:
  discord:
    channel: %q
people:
  ann:
    discord: %q
`, file, s.Guild, api, more, s.Channel, ann.ID))
	return w, ann
}

// health is how Discord stands by the API.
func health(t *testing.T, d *daemon.Daemon, w *world.World) protocol.DiscordHealth {
	t.Helper()
	h, err := w.Admin(d.Address().String()).Health(t.Context())
	if err != nil || h.Discord == nil {
		t.Fatalf("got %+v, %v; want how Discord stands", h, err)
	}
	return *h.Discord
}

// goesOn checks that the daemon judges calls.
func goesOn(t *testing.T, d *daemon.Daemon, w *world.World) {
	t.Helper()
	got, err := w.Agent(d.Address().String(), tokenfile.DefaultAgent).Check(t.Context(), bash("s", "c", "ls"), nil)
	if err != nil || got.Decision.Behavior != engine.Allow {
		t.Errorf("a call: got %+v, %v; want it allowed", got, err)
	}
}

// TestDiscord_neverStopsTheDaemon: with any fault of Discord, the daemon judges calls, logs the
// fault and reports it by its health, and ends cleanly.
func TestDiscord_neverStopsTheDaemon(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + gone.Addr().String()
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		api, token string
		spoil      func(t *testing.T, w *world.World)
		log, want  string
		fatal      bool
	}{
		"no token":    {s.URL(), "", nil, "Discord is not used", "no bot token", true},
		"not a token": {s.URL(), "letmein", nil, "Discord is not used", "three parts", true},
		"another's":   {s.URL(), strings.Replace(s.Token, ".", "x.", 1), nil, "Discord is not used", "token", true},
		"no Discord":  {nobody, s.Token, nil, "showing asks in Discord", "", false},
		"token in use": {s.URL(), s.Token, func(t *testing.T, w *world.World) {
			release, err := link.TakeLock(w.Dirs.State, s.Token)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(release)
		}, "Discord is not used", "another daemon", true},
		"others read it": {s.URL(), s.Token, func(t *testing.T, w *world.World) {
			if err := os.Chmod(filepath.Join(w.Dirs.State, "discord.token"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "Discord is not used", "0644", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, _ := inDiscord(t, s, c.api, c.token, "")
			if c.spoil != nil {
				c.spoil(t, w)
			}
			log := newLines()
			d, stop := w.Serve(log.logger())
			if line := log.await(t, c.log); strings.Contains(line, s.Token) {
				t.Errorf("the log holds the token: %s", line)
			}
			h := health(t, d, w)
			if !h.Configured || h.Connected || h.Fatal != c.fatal || !strings.Contains(h.Problem, c.want) || c.fatal && h.Fix() == "" {
				t.Errorf("got %+v, want it not connected, fatal %t, with %q", h, c.fatal, c.want)
			}
			goesOn(t, d, w)
			stop()
		})
	}
}

// TestDiscord_endpoint: clicks come in at the endpoint, a call to it is denied, and a changed
// server has to wait for the next start.
func TestDiscord_endpoint(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	w, ann := inDiscord(t, s, s.URL(), s.Token, fmt.Sprintf("  interactions:\n    listen: %s\n    public_key: %s\n", at, s.PublicKey()))
	log := newLines()
	d, stop := w.Serve(log.logger())
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := s.WaitCommands(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.SetEndpoint(ctx, "http://"+at); err != nil {
		t.Fatal(err)
	}
	client := w.Agent(d.Address().String(), tokenfile.DefaultAgent)
	_, port, _ := net.SplitHostPort(at)
	denied, err := client.Check(ctx, bash("s", "c1", "curl http://localhost:"+port+"/"), nil)
	if err != nil || denied.Decision.Behavior != engine.Deny || denied.Decision.Code != engine.CodeSelfProtection {
		t.Errorf("a call that leads to the endpoint: got %+v, %v; want it denied", denied.Decision, err)
	}
	clicked := make(chan struct{})
	go func() {
		defer close(clicked)
		m, err := s.WaitMessage(ctx, func(m discordtest.Message) bool { return len(m.Components) > 0 && !m.Deleted })
		var seen *discordtest.Seen
		if err == nil {
			seen, err = ann.Click(ctx, m.ID, "Allow once")
		}
		if err != nil {
			t.Errorf("the click: %v", err)
			return
		}
		if seen.Message != nil {
			t.Logf("the click was answered with %s", seen.Message)
		}
	}()
	allowed, err := client.Check(ctx, bash("s", "c2", "make all"), nil)
	if err != nil || allowed.Decision.Behavior != engine.Allow {
		t.Errorf("an approved call: got %+v, %v; want it allowed", allowed.Decision, err)
	}
	<-clicked
	if asks := d.Host.Asks.Waiting(ask.Filter{}); len(asks) != 0 {
		t.Errorf("got %v waiting, want none", asks)
	}
	stop()
	if _, err := net.DialTimeout("tcp", at, time.Second); err == nil {
		t.Error("the endpoint answers after the daemon has ended")
	}
}

// TestDiscord_changed: settings delayed until the next start are reported.
func TestDiscord_changed(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	w, _ := inDiscord(t, s, s.URL(), s.Token, "")
	log := newLines()
	d, _ := w.Serve(log.logger())
	log.await(t, "showing asks in Discord")
	w.Configure("")
	log.await(t, "configuration applied")
	if h := health(t, d, w); !h.Configured || h.Restart {
		t.Errorf("before it was accepted: got %+v, want nothing of a start", h)
	}
	if _, err := d.Host.AcceptConfig(t.Context(), d.Host.ConfigState().Pending, "ann"); err != nil {
		t.Fatal(err)
	}
	if h := health(t, d, w); !h.Configured || !h.Restart || !strings.Contains(h.Fix(), "restart callgate serve") {
		t.Errorf("got %+v, want it told that the change waits for a start", h)
	}
}

// TestScenario_trustAFolder: a call in an unknown project shows one card about the folder; one
// tap, and reading in it is free. /folders lists it and revokes it.
func TestScenario_trustAFolder(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	w, ann := inDiscord(t, s, s.URL(), s.Token, "")
	site := projecttest.Repository(t, filepath.Join(projecttest.Dir(t), "site"))
	d, stop := w.Serve(newLines().logger())
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := s.WaitCommands(ctx); err != nil {
		t.Fatal(err)
	}
	client := w.Agent(d.Address().String(), tokenfile.DefaultAgent)
	read := func(name string) wire.Request {
		return wire.Request{CallID: name, Tool: "Read", Input: json.RawMessage(fmt.Sprintf(`{"file_path":%q}`, name)), Context: wire.CallContext{Session: "s", CWD: site}}
	}
	decided := make(chan wire.Result, 1)
	go func() {
		res, err := client.Check(ctx, read("a.txt"), nil)
		if err != nil {
			t.Errorf("the call: %v", err)
		}
		decided <- res
	}()
	card, err := s.WaitMessage(ctx, func(m discordtest.Message) bool { return len(m.Components) > 0 && !m.Deleted })
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"**Trust the project folder?** `" + site + "`", "Trust reading: the agent may read and search files in it without asking; secrets still ask", "Trust editing", "taken back with /folders"} {
		if !strings.Contains(card.Content, text) {
			t.Errorf("the card does not say %q:\n%s", text, card.Content)
		}
	}
	for early := true; early; { // a tap in the first half second does not count
		seen, err := ann.Click(ctx, card.ID, "Trust reading")
		if err != nil {
			t.Fatal(err)
		}
		early = seen.Message != nil && (strings.Contains(seen.Message.Content, "only just appeared") || strings.Contains(seen.Message.Content, "still being posted"))
	}
	if res := <-decided; res.Decision.Behavior != engine.Allow {
		t.Errorf("the call: got %+v", res.Decision)
	}
	for name, want := range map[string]engine.Behavior{"b.txt": engine.Allow, ".env": engine.Ask} {
		if res, err := client.Evaluate(ctx, read(name)); err != nil || res.Decision.Behavior != want {
			t.Errorf("%s: got %+v, %v; want %s", name, res.Decision, err, want)
		}
	}
	list, err := d.Host.Gate.Folders.List(ctx, "")
	if err != nil || len(list) != 1 || list[0].Path != site || list[0].By != "ann" || list[0].Access != wire.ReadFolder {
		t.Fatalf("trusted: %+v, %v", list, err)
	}
	for _, step := range []struct {
		options map[string]any
		want    string
	}{{nil, site}, {map[string]any{"forget": list[0].ID}, "is not trusted any more"}, {nil, "no trusted folders"}} {
		seen, err := ann.Slash(ctx, s.Channel, "folders", step.options)
		if err != nil || seen.Message == nil || !strings.Contains(seen.Message.Content, step.want) {
			t.Errorf("/folders %v: got %+v, %v; want %q", step.options, seen, err, step.want)
		}
	}
	if res, err := client.Evaluate(ctx, read("b.txt")); err != nil || res.Decision.Behavior != engine.Ask {
		t.Errorf("after it was taken back: got %+v, %v", res.Decision, err)
	}
	stop()
}
