package discordtest

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// BotPermissions are the default permissions of the bot's role, unless Options set others: view
// channels, send messages, read the history, attach files, embed links, add reactions, create
// public threads, send messages in threads.
const BotPermissions int64 = 309237763136

// Options configure a server. The zero value suits a bot of ours.
type Options struct {
	// Token is the bot's; by default one in the form of a real one.
	Token string
	// Now is the server's clock: ages of tokens, nonces, rate limits. Default time.Now.
	Now func() time.Time
	// Seed is where random faults and the signing key come from.
	Seed uint64
	// AckWithin is how long an interaction may wait for its answer; default 3 s as at
	// Discord. Start makes it a minute, since a busy machine is no fault of the bot's.
	AckWithin time.Duration
	// Patience is how long people seem to look at a message before they act: the ids and times
	// of their actions are stamped that much later than the clock says. Default none; Start
	// makes it a second.
	Patience time.Duration
	// Heartbeat is the interval in Hello; default 41.25 s.
	Heartbeat time.Duration
	// SessionStarts is how often the bot may identify before its token is reset;
	// default 1000.
	SessionStarts int
	// Privileged are the privileged intents allowed in the developer portal; default none, so
	// identifying with one ends in 4014.
	Privileged int
	// Permissions are those of the bot's role; default BotPermissions. Administrator,
	// owner and overwrites count as at Discord.
	Permissions int64
	// RateLimits, when set, are kept and told in headers; default none.
	RateLimits *RateLimits
	// HandWritten checks the hand-written limits alone, and not testdata/discord: for programs
	// outside the repository.
	HandWritten bool
	// Addr is where to listen; default 127.0.0.1:0, a free port.
	Addr string
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.AckWithin == 0 {
		o.AckWithin = 3 * time.Second
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 41250 * time.Millisecond
	}
	if o.SessionStarts == 0 {
		o.SessionStarts = 1000
	}
	if o.Permissions == 0 {
		o.Permissions = BotPermissions
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	return o
}

// Server is one Discord, with one application and its bot. All methods may be called
// from several goroutines.
type Server struct {
	// Token is the bot's; Application and Bot are its ids.
	Token, Application, Bot string
	// Guild is the server's first guild, with its Owner, the bot's role and Channel, a text
	// channel visible to all there.
	Guild, Owner, BotRole, Channel string

	opts     Options
	key      ed25519.PrivateKey
	listener net.Listener
	http     *http.Server
	open     sync.WaitGroup // connections, handlers, sockets
	oracle   *oracle

	mu      sync.Mutex
	changed chan struct{} // closed, and another put in its place, on every change
	closed  bool
	stop    chan struct{}
	random  *rand.Rand
	lastID  int64

	world
	traffic
	gateway
	faults
	buckets      map[string]*bucket
	interactions map[string]*interaction // by id
	tokens       map[string]*interaction
	nonces       map[string]nonce
	application  Portal
	endpoint     string
}

// New starts a server with one guild, its owner, the bot and a channel.
func New(opts Options) (*Server, error) {
	opts = opts.withDefaults()
	listener, err := net.Listen("tcp", opts.Addr)
	if err != nil {
		return nil, fmt.Errorf("discordtest: listen: %w", err)
	}
	seed := sha256.Sum256(fmt.Appendf(nil, "discordtest %d", opts.Seed))
	s := &Server{
		Token: opts.Token, opts: opts, listener: listener,
		key:     ed25519.NewKeyFromSeed(seed[:]),
		changed: make(chan struct{}), stop: make(chan struct{}),
		random:       rand.New(rand.NewPCG(opts.Seed, 0)),
		world:        newWorld(),
		buckets:      map[string]*bucket{},
		interactions: map[string]*interaction{}, tokens: map[string]*interaction{},
		nonces: map[string]nonce{},
	}
	s.sessions = map[string]*session{}
	s.sockets = map[*socket]bool{}
	s.startsLeft = opts.SessionStarts
	if s.oracle, err = findOracle(opts.HandWritten); err != nil {
		_ = listener.Close() // the oracle's error says more
		return nil, err
	}
	s.populate()
	s.serveHTTP()
	return s, nil
}

// serveHTTP begins to answer. Every goroutine of a connection is counted, for Close to wait for
// it.
func (s *Server) serveHTTP() {
	s.http = &http.Server{
		Handler:           http.HandlerFunc(s.serve),
		ReadHeaderTimeout: time.Minute,
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				s.open.Add(1)
			case http.StateClosed, http.StateHijacked:
				s.open.Done()
			}
		},
	}
	s.open.Add(1)
	go func() {
		defer s.open.Done()
		_ = s.http.Serve(s.listener) // ends with ErrServerClosed
	}()
}

// Close ends every connection and waits for the server's goroutines.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	close(s.stop)
	s.touch()
	sockets := s.openSockets()
	s.mu.Unlock()
	for _, socket := range sockets {
		socket.drop()
	}
	_ = s.http.Close() // best effort; no one to report to
	s.open.Wait()
}

// URL is the server's base, such as http://127.0.0.1:4711, with the API below /api/v9 and
// /api/v10. It is the value for discord.api_url.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// PublicKey is the HTTP endpoint's key for signatures, in hex, as shown in the developer
// portal.
func (s *Server) PublicKey() string {
	return hex.EncodeToString(s.key.Public().(ed25519.PublicKey))
}

// touch wakes all waiters after a change. s.mu is held.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// Wait returns when done does; it is called now and after every change, without any lock held.
// Otherwise the context's error.
func (s *Server) Wait(ctx context.Context, done func() bool) error {
	for {
		s.mu.Lock()
		changed, closed := s.changed, s.closed
		s.mu.Unlock()
		if done() {
			return nil
		}
		if closed {
			return fmt.Errorf("discordtest: the server is closed")
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("discordtest: waited in vain: %w\n%s", ctx.Err(), s.tail(8))
		}
	}
}

// api splits a path into the version and the rest; ok reports whether the server has the
// version.
func api(path string) (rest string, ok bool) {
	for _, prefix := range []string{"/api/v10", "/api/v9"} {
		if rest, found := strings.CutPrefix(path, prefix); found && strings.HasPrefix(rest, "/") {
			return rest, true
		}
	}
	return path, false
}
