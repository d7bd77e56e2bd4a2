package link_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
)

const (
	token   = "MTIzNDU2Nzg5MDEyMzQ1Njc4.Gtest1.abcdefghijklmnopqrstuvwxyz"
	channel = "100000000000000001"
	other   = "100000000000000002"
	ticket  = "aW50ZXJhY3Rpb246secret-of-an-interaction-0123456789"
)

// server answers calls without a network.
type server func(*http.Request) (*http.Response, error)

func (s server) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	answer, err := s(r)
	if answer != nil {
		answer.Request = r
	}
	return answer, err
}

func answer(status int, body string, header ...string) *http.Response {
	a := &http.Response{StatusCode: status, Status: fmt.Sprint(status), Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}
	for i := 0; i+1 < len(header); i += 2 {
		a.Header.Set(header[i], header[i+1])
	}
	return a
}

// posted is the answer to a post or an edit.
func posted(r *http.Request) *http.Response {
	steps := strings.Split(r.URL.Path, "/")
	msg := "5"
	if r.Method == http.MethodPatch {
		msg = steps[len(steps)-1]
	}
	return answer(200, fmt.Sprintf(`{"id":%q,"channel_id":%q}`, msg, steps[4]))
}

func client(t *testing.T, s server) *link.Client {
	t.Helper()
	c, err := link.NewClient(link.ClientConfig{Token: token, Transport: s})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func post(ctx context.Context, c *link.Client, channel string) error {
	_, err := c.Post(ctx, channel, plain("hello"))
	return err
}

// timed runs f and tells how long it took by the bubble's clock.
func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func inBubble(t *testing.T, s server, f func(t *testing.T, c *link.Client)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := client(t, s)
		f(t, c)
		synctest.Wait()
		if lanes, waiting := c.Lanes(); lanes != 0 || waiting != 0 {
			t.Errorf("%d lanes with %d calls are left", lanes, waiting)
		}
		must(t, c.Close())
	})
}

func TestRefused_waitsAsLongAsItSays(t *testing.T) {
	for name, test := range map[string]struct {
		first *http.Response
		after time.Duration
	}{
		"in the body":     {answer(429, `{"message":"slow","retry_after":1.5,"global":false}`), 1500 * time.Millisecond},
		"in the header":   {answer(429, `{"message":"slow"}`, "Retry-After", "3", "X-RateLimit-Bucket", "x"), 3 * time.Second},
		"of everything":   {answer(429, `{"message":"slow","retry_after":2,"global":true}`), 2 * time.Second},
		"before Discord":  {answer(429, `<html>error 1015</html>`, "Retry-After", "7"), 7 * time.Second},
		"without a time":  {answer(429, `<html>error 1015</html>`), 10 * time.Second},
		"with no number":  {answer(429, `{"retry_after":null}`, "X-RateLimit-Bucket", "x", "Retry-After", "soon"), time.Second},
		"with a minus":    {answer(429, `{"retry_after":-4}`, "X-RateLimit-Bucket", "x"), time.Second},
		"rounded up both": {answer(429, `{"retry_after":0.3}`, "Retry-After", "1"), 300 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			inBubble(t, func(r *http.Request) (*http.Response, error) {
				if calls.Add(1) == 1 {
					return test.first, nil
				}
				return posted(r), nil
			}, func(t *testing.T, c *link.Client) {
				if got := timed(func() { must(t, post(t.Context(), c, channel)) }); got != test.after {
					t.Errorf("waited %v, want %v", got, test.after)
				}
			})
		})
	}
}

// A 429 never makes a caller wait behind its own end.
func TestRefused_endsWithItsContext(t *testing.T) {
	var calls atomic.Int32
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		if strings.Contains(r.URL.Path, other) {
			return posted(r), nil
		}
		calls.Add(1)
		return answer(429, `{"message":"slow","retry_after":4,"global":false}`), nil
	}, func(t *testing.T, c *link.Client) {
		for i := range 2 { // the second one knows before it asks
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			var err error
			if got := timed(func() { err = post(ctx, c, channel) }); got > 500*time.Millisecond {
				t.Errorf("call %d: took %v", i, got)
			}
			cancel()
			var e *link.Error
			if !errors.As(err, &e) || e.Status != 429 || e.RetryAfter != 4*time.Second || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("call %d: %v", i, err)
			}
		}
		if calls.Load() != 1 {
			t.Errorf("%d calls were made, want 1", calls.Load())
		}
		if got := timed(func() { must(t, post(t.Context(), c, other)) }); got != 0 {
			t.Errorf("another channel waited %v", got)
		}
	})
}

