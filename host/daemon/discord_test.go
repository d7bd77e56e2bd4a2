package daemon_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/daemon"
	"github.com/callgate/callgate/host/discord/discordtest"
	"github.com/callgate/callgate/host/discord/link"
)

// inDiscord is a configuration that shows asks in a server, with ann's account, and
// the token's file with that text.
func inDiscord(t *testing.T, s *discordtest.Server, api, token, more string) (root string, ann discordtest.Human) {
	t.Helper()
	ann = s.Person("ann")
	root = newRoot(t, "")
	file := filepath.Join(root, "state", "discord.token")
	if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
		t.Fatal(err)
	}
	configure(t, root, fmt.Sprintf(`asks: {timeout: 10m}
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
	return root, ann
}

// health is how Discord stands by the API.
func health(t *testing.T, d *daemon.Daemon, root string) api.DiscordHealth {
	t.Helper()
	h, err := dial(t, d.Address().String(), adminToken(root)).Health(t.Context())
	if err != nil || h.Discord == nil {
		t.Fatalf("got %+v, %v; want how Discord stands", h, err)
	}
	return *h.Discord
}

// goesOn tells that the daemon judges calls.
func goesOn(t *testing.T, d *daemon.Daemon, root string) {
	t.Helper()
	got, err := dial(t, d.Address().String(), agentToken(root, api.DefaultAgent)).Check(t.Context(), bash("s", "c", "ls"), nil)
	if err != nil || got.Decision.Behavior != engine.Allow {
		t.Errorf("a call: got %+v, %v; want it allowed", got, err)
	}
}

// TestDiscord_neverStopsTheDaemon: whatever is wrong with Discord, the daemon judges
// calls, logs what is wrong and tells it by its health, and ends cleanly.
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
		spoil      func(t *testing.T, root string)
		log, want  string
		fatal      bool
	}{
		"no token":    {s.URL(), "", nil, "Discord is not used", "no bot token", true},
		"not a token": {s.URL(), "letmein", nil, "Discord is not used", "three parts", true},
		"another's":   {s.URL(), strings.Replace(s.Token, ".", "x.", 1), nil, "Discord is no longer used", "token", true},
		"no Discord":  {nobody, s.Token, nil, "showing asks in Discord", "", false},
		"token in use": {s.URL(), s.Token, func(t *testing.T, root string) {
			release, err := link.TakeLock(filepath.Join(root, "state"), s.Token)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(release)
		}, "Discord is not used", "another daemon", true},
		"others read it": {s.URL(), s.Token, func(t *testing.T, root string) {
			if err := os.Chmod(filepath.Join(root, "state", "discord.token"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "Discord is not used", "0644", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, _ := inDiscord(t, s, c.api, c.token, "")
			if c.spoil != nil {
				c.spoil(t, root)
			}
			log := newLines()
			d, stop := run(t, root, log.logger())
			if line := log.await(t, c.log); strings.Contains(line, s.Token) {
				t.Errorf("the log holds the token: %s", line)
			}
			h := health(t, d, root)
			if !h.Configured || h.Connected || h.Fatal != c.fatal || !strings.Contains(h.Problem, c.want) || c.fatal && h.Cure() == "" {
				t.Errorf("got %+v, want it not connected, fatal %t, with %q", h, c.fatal, c.want)
			}
			goesOn(t, d, root)
			stop()
		})
	}
}

// TestDiscord_endpoint: clicks come in at the endpoint, a call that leads there is
// denied, and a changed server is told to wait for the next start.
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
	root, ann := inDiscord(t, s, s.URL(), s.Token, fmt.Sprintf("  interactions:\n    listen: %s\n    public_key: %s\n", at, s.PublicKey()))
	log := newLines()
	d, stop := run(t, root, log.logger())
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if err := s.WaitCommands(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.SetEndpoint(ctx, "http://"+at); err != nil {
		t.Fatal(err)
	}
	client := dial(t, d.Address().String(), agentToken(root, api.DefaultAgent))
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
			seen, err = ann.Click(ctx, m.ID, "Approve")
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

// TestDiscord_changed: what of the settings holds from the next start on is told.
func TestDiscord_changed(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	root, _ := inDiscord(t, s, s.URL(), s.Token, "")
	log := newLines()
	d, _ := run(t, root, log.logger())
	log.await(t, "showing asks in Discord")
	configure(t, root, "")
	log.await(t, "configuration in force")
	if h := health(t, d, root); !h.Configured || h.Restart {
		t.Errorf("before it was accepted: got %+v, want nothing of a start", h)
	}
	if _, err := d.Host.AcceptConfig(t.Context(), d.Host.ConfigState().Pending, "ann"); err != nil {
		t.Fatal(err)
	}
	if h := health(t, d, root); !h.Configured || !h.Restart || !strings.Contains(h.Cure(), "start callgate serve again") {
		t.Errorf("got %+v, want it told that the change waits for a start", h)
	}
}
