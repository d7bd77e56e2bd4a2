package discordtest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/testkit/discordtest"
)

const messages = "/channels/{channel_id}/messages"

// try uses a client that reports dropped connections, as status 0.
func try(t *testing.T, s *discordtest.Server, method, path, body string) (int, http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(within(t), method, s.URL()+"/api/v10"+path, strings.NewReader(body))
	must(t, err)
	req.Header.Set("Authorization", "Bot "+s.Token)
	req.Header.Set("User-Agent", "DiscordBot (https://example.org, 1)")
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return 0, nil
	}
	_ = resp.Body.Close()
	return resp.StatusCode, resp.Header
}

// Each fault acts as described, with or without effect.
func TestFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  discordtest.Fault
		status int
		effect bool
		header string
	}{
		"none that matches": {discordtest.Fault{Method: "PATCH", Status: 500}, 200, true, ""},
		"status":            {discordtest.Fault{Status: 500}, 500, false, ""},
		"route":             {discordtest.Fault{Method: "POST", Route: messages, Status: 503}, 503, false, ""},
		"prefix":            {discordtest.Fault{Route: "/channels/*", Status: 503}, 503, false, ""},
		"HTML":              {discordtest.Fault{Status: 502, HTML: true, Message: "<h1>Bad gateway</h1>"}, 502, false, ""},
		"rate limit":        {discordtest.Fault{RateLimit: &discordtest.RateLimit{After: time.Second}}, 429, false, "X-Ratelimit-Bucket"},
		"global":            {discordtest.Fault{RateLimit: &discordtest.RateLimit{After: time.Second, Global: true}}, 429, false, "X-Ratelimit-Global"},
		"Cloudflare":        {discordtest.Fault{RateLimit: &discordtest.RateLimit{After: time.Second, HTML: true}}, 429, false, "Retry-After"},
		"dropped before":    {discordtest.Fault{Drop: discordtest.DropBefore}, 0, false, ""},
		"dropped after":     {discordtest.Fault{Drop: discordtest.DropAfter}, 0, true, ""},
		"delayed":           {discordtest.Fault{Delay: time.Millisecond}, 200, true, ""},
		"skipped":           {discordtest.Fault{Skip: 1, Status: 500}, 200, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := discordtest.Start(t, discordtest.Options{})
			remove := s.Inject(c.fault)
			status, header := try(t, s, "POST", "/channels/"+s.Channel+"/messages", `{"content":"x"}`)
			if status != c.status {
				t.Errorf("HTTP %d, want %d", status, c.status)
			}
			if c.header != "" && header.Get(c.header) == "" {
				t.Errorf("no %s in %v", c.header, header)
			}
			if got := len(s.Messages()) == 1; got != c.effect {
				t.Errorf("took effect %v, want %v", got, c.effect)
			}
			remove()
			if status, _ := try(t, s, "POST", "/channels/"+s.Channel+"/messages", `{"content":"x"}`); status != 200 {
				t.Errorf("without the fault: HTTP %d", status)
			}
		})
	}
}

// A chance comes from the seed: the same in every run, and about as often as said.
func TestChance(t *testing.T) {
	t.Parallel()
	outcome := func(seed uint64) string {
		s := discordtest.Start(t, discordtest.Options{Seed: seed})
		s.Inject(discordtest.Fault{Chance: 0.5, Status: 500})
		var b strings.Builder
		for range 40 {
			status, _ := try(t, s, "GET", "/users/@me", "")
			b.WriteString(map[int]string{200: ".", 500: "x"}[status])
		}
		return b.String()
	}
	one, again, other := outcome(1), outcome(1), outcome(2)
	if one != again || one == other {
		t.Errorf("%s, again %s, another seed %s", one, again, other)
	}
	if n := strings.Count(one, "x"); n < 8 || n > 32 || len(one) != 40 {
		t.Errorf("%d of 40 fail: %s", n, one)
	}
}

// A held request waits until it is released, and no other does.
func TestHold(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	hold := make(chan struct{})
	s.Inject(discordtest.Fault{Route: "/users/@me", Count: 1, Hold: hold})
	done := make(chan int, 1)
	go func() { status, _ := try(t, s, "GET", "/users/@me", ""); done <- status }()
	if status, _ := try(t, s, "GET", "/gateway/bot", ""); status != 200 {
		t.Errorf("another request: HTTP %d", status)
	}
	select {
	case status := <-done:
		t.Fatalf("was not held: HTTP %d", status)
	default:
	}
	close(hold)
	if status := <-done; status != 200 {
		t.Errorf("let go: HTTP %d", status)
	}
}

// Limits are kept per channel, told in headers, and end with the window.
func TestRateLimits(t *testing.T) {
	t.Parallel()
	clock := newClock()
	s := discordtest.Start(t, discordtest.Options{Now: clock.now, RateLimits: &discordtest.RateLimits{Requests: 2}})
	other := s.AddChannel(s.Guild, "other")
	post := func(channel string) (int, http.Header) {
		return try(t, s, "POST", "/channels/"+channel+"/messages", `{"content":"x"}`)
	}
	for i, want := range []int{200, 200, 429} {
		status, header := post(s.Channel)
		if status != want || header.Get("X-RateLimit-Limit") != "2" || header.Get("X-RateLimit-Bucket") == "" {
			t.Errorf("request %d: HTTP %d %v", i, status, header)
		}
		if want == 429 && (header.Get("Retry-After") != "5" || header.Get("X-RateLimit-Remaining") != "0") {
			t.Errorf("headers of the 429: %v", header)
		}
	}
	if status, _ := post(other); status != 200 {
		t.Errorf("another channel: HTTP %d", status)
	}
	clock.add(5 * time.Second)
	if status, _ := post(s.Channel); status != 200 {
		t.Errorf("in the next window: HTTP %d", status)
	}
	global := discordtest.Start(t, discordtest.Options{Now: clock.now, RateLimits: &discordtest.RateLimits{Requests: 100, Global: 3}})
	for i, want := range []int{200, 200, 200, 429} {
		if status, header := try(t, global, "GET", "/users/@me", ""); status != want || want == 429 && header.Get("X-RateLimit-Scope") != "global" {
			t.Errorf("request %d: HTTP %d %v", i, status, header)
		}
	}
}

// No wait is endless: a context ends it, with a report of the events meanwhile.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	s := discordtest.Start(t, discordtest.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.WaitMessage(ctx, func(discordtest.Message) bool { return false })
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "0 requests") {
		t.Errorf("%v", err)
	}
}
