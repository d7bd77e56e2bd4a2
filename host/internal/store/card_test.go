package store_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

func someCard(message string) store.Card {
	return store.Card{Message: message, Channel: "c1", Ask: "7F3K", Place: "channel", Attempt: 1, PostedAt: askTime, Digests: []string{"d1", "d2"}, Body: "what was asked"}
}

func TestCards_surviveReopening(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	first, second, other := someCard("1"), someCard("2"), someCard("3")
	second.PostedAt, other.Ask = askTime.Add(time.Second), "9XYZ"
	for _, c := range []store.Card{second, first, other} {
		must(t, s.SaveCard(t.Context(), c))
	}
	second.Digests = append(second.Digests, "d3")
	must(t, s.SaveCard(t.Context(), second))
	s = reopened(t, s)
	got, err := s.CardsOf(t.Context(), "7F3K")
	must(t, err)
	if want := []store.Card{first, second}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	one, err := s.Card(t.Context(), "3")
	must(t, err)
	if !reflect.DeepEqual(one, other) {
		t.Errorf("got %+v, want %+v", one, other)
	}
	if _, err := s.Card(t.Context(), "4"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("no such card: got %v", err)
	}
}

func TestFinishCard_keepsNoBody(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	must(t, s.SaveCard(t.Context(), someCard("1")))
	must(t, s.SaveCard(t.Context(), someCard("2")))
	must(t, s.FinishCard(t.Context(), "1", askTime.Add(time.Minute)))
	must(t, s.FinishCard(t.Context(), "none", askTime))
	open, err := s.UnfinishedCards(t.Context())
	must(t, err)
	if len(open) != 1 || open[0].Message != "2" {
		t.Errorf("unfinished: got %+v", open)
	}
	done, err := s.Card(t.Context(), "1")
	must(t, err)
	if done.Body != "" || !done.FinishedAt.Equal(askTime.Add(time.Minute)) {
		t.Errorf("finished: got %+v", done)
	}
}

func TestForgetCards(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for _, message := range []string{"old", "new", "open"} {
		must(t, s.SaveCard(t.Context(), someCard(message)))
	}
	must(t, s.FinishCard(t.Context(), "old", askTime))
	must(t, s.FinishCard(t.Context(), "new", askTime.Add(time.Hour)))
	must(t, s.SaveThread(t.Context(), store.Thread{Channel: "c1", Agent: "a", Session: "s1", ID: "t1", UsedAt: askTime}))
	must(t, s.ForgetCards(t.Context(), askTime.Add(time.Minute)))
	cards, err := s.CardsOf(t.Context(), "7F3K")
	must(t, err)
	if len(cards) != 2 {
		t.Errorf("got %+v, want the new and the open one", cards)
	}
	if _, err := s.ThreadByID(t.Context(), "t1"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the thread: got %v", err)
	}
}

func TestSaveCard_refuses(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	for name, change := range map[string]func(*store.Card){
		"no message":       func(c *store.Card) { c.Message = "" },
		"no channel":       func(c *store.Card) { c.Channel = "" },
		"no ask":           func(c *store.Card) { c.Ask = "" },
		"a long body":      func(c *store.Card) { c.Body = strings.Repeat("x", 9000) },
		"too many digests": func(c *store.Card) { c.Digests = make([]string, 65) },
	} {
		c := someCard("1")
		change(&c)
		if err := s.SaveCard(t.Context(), c); err == nil {
			t.Errorf("%s: it was stored", name)
		}
	}
}

func TestThreads(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	th := store.Thread{Channel: "c1", Agent: "a", Session: "s1", ID: "t1", UsedAt: askTime}
	must(t, s.SaveThread(t.Context(), th))
	th.ID = "t2" // the first was deleted
	must(t, s.SaveThread(t.Context(), th))
	got, err := s.ThreadOf(t.Context(), "c1", "a", "s1")
	must(t, err)
	if got != th {
		t.Errorf("got %+v, want %+v", got, th)
	}
	if got, err = s.ThreadByID(t.Context(), "t2"); err != nil || got != th {
		t.Errorf("by id: got %+v, %v", got, err)
	}
	for _, key := range [][3]string{{"c2", "a", "s1"}, {"c1", "b", "s1"}, {"c1", "a", "s2"}} {
		if _, err := s.ThreadOf(t.Context(), key[0], key[1], key[2]); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%v: got %v", key, err)
		}
	}
}

func TestInstance_staysTheSame(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	first, err := s.Instance(t.Context())
	must(t, err)
	s = reopened(t, s)
	again, err := s.Instance(t.Context())
	must(t, err)
	if len(first) != 8 || again != first {
		t.Errorf("got %q, then %q", first, again)
	}
	if other, err := fresh(t).Instance(t.Context()); err != nil || other == first {
		t.Errorf("another store: got %q, %v", other, err)
	}
}

func TestVeiled_showsTheCallWithoutItsSecrets(t *testing.T) {
	t.Parallel()
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	s := fresh(t)
	a := waiting("1")
	a.Input = json.RawMessage(`{"command":"curl -H 'Authorization: Bearer ` + secret + `' example.com"}`)
	before := string(a.Input)
	got := s.Veiled(a)
	if text := string(got.Input); strings.Contains(text, secret) || !strings.Contains(text, "example.com") {
		t.Errorf("got %s", text)
	}
	if string(a.Input) != before {
		t.Error("the ask itself was changed")
	}
}
