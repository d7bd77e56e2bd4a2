package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callgate/callgate/host/discord/discordtest"
)

// discords are the Discord-shaped servers of the scripts, by their script's directory.
var discords sync.Map

// chatServer is one, with somebody in it.
type chatServer struct {
	*discordtest.Server
	ann discordtest.Human
}

// discordScript COMMAND ... is the Discord of a script:
//
//	start FILE       starts one, and writes the bot's token into FILE
//	click LABEL      has ann press the button of the newest open card
//	write TEXT       has ann write a reply to it
//	slow SECONDS     puts slow mode on the channel
//	close CODE       ends the bot's connection with a close code
//	down, up         has it answer nothing, and answer again
//	edited TEXT      waits until a card says it
//
// It sets $API, $SERVER, $CHANNEL, $BOT, $APP, $ANN and $ROLE.
func discordScript(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) == 0 {
		ts.Fatalf("usage: discord start|click|write|slow|close|down|up|edited ...")
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
		m, err := s.WaitMessage(ctx, func(m discordtest.Message) bool { return len(m.Components) > 0 && !m.Deleted })
		ts.Check(err)
		ts.Logf("%s", m)
		_, err = s.ann.Click(ctx, m.ID, text)
		ts.Check(err)
	case "edited":
		m, err := s.WaitMessage(ctx, func(m discordtest.Message) bool { return strings.Contains(m.Content, text) })
		ts.Check(err)
		ts.Logf("%s", m)
	case "down":
		s.RefuseDials(true)
		s.DropSockets()
	case "up":
		s.RefuseDials(false)
	case "slow":
		s.SetChannel(s.Channel, 0, 30)
	case "close":
		s.CloseSockets(4004, "Authentication failed.")
	default:
		ts.Fatalf("discord knows no %s", args[0])
	}
}

func startDiscord(ts *testscript.TestScript, tokenFile string) {
	server, err := discordtest.New(discordtest.Options{AckWithin: patience})
	ts.Check(err)
	s := &chatServer{Server: server, ann: server.Person("ann")}
	s.SetPortal(discordtest.Portal{VerifyKey: s.PublicKey()})
	discords.Store(ts.Getenv("WORK"), s)
	ts.Defer(func() {
		for _, v := range s.Violations() {
			ts.Logf("violation: %s", v)
		}
		s.Close()
	})
	ts.Check(os.MkdirAll(filepath.Dir(tokenFile), 0o700))
	ts.Check(os.WriteFile(tokenFile, []byte(s.Token+"\n"), 0o600))
	for name, value := range map[string]string{
		"API": s.URL(), "SERVER": s.Guild, "CHANNEL": s.Channel, "BOT": s.Bot, "APP": s.Application, "ANN": s.ann.ID, "ROLE": s.BotRole,
	} {
		ts.Setenv(name, value)
	}
}
