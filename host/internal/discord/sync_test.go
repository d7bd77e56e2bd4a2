package discord

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/member"
)

// One holder of each key at a time; keys without holders are forgotten.
func TestKeyed(t *testing.T) {
	var k keyed
	var held [3]atomic.Int64
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			unlock, err := k.lock(t.Context(), string(rune('a'+i%3)))
			if err != nil {
				t.Error(err)
				return
			}
			if held[i%3].Add(1) != 1 {
				t.Error("two hold it")
			}
			held[i%3].Add(-1)
			unlock()
		})
	}
	all.Wait()
	if len(k.locks) != 0 {
		t.Errorf("%d locks are left", len(k.locks))
	}
	unlock, err := k.lock(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := k.lock(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	unlock()
	if len(k.locks) != 0 {
		t.Errorf("%d locks are left", len(k.locks))
	}
}

func TestEarly(t *testing.T) {
	var e early
	if e.hold("c", func() {}) {
		t.Error("nothing is being posted, and it was held")
	}
	one, two := e.expect("c"), e.expect("c")
	ran := 0
	for range maxEarly {
		if !e.hold("c", func() { ran++ }) {
			t.Fatal("it was not held")
		}
	}
	if e.hold("c", func() {}) || e.hold("d", func() {}) {
		t.Error("more was held than fits, or in another channel")
	}
	one()
	one()
	if ran != maxEarly {
		t.Errorf("%d of %d ran", ran, maxEarly)
	}
	if !e.hold("c", func() { ran = -1 }) {
		t.Error("the second is still being posted")
	}
	two()
	if ran != -1 || len(e.posting) != 0 || len(e.held) != 0 {
		t.Errorf("left: %v, %d", e.posting, len(e.held))
	}
}

func TestMayAnswer(t *testing.T) {
	listed := member.Actor{Person: approvers.Person{Name: "ann"}, Listed: true}
	admin := member.Actor{Person: approvers.Person{Name: "1001", Administrator: true}}
	ops := member.Actor{Person: approvers.Person{Name: "1002", Roles: []string{"ops"}}}
	cy := member.Actor{Person: approvers.Person{Name: "1003"}}
	named, quorum := approvers.Policy{{Roles: []string{"ops"}}}, approvers.Policy{{Quorum: 2}}
	for _, tt := range []struct {
		name          string
		policy        approvers.Policy
		user          string
		actor         member.Actor
		approve, deny bool
	}{
		{"nobody is named, listed", nil, "", listed, true, true},
		{"nobody is named, administrator", nil, "", admin, true, true},
		{"nobody is named, a member", nil, "", ops, false, false},
		{"nobody is named, whose call it is", nil, "1003", cy, false, true},
		{"nobody is named, whose call it is not", nil, "", member.Actor{}, false, false},
		{"only a number is named", quorum, "", ops, false, false},
		{"a role is named, held", named, "", ops, true, true},
		{"a role is named, listed without it", named, "", listed, false, false},
		{"a role is named, administrator without it", named, "", admin, false, false},
		{"a role is named, whose call it is", named, "1003", cy, false, true},
		{"the zero actor", named, "", member.Actor{}, false, false},
	} {
		a := ask.Ask{User: tt.user, Approvers: tt.policy}
		if got := mayAnswer(a, tt.actor, ask.Approve) == ""; got != tt.approve {
			t.Errorf("%s: approve %t", tt.name, got)
		}
		if got := mayAnswer(a, tt.actor, ask.Deny) == ""; got != tt.deny {
			t.Errorf("%s: deny %t", tt.name, got)
		}
	}
}

// A swapped part of a message has another digest, in the sent form and in the received one.
func TestControlsDigest(t *testing.T) {
	button := func(id, label string) discordgo.Button { return discordgo.Button{CustomID: id, Label: label} }
	row := func(list ...discordgo.MessageComponent) discordgo.MessageComponent {
		return discordgo.ActionsRow{Components: list}
	}
	menu := func(label string) discordgo.MessageComponent {
		return discordgo.SelectMenu{CustomID: "m", Options: []discordgo.SelectMenuOption{{Value: "1", Label: label}}}
	}
	a, d := button("approve", "Approve"), button("deny", "Deny")
	if controlsDigest([]discordgo.MessageComponent{row(a, d)}) != controlsDigest([]discordgo.MessageComponent{&discordgo.ActionsRow{Components: []discordgo.MessageComponent{&a, &d}}}) {
		t.Error("the same has two digests")
	}
	seen := map[string]int{}
	for i, list := range [][]discordgo.MessageComponent{
		nil, {row()}, {row(a, d)}, {row(d, a)}, {row(a), row(d)}, {row(button("deny", "Approve"), button("approve", "Deny"))}, {row(a, d, d)},
		{row(a), row(menu("x"))}, {row(a), row(menu("y"))}, {row(a), row(discordgo.TextInput{CustomID: "m"})},
	} {
		if j, ok := seen[controlsDigest(list)]; ok {
			t.Errorf("%d and %d have one digest", i, j)
		}
		seen[controlsDigest(list)] = i
	}
}

// discordSays is an error answered by Discord itself, in its words.
func discordSays(status int) error { return &link.Error{Status: status, Message: "Unknown Channel"} }

func TestLasting(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want bool
	}{
		{errNoAccount, true},
		{discordSays(403), true}, {discordSays(404), true}, {&link.Error{Status: 401}, true}, {discordSays(400), true},
		{&link.Error{Status: 403}, false}, {&link.Error{Status: 404}, false}, {&link.Error{Status: 400}, false}, // of a proxy before Discord
		{discordSays(500), false}, {discordSays(429), false}, {discordSays(408), false}, {&link.Error{Err: errors.New("cut")}, false},
		{&link.Error{Status: 400, Message: "x", Code: codeSlowMode}, false}, {&link.Error{Status: 400, Message: "x", Code: codeOldEdits}, false},
		{context.DeadlineExceeded, false},
	} {
		if got := lasting(tt.err); got != tt.want {
			t.Errorf("%v: got %t", tt.err, got)
		}
	}
}

func TestApart(t *testing.T) {
	const card, later = "1574052495557132297", "1574052499751436297" // 1000 ms later
	for _, tt := range []struct {
		id, card string
		want     bool
	}{{later, card, true}, {card, card, false}, {card, later, false}, {"", card, false}, {later, "x", false}} {
		if got := apart(tt.id, tt.card) >= steady; got != tt.want {
			t.Errorf("%q after %q: got %t", tt.id, tt.card, got)
		}
	}
}
