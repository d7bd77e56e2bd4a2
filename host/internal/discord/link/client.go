package link

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/message"
)

// ClientConfig are the parts of a Client.
type ClientConfig struct {
	// Token is the bot's, without "Bot ".
	Token string
	// APIURL is where the REST API is; empty means Discord's.
	APIURL string
	// Pace is how fast calls are made; the zero value is Discord's.
	Pace Pace
	// Log may be nil.
	Log *slog.Logger
	// Transport makes the calls; nil means one of the client's own.
	Transport http.RoundTripper
}

// Client makes calls of Discord's REST API. It is safe for concurrent use.
//
// Each call waits in its lane; calls refused with 429 are repeated at the time Discord names,
// those without an answer where it is safe, all inside the caller's context and 60 s. A call
// too late for that ends at once, with the time to wait in its Error. Too many are refused with
// ErrTooMany. After a 401 no more are made.
type Client struct {
	api     *url.URL
	token   string
	log     *slog.Logger
	session *discordgo.Session
	own     *http.Transport
	queue   *queue

	mu    sync.Mutex
	state State
}

// NewClient checks the address and the token's shape; it makes no call.
func NewClient(config ClientConfig) (*Client, error) {
	api, err := apiAddress(config.APIURL)
	if err != nil {
		return nil, err
	}
	if err := checkToken(config.Token); err != nil {
		return nil, err
	}
	c := &Client{api: api, token: config.Token, log: orSilent(config.Log)}
	transport := config.Transport
	if transport == nil {
		c.own = newTransport()
		transport = c.own
	}
	c.session, err = newSession(c.token, httpClient(transport))
	if err != nil {
		return nil, err
	}
	c.queue = newQueue(c.try, config.Pace.withDefaults().PerSecond)
	return c, nil
}

// newSession makes a session of discordgo without any action of its own: it does not repeat
// calls, keeps no state, and does not log, since its log may hold the token (pitfalls 2 to 5,
// 13).
func newSession(token string, client *http.Client) (*discordgo.Session, error) {
	s, err := discordgo.New("Bot " + token)
	if err != nil {
		return nil, err
	}
	s.Client = client
	s.LogLevel = discordgo.LogError - 1
	s.MaxRestRetries = 0
	s.ShouldRetryOnRateLimit = false
	s.ShouldReconnectOnError = false
	s.ShouldReconnectVoiceOnSessionError = false
	s.StateEnabled = false
	s.Compress = false
	s.UserAgent = "DiscordBot (https://github.com/callgate/callgate, 1)"
	return s, nil
}

func orSilent(log *slog.Logger) *slog.Logger {
	if log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return log
}

// Close fails waiting calls, and returns when no call is being made.
func (c *Client) Close() error {
	c.queue.close()
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
	return nil
}

// State reports whether the last call was answered. It is of use without a gateway, the usual
// source for Discord's state.
func (c *Client) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// Do makes a call and decodes its answer into out, unless out is nil. Its error is an *Error or
// ErrSuperseded.
func (c *Client) Do(ctx context.Context, r Request, out any) error {
	j, err := c.job(r)
	if err != nil {
		return &Error{What: r.What, Err: err}
	}
	key := r.Lane
	if key == "" {
		key = j.resource
	}
	body, err := c.queue.do(ctx, key, j)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(body, out); err != nil {
		return &Error{What: r.What, Status: http.StatusOK, Err: errors.New("the answer cannot be read")}
	}
	return nil
}

// job checks a request and marshals its body.
func (c *Client) job(r Request) (*job, error) {
	if !plainPath(r.Path) {
		return nil, errors.New("an id is missing or is none")
	}
	j := &job{
		what: r.What, method: r.Method, url: c.api.String() + r.Path,
		replaces: r.Replaces, urgent: r.Urgent, repeatable: r.Repeatable || r.Method == http.MethodGet,
		exempt:   strings.HasPrefix(r.Path, "/interactions/"),
		ticketed: strings.HasPrefix(r.Path, "/interactions/") || strings.HasPrefix(r.Path, "/webhooks/"),
	}
	j.route, j.resource = routeOf(r.Method, r.Path)
	var err error
	j.contentType, j.body, err = marshalBody(r.Body, r.Files)
	return j, err
}

func marshalBody(body any, files []message.File) (contentType string, data []byte, err error) {
	switch {
	case len(files) > 0:
		parts := make([]*discordgo.File, len(files))
		for i, f := range files {
			parts[i] = &discordgo.File{Name: f.Name, ContentType: f.Type, Reader: bytes.NewReader(f.Data)}
		}
		contentType, data, err = discordgo.MultipartBodyWithJSON(body, parts)
	case body != nil:
		contentType = "application/json"
		data, err = json.Marshal(body)
	}
	if err != nil {
		err = errors.New("what was to be sent is no JSON")
	}
	return contentType, data, err
}

// try makes a call once. The bucket is one of its own: discordgo keeps each bucket for ever,
// and sleeps in them (pitfalls 2 and 12).
func (c *Client) try(j *job) (*heard, []byte, error) {
	ctx, cancel := context.WithTimeout(j.ctx, tryTime)
	defer cancel()
	ctx, h := listening(ctx)
	body, err := c.session.RequestWithLockedBucket(j.method, j.url, j.contentType, j.body,
		discordgo.NewRatelimiter().LockBucket(""), 0, discordgo.WithContext(ctx))
	var other *discordgo.RESTError
	switch {
	case h.status/100 != 2 || err == nil:
	case errors.As(err, &other):
		err = nil // discordgo knows only three numbers of success
	default:
		h.status = 0 // the answer broke off
	}
	c.note(j, h.status, err)
	return h, body, err
}

// note keeps the state of the REST API, and logs its changes.
func (c *Client) note(j *job, status int, err error) {
	state := State{Connected: status != 0 && status < 500, Since: time.Now()}
	switch {
	case status == http.StatusUnauthorized && !j.ticketed:
		state = State{Since: state.Since, Fatal: true, Problem: badToken}
	case status == 0 && j.ctx.Err() != nil:
		return // the caller's time was over: no fault of Discord
	case status == 0:
		state.Problem = fmt.Sprintf("Discord's REST API does not answer: %v", withoutAddress(err))
	case status >= 500:
		state.Problem = fmt.Sprintf("Discord's REST API answers with HTTP %d", status)
	}
	c.mu.Lock()
	before := c.state
	changed := before.Connected != state.Connected || before.Fatal != state.Fatal || before.Since.IsZero()
	if !before.Fatal && (changed || before.Problem != state.Problem) {
		if !changed {
			state.Since = before.Since
		}
		c.state = state
	}
	c.mu.Unlock()
	if changed && !before.Fatal && state.Problem != "" {
		c.log.Warn("discord: REST", "error", state.Problem)
	}
}

const badToken = "Discord does not know the bot's token: make a new one in the developer portal (Bot, Reset Token), " +
	"put it where discord.token_file says, and start the daemon again"
