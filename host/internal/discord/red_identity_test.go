package discord

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

// TestT27_forgedIdentity: clicks with the right custom id on the right card, from somebody
// who may not answer and makes themselves look like somebody who may: by their roles, the
// bits of their permissions, names, an own server, or what is missing.
func TestT27_forgedIdentity(t *testing.T) {
	var ops string
	w := newWorld(t, usual+"defaults: {ask_approvers: {roles: [ops], users: [ann]}}\n", withOps(&ops))
	own := w.server.AddGuild("mine", w.bob.ID)
	theirs := w.server.AddRole(own, "ops", 1<<3)
	eve := w.server.AddUser("ann")
	twin := w.server.AddRole(w.server.Guild, ops, 0) // a role whose name is the id of another
	_, a, m := w.posed("rm -rf /")
	user := func(id, name string) map[string]any {
		return map[string]any{"id": id, "username": name, "global_name": name, "discriminator": "0"}
	}
	member := func(u any, roles any, permissions string) map[string]any {
		return map[string]any{"user": u, "roles": roles, "permissions": permissions, "nick": "ann", "joined_at": "2026-01-01T00:00:00Z", "deaf": false, "mute": false}
	}
	for name, change := range map[string]func(map[string]any){
		"no member":               func(p map[string]any) { delete(p, "member"); p["user"] = user(eve, "ann") },
		"neither member nor user": func(p map[string]any) { delete(p, "member") },
		"a member without a user": func(p map[string]any) { p["member"] = member(nil, []string{ops}, "8") },
		"two accounts": func(p map[string]any) {
			p["member"] = member(user(eve, "ann"), []string{ops}, "8")
			p["user"] = user(w.ann.ID, "ann")
		},
		"roles null":                 func(p map[string]any) { p["member"] = member(user(eve, "ann"), nil, "8") },
		"permissions of an admin":    func(p map[string]any) { p["member"] = member(user(eve, "ann"), []string{}, "8") },
		"huge permissions":           func(p map[string]any) { p["member"] = member(user(eve, "ann"), []string{}, "99999999999999999999999") },
		"negative permissions":       func(p map[string]any) { p["member"] = member(user(eve, "ann"), []string{}, "-1") },
		"permissions that are none":  func(p map[string]any) { p["member"] = member(user(eve, "ann"), []string{}, "all") },
		"@everyone as a role":        func(p map[string]any) { p["member"] = member(user(eve, "ann"), []string{w.server.Guild}, "0") },
		"a role of the name":         func(p map[string]any) { p["member"] = member(user(eve, "ann"), []string{"ops", "ann"}, "0") },
		"a role named as an id":      func(p map[string]any) { p["member"] = member(user(eve, "ann"), []string{twin}, "0") },
		"the role of another server": func(p map[string]any) { p["member"] = member(user(eve, "ann"), []string{theirs}, "8") },
		"from another server": func(p map[string]any) {
			p["guild_id"] = own
			p["member"] = member(user(eve, "ann"), []string{theirs, ops}, "8")
		},
		"from direct messages": func(p map[string]any) {
			delete(p, "guild_id")
			p["member"] = member(user(eve, "ann"), []string{ops}, "8")
		},
		"a bot": func(p map[string]any) {
			u := user(w.ann.ID, "ann")
			u["bot"] = true
			p["member"] = member(u, []string{ops}, "8")
		},
		"Discord itself": func(p map[string]any) {
			u := user(w.ann.ID, "ann")
			u["system"] = true
			p["member"] = member(u, []string{ops}, "8")
		},
		"an id with a blank":   func(p map[string]any) { p["member"] = member(user(w.ann.ID+" ", "ann"), []string{ops}, "8") },
		"an id that is a name": func(p map[string]any) { p["member"] = member(user("ann", "ann"), []string{ops}, "8") },
		"a member who is timed out": func(p map[string]any) {
			v := member(user(w.ann.ID, "ann"), []string{ops}, "8")
			v["communication_disabled_until"] = "2099-01-01T00:00:00Z"
			p["member"] = v
		},
		"the channel of another card": func(p map[string]any) { p["channel_id"] = w.server.AddChannel(w.server.Guild, "elsewhere") },
		"another message's id":        func(p map[string]any) { p["message"].(map[string]any)["id"] = w.server.Guild },
		"values of a menu": func(p map[string]any) {
			p["data"] = map[string]any{"custom_id": w.customID(a, "rule"), "component_type": 3, "values": []string{"0", "1"}}
		},
	} {
		who := eve
		if name == "the channel of another card" || name == "another message's id" || name == "values of a menu" {
			who = w.ann.ID
		}
		ctx, cancel := short(w)
		_, err := w.server.Forge(ctx, who, m.ChannelID, m.ID, w.customID(a, "approve"), change)
		cancel()
		if got, getErr := w.broker.Get(w.context(), a.ID); getErr != nil || got.State != ask.Shown || len(got.Votes) > 0 {
			t.Fatalf("%s: the ask is %s (%v, %v)", name, got.State, getErr, err)
		}
	}
	w.server.TakeViolations()
}

// TestT27_anothersAsk: forms, replies and buttons of one ask are used for another one.
func TestT27_anothersAsk(t *testing.T) {
	w := newWorld(t, usual)
	done, a, m := w.posed("ls")
	other := w.check("rm -rf /", otherSession)
	b := w.shown("rm -rf /")
	m2 := w.card("rm -rf /")
	submit := func(channel, on, id, typed string) {
		t.Helper()
		_, err := w.server.Forge(w.context(), w.ann.ID, channel, on, id, func(p map[string]any) {
			p["type"] = 5
			p["data"] = map[string]any{"custom_id": id, "components": []any{map[string]any{"type": 1, "components": []any{map[string]any{"type": 4, "custom_id": "id", "value": typed}}}}}
		})
		must(t, err)
	}
	submit(m.ChannelID, m.ID, w.customID(b, "confirm"), b.ID)
	submit(m2.ChannelID, m2.ID, w.customID(b, "confirm"), a.ID)
	submit(m2.ChannelID, m2.ID, w.customID(b, "confirm"), b.ID+" "+b.ID)
	submit(m2.ChannelID, m2.ID, w.customID(b, "confirm"), "")
	for _, text := range []string{"yes " + b.ID, b.ID + " yes", "approve " + b.ID} {
		_, err := w.ann.Reply(m.ID, text)
		must(t, err)
	}
	elsewhere := w.server.AddChannel(w.server.Guild, "elsewhere")
	id, err := w.ann.Write(elsewhere, fmt.Sprintf("<@%s> yes %s", w.server.Bot, b.ID))
	must(t, err)
	must(t, w.ann.Edit(id, fmt.Sprintf("<@%s> yes %s!", w.server.Bot, b.ID)))
	id, err = w.ann.Reply(m2.ID, "hmm")
	must(t, err)
	must(t, w.ann.Edit(id, "yes"))
	_, err = w.ann.Select(w.context(), m2.ID, message.ValueReason) // what came before is dealt with
	must(t, err)
	w.undecided(a)
	w.undecided(b)
	for _, card := range []discordtest.Message{m, m2} {
		_, err := w.ann.Click(w.context(), card.ID, "Deny")
		must(t, err)
	}
	w.wants(done, store.AskDenied)
	w.wants(other, store.AskDenied)
}

// short is a context for what may get no answer at all.
func short(w *world) (context.Context, context.CancelFunc) {
	return context.WithTimeout(w.context(), time.Second)
}
