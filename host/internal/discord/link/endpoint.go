package link

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/machine/ratelog"
)

// Limits of the endpoint.
const (
	maxCall    = 256 << 10               // bytes of a call; Discord's largest are far below
	maxAge     = 5 * time.Minute         // of a call's time, to either side
	answerTime = 2500 * time.Millisecond // Discord takes an answer for 3 s
	bodyTime   = 3 * time.Second         // for a call to arrive: later, Discord takes no answer
	maxReads   = 256                     // at once: anybody may call
	maxCalls   = 64                      // of Discord's, at once
)

// EndpointConfig are the parts of an endpoint.
type EndpointConfig struct {
	// PublicKey is the application's, in hex, as the developer portal shows it.
	PublicKey string
	// Events gets the interactions; nothing else comes this way.
	Events Events
	// Client sends answers too large for the response to the call.
	Client *Client
	// Last is the highest interaction id stored by Keep before this endpoint was made; 0 for
	// none. Lower or equal ids are refused, so a recorded call cannot be replayed after a
	// restart.
	Last uint64
	// Keep stores the highest id so far, before the interaction is processed: on an error it is
	// not. Required.
	Keep func(ctx context.Context, id uint64) error
	// Log may be nil. Now means time.Now when nil.
	Log *slog.Logger
	Now func() time.Time
}

// Endpoint is where Discord calls with interactions, see NewEndpoint. It is safe for
// concurrent use.
type Endpoint struct {
	key    ed25519.PublicKey
	events Events
	client *Client
	log    *slog.Logger
	now    func() time.Time
	within time.Duration // until a call has come in
	limit  time.Duration // until it is answered
	seen   *seen
	keep   func(ctx context.Context, id uint64) error
	// refused are calls from others than Discord.
	refused ratelog.Tally
	calls   chan struct{} // one each for calls being read
	tasks   chan struct{} // and for those processed by Events

	ctx    context.Context
	cancel context.CancelFunc
	all    sync.WaitGroup
}

// NewEndpoint makes the handler for Discord's interactions over HTTP instead of the gateway. It
// accepts a call signed with the application's key, at most five minutes old and new, even
// across a restart; all else gets 401, or 4xx for an error unrelated to the key. It answers in
// the HTTP response, or, where Events takes longer than 2.5 s, defers, and sends the answer by
// REST. Source: Discord's page "Receiving and Responding".
func NewEndpoint(config EndpointConfig) (*Endpoint, error) {
	key, err := hex.DecodeString(config.PublicKey)
	if err != nil || len(key) != ed25519.PublicKeySize {
		return nil, errors.New("discord.interactions.public_key is no public key: copy the 64 characters from the developer portal (General Information, Public Key)")
	}
	if config.Keep == nil {
		return nil, errors.New("nothing keeps which interactions were there")
	}
	e := &Endpoint{
		key: key, events: config.Events, client: config.Client, log: orSilent(config.Log), now: config.Now,
		within: bodyTime, limit: answerTime, seen: newSeen(config.Last), keep: config.Keep, refused: ratelog.Tally{Now: config.Now},
		calls: make(chan struct{}, maxReads), tasks: make(chan struct{}, maxCalls),
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	if e.now == nil {
		e.now = time.Now
	}
	return e, nil
}

// Close ends the contexts of the interactions still with Events, and waits for them. The server
// calling the handler is stopped before.
func (e *Endpoint) Close() error {
	e.cancel()
	e.all.Wait()
	return nil
}

// ServeHTTP implements http.Handler.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	received := e.now()
	late := time.NewTimer(e.limit) // Discord's 3 s hold for all of it
	defer late.Stop()
	select {
	case e.calls <- struct{}{}:
		defer func() { <-e.calls }()
	default:
		e.refuse(w, http.StatusServiceUnavailable, errors.New("too many come at once"))
		return
	}
	body, status, err := e.accept(w, r, received)
	if err != nil {
		e.refuse(w, status, err)
		return
	}
	e.serve(w, body, received, late.C)
}

// refuse answers a call from others than Discord, and ends its connection. The log hears of one
// for many.
func (e *Endpoint) refuse(w http.ResponseWriter, status int, why error) {
	if n := e.refused.Count(); n > 0 {
		e.log.Warn("discord: calls of the interactions endpoint were refused", "calls", n, "status", status, "error", why)
	}
	w.Header().Set("Connection", "close")
	http.Error(w, http.StatusText(status), status)
}

