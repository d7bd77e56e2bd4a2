package daemon_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client/tokenfile"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
	"github.com/callgate/callgate/host/wire"
)

// TestAccept_askAcrossASwap: a person approves in Discord the earlier module's ask; the module
// in force then decides the call.
func TestAccept_askAcrossASwap(t *testing.T) {
	t.Parallel()
	old := testdata(t, "modules/deploy.wasm")
	verdict := `"behavior":"ask","bypass_immune":true,"reason":"production"`
	for name, tt := range map[string]struct {
		next []byte
		want engine.Behavior
		// says is on the new card; empty for no new card.
		says string
	}{
		"the same answer": {inPlace(t, old, `"version":"1.2.0"`, `"version":"1.3.0"`), engine.Allow, ""},
		"another reason":  {inPlace(t, old, `"reason":"production"`, `"reason":"xroduction"`), engine.Deny, "module was replaced"},
		"a denial":        {inPlace(t, old, verdict, `"behavior":"deny","reason":"production"`), engine.Deny, ""},
		"no answer":       {inPlace(t, old, verdict, `"behavior":"maybe","reason":"production"`), engine.Deny, "module was replaced"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := discordtest.Start(t, discordtest.Options{})
			w, ann := inDiscord(t, s, s.URL(), s.Token, patientModules)
			d, _ := w.Serve(nil)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			inUse(t, d, old)
			answered := make(chan wire.Result, 1)
			client := w.Agent(d.Address().String(), tokenfile.DefaultAgent)
			go func() {
				req := deployment("s", "c", "deploy", "", false)
				req.Input = []byte(`{"target":"production/web"}`)
				res, err := client.Check(ctx, req, nil)
				if err != nil {
					t.Error(err)
				}
				answered <- res
			}()
			first := nextCard(ctx, t, s, "")
			digest := inUse(t, d, tt.next)
			approveThere(ctx, t, ann, first)
			if tt.says != "" {
				again := nextCard(ctx, t, s, first.ID)
				if !strings.Contains(again.Content, tt.says) {
					t.Errorf("the new card is\n%s\nwant %q on it", again, tt.says)
				}
				if _, err := ann.Click(ctx, again.ID, "Deny"); err != nil {
					t.Fatal(err)
				}
			}
			if res := <-answered; res.Decision.Behavior != tt.want || res.ModuleDigest != digest {
				t.Errorf("got %+v by module %s; want %s by %s", res.Decision, res.ModuleDigest, tt.want, digest)
			}
		})
	}
}

// inPlace replaces a text in a module by one of at most the same length, padded with blanks
// behind a comma or the end, where JSON permits them.
func inPlace(t *testing.T, wasm []byte, was, is string) []byte {
	t.Helper()
	if !bytes.Contains(wasm, []byte(was)) || len(is) > len(was) {
		t.Fatalf("%s does not fit into the place of %s", is, was)
	}
	return bytes.ReplaceAll(wasm, []byte(was), fmt.Appendf(nil, "%-*s", len(was), is))
}

// nextCard waits for another answerable card.
func nextCard(ctx context.Context, t *testing.T, s *discordtest.Server, but string) discordtest.Message {
	t.Helper()
	m, err := s.WaitMessage(ctx, func(m discordtest.Message) bool {
		return len(m.Components) > 0 && !m.Deleted && m.ID != but && m.For == ""
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// idOnCard is where a card names its ask.
var idOnCard = regexp.MustCompile("-# ends <t:[0-9]+:R> · `([0-9a-z]+)`")

// approveThere approves a safety check: with the ask's id typed.
func approveThere(ctx context.Context, t *testing.T, ann discordtest.Human, card discordtest.Message) {
	t.Helper()
	id := idOnCard.FindStringSubmatch(card.Content)[1]
	seen, err := ann.Click(ctx, card.ID, message.AllowLabel(ask.Ask{ID: id}))
	if err == nil && seen.Modal == nil {
		err = fmt.Errorf("no form came: %+v", seen)
	}
	if err == nil {
		_, err = ann.Submit(ctx, seen, map[string]string{message.InputID: id})
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, card)
	}
}
