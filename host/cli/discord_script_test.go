package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/internal/testkit/scripttest"
)

// discords are the Discord-shaped servers of the scripts, by their script's directory.
var discords sync.Map

// chatServer is one, with a person in it.
type chatServer struct {
	*discordtest.Server
	ann discordtest.Human
}

// discordScript COMMAND ... is the Discord of a script:
//
//	start FILE       starts one, and writes the bot's token into FILE
//	click LABEL      has ann press the button of the newest open card
//	says TEXT        waits until a card says it
//	introduced       waits until the bot is connected and has registered its commands
//	slow             puts slow mode on the channel
//	reset            makes the bot's token invalid, and ends its connection
//	down, up         ends its connection and takes none, and takes one again
//	typed FILE       writes a person's input for its setup: token, ids and a name
//	sound            fails when a request broke a rule of Discord's
//	secret FILE...   fails when the token stands in any other file of the script, in the
//	                 daemon's log, or in its arguments and environment
//	leak FILE        writes a file with the token, as an agent's settings may have it
//
// It sets $API, $SERVER, $CHANNEL, $BOT, $APP and $ANN.
func discordScript(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: discord start|click|says|introduced|slow|reset|down|up|typed|sound|secret|leak ...")
	}
	if args[0] == "start" {
		startDiscord(ts, ts.MkAbs(args[1]))
		return
	}
	known, ok := discords.Load(ts.Getenv("WORK"))
	if !ok {
		ts.Fatalf("no Discord: discord start FILE comes first")
	}
	s := known.(*chatServer)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	text := strings.Join(args[1:], " ")
	switch args[0] {
	case "click":
		s.click(ctx, ts, text)
	case "says":
		m, err := s.WaitMessage(ctx, func(m discordtest.Message) bool { return strings.Contains(m.Content, text) })
		ts.Check(err)
		ts.Logf("%s", m)
	case "introduced":
		ts.Check(s.WaitConnected(ctx))
		ts.Check(s.WaitCommands(ctx))
	case "slow":
		s.SetChannel(s.Channel, 0, 30)
	case "reset":
		s.ResetToken()
	case "down":
		s.RefuseDials(true)
		s.DropSockets()
		ts.Check(s.WaitDisconnected(ctx))
	case "up":
		s.RefuseDials(false)
		ts.Check(s.WaitConnected(ctx))
	case "typed":
		lines := []string{s.Token, s.Guild, "here", s.Channel, s.ann.ID, "ann"}
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	case "sound":
		if broken := s.Violations(); len(broken) > 0 {
			ts.Fatalf("requests that Discord would not take:\n%s", strings.Join(broken, "\n"))
		}
	case "secret":
		s.secret(ts, args[1:])
	case "leak":
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(`{"mcpServers": {"chat": {"command": "x", "env": {"TOKEN": "`+s.Token+`"}}}}`), 0o600))
	default:
		ts.Fatalf("discord knows no %s", args[0])
	}
}

// click has ann press a button of the open card.
func (s *chatServer) click(ctx context.Context, ts *testscript.TestScript, label string) {
	m, err := s.WaitMessage(ctx, func(m discordtest.Message) bool { return len(m.Components) > 0 && !m.Deleted })
	ts.Check(err)
	ts.Logf("%s", m)
	_, err = s.ann.Click(ctx, m.ID, label)
	ts.Check(err)
}

// secret looks for the token wherever it has no business.
func (s *chatServer) secret(ts *testscript.TestScript, except []string) {
	token := s.Token[strings.LastIndexByte(s.Token, '.')+1:]
	look := func(where string, text []byte) {
		if strings.Contains(string(text), token) {
			ts.Fatalf("%s has the bot's token", where)
		}
	}
	for i, name := range except {
		except[i] = ts.MkAbs(name)
	}
	files := 0
	ts.Check(filepath.WalkDir(ts.Getenv("WORK"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || slices.Contains(except, path) {
			return err
		}
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the store's own, between two looks
		}
		files++
		look(path, data)
		return err
	}))
	d := scripttest.Running(ts)
	log := d.Log()
	look("the log", []byte(log))
	for _, name := range []string{"cmdline", "environ"} {
		if data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", d.PID(), name)); err == nil {
			look(name+" of the daemon", data)
		}
	}
	if files == 0 || log == "" {
		ts.Fatalf("nothing was looked at: %d files, a log of %d bytes", files, len(log))
	}
}

func startDiscord(ts *testscript.TestScript, tokenFile string) {
	server, err := discordtest.New(discordtest.Options{AckWithin: patience, Patience: time.Second})
	ts.Check(err)
	s := &chatServer{Server: server, ann: server.Person("ann")}
	s.SetPortal(discordtest.Portal{VerifyKey: s.PublicKey()})
	discords.Store(ts.Getenv("WORK"), s)
	ts.Defer(func() {
		s.Close()
	})
	ts.Check(os.MkdirAll(filepath.Dir(tokenFile), 0o700))
	ts.Check(os.WriteFile(tokenFile, []byte(s.Token+"\n"), 0o600))
	for name, value := range map[string]string{
		"API": s.URL(), "SERVER": s.Guild, "CHANNEL": s.Channel, "BOT": s.Bot, "APP": s.Application, "ANN": s.ann.ID,
	} {
		ts.Setenv(name, value)
	}
}
