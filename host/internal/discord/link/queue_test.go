package link_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
)

// held lets calls of a channel through one after another, and notes them.
type held struct {
	mu   sync.Mutex
	seen []string
	gate chan struct{}
}

func (h *held) answer(r *http.Request) (*http.Response, error) {
	body := ""
	if r.Body != nil {
		text, _ := io.ReadAll(r.Body)
		_, rest, _ := strings.Cut(string(text), `"content":"`)
		body, _, _ = strings.Cut(rest, `"`)
	}
	h.mu.Lock()
	h.seen = append(h.seen, r.Method+" "+body)
	h.mu.Unlock()
	select {
	case <-h.gate:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	return posted(r), nil
}

func TestEdits_onlyTheNewestIsMade(t *testing.T) {
	h := &held{}
	inBubble(t, h.answer, func(t *testing.T, c *link.Client) {
		h.gate = make(chan struct{})
		errs := make([]error, 5)
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { _, errs[i] = c.Edit(t.Context(), channel, "9", plain(fmt.Sprint(i))) })
			synctest.Wait()
		}
		close(h.gate)
		all.Wait()
		if want := []string{"PATCH 0", "PATCH 4"}; !slices.Equal(h.seen, want) {
			t.Errorf("made: %q, want %q", h.seen, want)
		}
		for i, err := range errs {
			if got, want := errors.Is(err, link.ErrSuperseded), i > 0 && i < 4; got != want || !want && err != nil {
				t.Errorf("edit %d: %v", i, err)
			}
		}
	})
}

// A failed edit does not come back behind a newer one.
func TestEdits_anOldOneIsNotTriedAgain(t *testing.T) {
	var made []string
	first := true
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		text := string(must1[[]byte](t)(io.ReadAll(r.Body)))
		made = append(made, map[bool]string{true: "old", false: "new"}[strings.Contains(text, "old")])
		if first {
			first = false
			time.Sleep(time.Second)
			return answer(503, ""), nil
		}
		return posted(r), nil
	}, func(t *testing.T, c *link.Client) {
		var old error
		var all sync.WaitGroup
		all.Go(func() { _, old = c.Edit(t.Context(), channel, "9", plain("old")) })
		synctest.Wait()
		all.Go(func() { _, err := c.Edit(t.Context(), channel, "9", plain("new")); must(t, err) })
		all.Wait()
		if !errors.Is(old, link.ErrSuperseded) || !slices.Equal(made, []string{"old", "new"}) {
			t.Errorf("made %q, the old one: %v", made, old)
		}
	})
}

func TestLane_urgentGoesFirst(t *testing.T) {
	h := &held{}
	inBubble(t, h.answer, func(t *testing.T, c *link.Client) {
		h.gate = make(chan struct{})
		var all sync.WaitGroup
		send := func(text string, urgent bool) {
			all.Go(func() {
				must(t, c.Do(t.Context(), link.Request{
					Method: http.MethodPost, Path: "/channels/" + channel + "/messages", What: "x", Urgent: urgent,
					Body: map[string]string{"content": text},
				}, nil))
			})
			synctest.Wait()
		}
		send("1", false)
		send("2", false)
		send("3", true)
		send("4", false)
		send("5", true)
		close(h.gate)
		all.Wait()
		if want := []string{"POST 1", "POST 3", "POST 5", "POST 2", "POST 4"}; !slices.Equal(h.seen, want) {
			t.Errorf("made: %q, want %q", h.seen, want)
		}
	})
}

func TestQueue_isBounded(t *testing.T) {
	h := &held{}
	inBubble(t, h.answer, func(t *testing.T, c *link.Client) {
		h.gate = make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		var full atomic.Int32
		for range link.MaxLane + 51 { // one of them is being made
			all.Go(func() {
				if err := post(ctx, c, channel); errors.Is(err, link.ErrTooMany) {
					full.Add(1)
				} else if !errors.Is(err, context.Canceled) {
					t.Errorf("error %v", err)
				}
			})
		}
		synctest.Wait()
		if full.Load() != 50 {
			t.Errorf("%d were refused, want 50", full.Load())
		}
		if got := timed(func() {
			if err := c.Delete(ctx, channel, "1"); !errors.Is(err, link.ErrTooMany) {
				t.Errorf("error %v", err)
			}
		}); got != 0 {
			t.Errorf("refused after %v", got)
		}
		cancel()
		all.Wait()
	})
}