func TestRefused_notForEver(t *testing.T) {
	var calls atomic.Int32
	inBubble(t, func(*http.Request) (*http.Response, error) {
		calls.Add(1)
		return answer(429, `{"retry_after":0.001,"global":false}`), nil
	}, func(t *testing.T, c *link.Client) {
		if err := post(t.Context(), c, channel); err == nil {
			t.Error("no error")
		}
		if n := calls.Load(); n < 3 || n > 30 {
			t.Errorf("%d calls were made", n)
		}
	})
}

func TestLimits_ofHeaders(t *testing.T) {
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		a := posted(r)
		if r.Method == http.MethodPost && strings.Contains(r.URL.Path, channel) {
			a.Header.Set("X-RateLimit-Bucket", "b")
			a.Header.Set("X-RateLimit-Remaining", "0")
			a.Header.Set("X-RateLimit-Reset-After", "2.5")
		}
		return a, nil
	}, func(t *testing.T, c *link.Client) {
		must(t, post(t.Context(), c, channel))
		var all sync.WaitGroup
		all.Go(func() {
			if got := timed(func() { must(t, post(t.Context(), c, channel)) }); got != 2500*time.Millisecond {
				t.Errorf("the same route waited %v", got)
			}
		})
		synctest.Wait()
		if got := timed(func() { must(t, post(t.Context(), c, other)) }); got != 0 {
			t.Errorf("another channel waited %v", got)
		}
		if got := timed(func() { must(t, c.Delete(t.Context(), channel, "7")) }); got != 0 {
			t.Errorf("another route of the channel waited %v", got)
		}
		all.Wait()
	})
}

func TestLimits_globalButNotInteractions(t *testing.T) {
	var calls atomic.Int32
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		if calls.Add(1) == 1 {
			return answer(429, `{"retry_after":5,"global":true}`), nil
		}
		if strings.Contains(r.URL.Path, "/interactions/") {
			return answer(204, ""), nil
		}
		return posted(r), nil
	}, func(t *testing.T, c *link.Client) {
		var all sync.WaitGroup
		all.Go(func() { must(t, post(t.Context(), c, channel)) })
		synctest.Wait()
		m := plain("x")
		if got := timed(func() {
			must(t, c.Respond(t.Context(), interaction(1), link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &m}))
		}); got != 0 {
			t.Errorf("an interaction waited %v", got)
		}
		if got := timed(func() { must(t, post(t.Context(), c, other)) }); got != 5*time.Second {
			t.Errorf("another channel waited %v", got)
		}
		all.Wait()
	})
}

func interaction(n int) *discordgo.Interaction {
	return &discordgo.Interaction{ID: fmt.Sprint(1000 + n), AppID: "77", Token: ticket, Type: discordgo.InteractionMessageComponent}
}

// Never 50 within a second, however many lanes there are.
func TestLimits_perSecond(t *testing.T) {
	var mu sync.Mutex
	var at []time.Time
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		at = append(at, time.Now())
		return posted(r), nil
	}, func(t *testing.T, c *link.Client) {
		var all sync.WaitGroup
		for i := range 300 {
			all.Go(func() { must(t, post(t.Context(), c, fmt.Sprint(1000+i%60))) })
		}
		all.Wait()
		for i := range at {
			if i >= 50 && at[i].Sub(at[i-50]) < time.Second {
				t.Fatalf("calls %d to %d were made in %v", i-50, i, at[i].Sub(at[i-50]))
			}
		}
	})
}