// accept returns the body of a call made by Discord.
func (e *Endpoint) accept(w http.ResponseWriter, r *http.Request, now time.Time) (body []byte, status int, err error) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return nil, http.StatusMethodNotAllowed, errors.New("it is no POST")
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, http.StatusUnsupportedMediaType, errors.New("it is no JSON")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxCall)
	hurry(w, time.Now().Add(e.within)) // also where the rest is not read here
	if !fresh(r.Header, now) {
		return nil, http.StatusUnauthorized, fmt.Errorf("its time is missing or further from this clock than %v", maxAge)
	}
	if len(r.Header.Values("X-Signature-Ed25519")) != 1 || !discordgo.VerifyInteraction(r, e.key) {
		return nil, http.StatusUnauthorized, errors.New("it is not signed with the application's key, or too long")
	}
	if body, err = io.ReadAll(r.Body); err != nil {
		return nil, http.StatusBadRequest, errUnread
	}
	hurry(w, time.Time{})
	return body, http.StatusOK, nil
}

// hurry bounds the reading of a call, where its connection can: the server has a limit
// of its own.
func hurry(w http.ResponseWriter, until time.Time) {
	_ = http.NewResponseController(w).SetReadDeadline(until) // a closed connection reads no more
}

// fresh reports whether a call's time is near. The signature check proves the time itself.
func fresh(header http.Header, now time.Time) bool {
	texts := header.Values("X-Signature-Timestamp")
	if len(texts) != 1 || len(texts[0]) > 12 {
		return false
	}
	at, err := strconv.ParseInt(texts[0], 10, 64)
	return err == nil && now.Sub(time.Unix(at, 0)).Abs() <= maxAge
}

// serve answers a call of Discord's.
func (e *Endpoint) serve(w http.ResponseWriter, body []byte, received time.Time, late <-chan time.Time) {
	var kind struct {
		Type discordgo.InteractionType `json:"type"`
	}
	if json.Unmarshal(body, &kind) != nil {
		http.Error(w, "no interaction", http.StatusBadRequest)
		return
	}
	if kind.Type == discordgo.InteractionPing {
		if err := writeCallback(w, callback{Type: discordgo.InteractionResponsePong}); err != nil {
			e.log.Warn("discord: the endpoint's answer was not taken", "error", err)
		}
		return
	}
	i, why, err := readAny(body)
	if why != nil {
		e.log.Warn("discord: an interaction cannot be read", "error", why)
	}
	if err != nil {
		http.Error(w, "no interaction", http.StatusBadRequest)
		return
	}
	select {
	case e.tasks <- struct{}{}:
	default:
		http.Error(w, "too many interactions at once", http.StatusServiceUnavailable)
		return
	}
	if status, err := e.admit(i, received); err != nil {
		<-e.tasks
		e.log.Warn("discord: an interaction is not dealt with", "interaction", i.ID, "error", err)
		http.Error(w, http.StatusText(status), status)
		return
	}
	e.hand(w, i, received, late)
}

var errRepeated = errors.New("it came a second time, or is older than one before the last start, or too many came")

// admit takes an interaction once, and stores its id before it is processed.
func (e *Endpoint) admit(i *Interaction, received time.Time) (status int, err error) {
	id, err := strconv.ParseUint(i.ID, 10, 64)
	if err != nil || !e.seen.first(i.ID, received) {
		return http.StatusUnauthorized, errRepeated
	}
	ctx, cancel := context.WithTimeout(e.ctx, e.limit)
	defer cancel()
	if err := e.keep(ctx, id); err != nil {
		return http.StatusServiceUnavailable, fmt.Errorf("it cannot be stored that it was there: %w", err)
	}
	return http.StatusOK, nil
}

// hand gives an interaction to Events, and its answer, or a deferral when it is late, to
// Discord.
func (e *Endpoint) hand(w http.ResponseWriter, event *Interaction, received time.Time, late <-chan time.Time) {
	a := newAnswer(e.client, event.Interaction)
	event.Received, event.Respond = received, once(a.respond)
	over := make(chan struct{})
	e.all.Go(func() {
		defer func() { <-e.tasks }()
		defer close(over)
		ctx, cancel := context.WithTimeout(e.ctx, eventTime)
		defer cancel()
		contained(e.log, func() { e.events.Interaction(ctx, event) })
	})
	select {
	case <-a.given:
	case <-over:
	case <-late:
		a.deferNow()
	}
	a.write(w)
}