func TestQueue_aCallEndsWithoutAContextsEnd(t *testing.T) {
	h := &held{}
	inBubble(t, h.answer, func(t *testing.T, c *link.Client) {
		got := timed(func() {
			if err := post(context.Background(), c, channel); err == nil {
				t.Error("no error")
			}
		})
		if got > time.Minute {
			t.Errorf("ended after %v", got)
		}
	})
}

func TestClose_failsWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &held{gate: make(chan struct{})}
		c := client(t, h.answer)
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() { _ = post(t.Context(), c, channel) }) // the first one is made
		}
		synctest.Wait()
		go func() {
			time.Sleep(time.Second)
			close(h.gate)
		}()
		must(t, c.Close())
		all.Wait()
		if len(h.seen) != 1 {
			t.Errorf("made: %q", h.seen)
		}
		if err := post(t.Context(), c, channel); err == nil {
			t.Error("a call was made after Close")
		}
	})
}

// discordgo kept a bucket for each interaction, for ever (pitfall 12).
func TestRespond_leavesNothingBehind(t *testing.T) {
	inBubble(t, func(*http.Request) (*http.Response, error) {
		return answer(204, "", "X-RateLimit-Bucket", "b", "X-RateLimit-Remaining", "4", "X-RateLimit-Reset-After", "1"), nil
	}, func(t *testing.T, c *link.Client) {
		m := plain("x")
		for i := range 500 {
			must(t, c.Respond(t.Context(), interaction(i), link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &m}))
		}
		if n := c.Buckets(); n != 0 {
			t.Errorf("%d limits are remembered", n)
		}
	})
}

func TestLimits_areForgotten(t *testing.T) {
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		a := posted(r)
		a.Header.Set("X-RateLimit-Remaining", "4")
		a.Header.Set("X-RateLimit-Reset-After", "1")
		return a, nil
	}, func(t *testing.T, c *link.Client) {
		for i := range 2000 {
			must(t, post(t.Context(), c, fmt.Sprint(1000+i)))
		}
		if n := c.Buckets(); n > 300 {
			t.Errorf("%d limits are remembered", n)
		}
	})
}

// Every call ends, for any answers of the server and any patience of its caller.
func TestQueue_hammer(t *testing.T) {
	var seed atomic.Uint64
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		rnd := rand.New(rand.NewPCG(7, seed.Add(1)))
		time.Sleep(time.Duration(rnd.IntN(50)) * time.Millisecond)
		switch rnd.IntN(8) {
		case 0, 1, 2:
			return answer(429, fmt.Sprintf(`{"retry_after":%f,"global":%t}`, rnd.Float64()/4, rnd.IntN(4) == 0)), nil
		case 3:
			return answer(502, "bad"), nil
		case 4:
			return nil, errors.New("cut")
		case 5:
			return answer(200, `{"id":`), nil
		}
		return posted(r), nil
	}, func(t *testing.T, c *link.Client) {
		var all sync.WaitGroup
		for i := range 400 {
			all.Go(func() {
				rnd := rand.New(rand.NewPCG(9, uint64(i)))
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rnd.IntN(20_000))*time.Millisecond)
				defer cancel()
				end, _ := ctx.Deadline()
				ch := fmt.Sprint(1000 + i%20)
				switch i % 4 {
				case 0:
					_ = post(ctx, c, ch)
				case 1:
					_, _ = c.Edit(ctx, ch, fmt.Sprint(i%3+1), plain("x"))
				case 2:
					_ = c.Respond(ctx, interaction(i), link.Response{Type: discordgo.InteractionResponseDeferredMessageUpdate})
				case 3:
					_ = c.Delete(ctx, ch, "3")
				}
				if time.Now().After(end) {
					t.Errorf("a call took %v longer than its context", time.Since(end))
				}
			})
		}
		all.Wait()
	})
}