func TestFailed_triesAgainWhereThatIsSafe(t *testing.T) {
	reset := &net.OpError{Op: "read", Err: errors.New("connection reset")}
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	thread := func(ctx context.Context, c *link.Client) error {
		_, err := c.StartThread(ctx, channel, "x")
		return err
	}
	write := func(ctx context.Context, c *link.Client) error { return post(ctx, c, channel) }
	for name, test := range map[string]struct {
		call  func(context.Context, *link.Client) error
		fails func(*http.Request) (*http.Response, error)
		calls int32
	}{
		"a post, 500":       {write, func(*http.Request) (*http.Response, error) { return answer(500, ""), nil }, 3},
		"a post, 502":       {write, func(*http.Request) (*http.Response, error) { return answer(502, "bad gateway"), nil }, 3},
		"a post, 504":       {write, func(*http.Request) (*http.Response, error) { return answer(504, "<html>"), nil }, 3},
		"a post, no answer": {write, func(*http.Request) (*http.Response, error) { return nil, reset }, 3},
		"a post, cut": {write, func(*http.Request) (*http.Response, error) {
			a := answer(200, "")
			a.Body = io.NopCloser(io.MultiReader(strings.NewReader(`{"id":`), broken{}))
			return a, nil
		}, 3},
		"a thread, 500":        {thread, func(*http.Request) (*http.Response, error) { return answer(500, ""), nil }, 1},
		"a thread, no answer":  {thread, func(*http.Request) (*http.Response, error) { return nil, reset }, 1},
		"a thread, never sent": {thread, func(*http.Request) (*http.Response, error) { return nil, refused }, 3},
		"a post, 400": {write, func(*http.Request) (*http.Response, error) {
			return answer(400, `{"code":50035,"message":"Invalid"}`), nil
		}, 1},
		"a post, 403": {write, func(*http.Request) (*http.Response, error) { return answer(403, `{"code":50013}`), nil }, 1},
		"a post, elsewhere": {write, func(*http.Request) (*http.Response, error) {
			return answer(302, "", "Location", "https://evil.example/"), nil
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int32
			inBubble(t, func(r *http.Request) (*http.Response, error) {
				if r.URL.Host != "discord.com" {
					t.Errorf("a call went to %s", r.URL.Host)
				}
				calls.Add(1)
				return test.fails(r)
			}, func(t *testing.T, c *link.Client) {
				err := test.call(t.Context(), c)
				var e *link.Error
				if !errors.As(err, &e) {
					t.Fatalf("error %v", err)
				}
				if calls.Load() != test.calls {
					t.Errorf("%d calls were made, want %d", calls.Load(), test.calls)
				}
			})
		})
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// A repetition is the same post to Discord.
func TestPost_keepsItsNonce(t *testing.T) {
	var nonces []string
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		body := string(must1[[]byte](t)(io.ReadAll(r.Body)))
		if !strings.Contains(body, `"enforce_nonce":true`) {
			t.Errorf("no enforce_nonce: %s", body)
		}
		_, rest, _ := strings.Cut(body, `"nonce":"`)
		nonce, _, _ := strings.Cut(rest, `"`)
		if nonces = append(nonces, nonce); len(nonces) == 1 {
			return answer(502, ""), nil
		}
		return posted(r), nil
	}, func(t *testing.T, c *link.Client) {
		must(t, post(t.Context(), c, channel))
		must(t, post(t.Context(), c, channel))
		if len(nonces) != 3 || nonces[0] != nonces[1] || nonces[1] == nonces[2] || len(nonces[0]) > message.MaxNonce || nonces[0] == "" {
			t.Errorf("nonces %q", nonces)
		}
	})
}

func TestErrors_holdNoSecret(t *testing.T) {
	for name, fails := range map[string]server{
		"refused": func(*http.Request) (*http.Response, error) {
			return answer(404, `{"code":10062,"message":"Unknown"}`), nil
		},
		"no answer": func(*http.Request) (*http.Response, error) { return nil, errors.New("cut") },
		"quoted": func(r *http.Request) (*http.Response, error) {
			return answer(400, `{"code":50035,"message":"Invalid Form Body","errors":{"content":"`+ticket+`"}}`), nil
		},
		"html": func(r *http.Request) (*http.Response, error) { return answer(500, "<html>"+r.URL.String()), nil },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, fails, func(t *testing.T, c *link.Client) {
				m := plain("content-of-the-message")
				err := c.Respond(t.Context(), interaction(1), link.Response{Type: discordgo.InteractionResponseUpdateMessage, Message: &m})
				if err == nil {
					t.Fatal("no error")
				}
				for _, secret := range []string{token, ticket, m.Content} {
					if strings.Contains(err.Error(), secret) || strings.Contains(fmt.Sprintf("%+v", err), secret) {
						t.Errorf("the error tells a secret: %v", err)
					}
				}
			})
		})
	}
}

func TestUnauthorized_stopsEverything(t *testing.T) {
	var calls atomic.Int32
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		calls.Add(1)
		time.Sleep(time.Second)
		return answer(401, `{"code":0,"message":"401: Unauthorized"}`), nil
	}, func(t *testing.T, c *link.Client) {
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				if err := post(t.Context(), c, channel); !errors.Is(err, link.ErrUnauthorized) {
					t.Errorf("error %v", err)
				}
			})
		}
		all.Wait()
		if err := post(t.Context(), c, other); !errors.Is(err, link.ErrUnauthorized) {
			t.Errorf("later: %v", err)
		}
		if calls.Load() != 1 {
			t.Errorf("%d calls were made, want 1", calls.Load())
		}
		if st := c.State(); !st.Fatal || !strings.Contains(st.Problem, "developer portal") {
			t.Errorf("state %+v", st)
		}
	})
}

// An error about an interaction's own token says nothing of the bot's.
func TestUnauthorized_ofAnInteraction(t *testing.T) {
	inBubble(t, func(r *http.Request) (*http.Response, error) {
		if strings.Contains(r.URL.Path, "/webhooks/") {
			return answer(401, `{"code":50027,"message":"Invalid Webhook Token"}`), nil
		}
		return posted(r), nil
	}, func(t *testing.T, c *link.Client) {
		if _, err := c.FollowUp(t.Context(), interaction(1), plain("x")); !errors.Is(err, link.ErrUnauthorized) {
			t.Errorf("error %v", err)
		}
		must(t, post(t.Context(), c, channel))
	})
}
