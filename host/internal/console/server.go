package console

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/callgate/callgate/host/internal/client/protocol"
)

// The bounds of the listener.
const (
	maxConns       = 128
	headerPatience = 10 * time.Second
	readPatience   = 30 * time.Second
	writePatience  = 15 * time.Second
	idlePatience   = 2 * time.Minute
)

// enterPath is where a one-time link leads.
const enterPath = "/enter"

// Config are the parts of a Server. All but Beyond, Log and Now are required.
type Config struct {
	// Dial connects with the API, in this process.
	Dial func(ctx context.Context) (net.Conn, error)
	// Name returns the host name of the console's addresses, always the same.
	Name func(ctx context.Context) (string, error)
	// Beyond opens the console to browsers of other machines; nil for this machine alone.
	Beyond *Beyond
	// Answers tells the gate where the console answers: calls leading there are denied.
	Answers func(network, address string)
	// Log hears of failures, never of secrets or inputs; nil means silence.
	Log *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Server is the console. It listens from the first link on, at a port of the loopback that the
// system chooses, or, for browsers of other machines, from Open on. Its methods are safe for
// concurrent use.
type Server struct {
	c        Config
	sessions *sessions
	signIns  *signIns // nil without a provider
	keyIns   *keyIns  // nil where no passkey lets people in
	origins  *http.CrossOriginProtection
	entries  *paced // of tries to enter
	requests *paced // of all requests
	outside  *addresses
	http     *http.Server

	mu     sync.Mutex
	name   string // the host of its addresses, with its port where TLS is spoken; empty before it listens
	origin string
	closed bool
	ended  chan struct{} // closed when a listener's serving has ended; nil without one
}

// New returns a console that does not listen yet.
func New(c Config) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Server{
		c: c, origins: http.NewCrossOriginProtection(),
		signIns: newSignIns(c.Beyond, c.Now), outside: newAddresses(30, 5, c.Now), keyIns: newKeyIns(c.Beyond, c.Now),
		sessions: &sessions{dial: c.Dial, now: c.Now, links: map[key]link{}, open: map[key]*session{}},
		entries:  &paced{burst: 20, rate: 1, now: c.Now}, requests: &paced{burst: 400, rate: 100, now: c.Now},
	}
	s.http = &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: headerPatience, ReadTimeout: readPatience, IdleTimeout: idlePatience,
		MaxHeaderBytes: 16 << 10, ErrorLog: slog.NewLogLogger(c.Log.Handler(), slog.LevelDebug),
	}
	return s
}

// Link makes a one-time link for a person, who gets the rights that lend gives. The first link opens
// the port.
func (s *Server) Link(ctx context.Context, by string, lend Lend) (protocol.ConsoleLink, error) {
	origin, err := s.listen(ctx)
	if err != nil {
		return protocol.ConsoleLink{}, err
	}
	text, expires, err := s.sessions.invite(by, lend)
	if err != nil {
		return protocol.ConsoleLink{}, err
	}
	return protocol.ConsoleLink{URL: origin + enterPath + "?key=" + text, ExpiresAt: expires}, nil
}

// Origin is the origin of the console's pages; empty before the first link.
func (s *Server) Origin() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.origin
}

// listen opens the port once, and returns the origin.
func (s *Server) listen(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return "", errors.New("the daemon is stopping; try again")
	}
	if s.origin != "" {
		return s.origin, nil
	}
	name, err := s.c.Name(ctx)
	if err != nil {
		return "", err
	}
	s.name = name
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("open a port for the console: %w", err)
	}
	s.c.Answers("tcp", l.Addr().String()) // before anything can connect with a session
	_, port, _ := net.SplitHostPort(l.Addr().String())
	s.origin = "http://" + net.JoinHostPort(name, port)
	s.serve(netutil.LimitListener(l, maxConns))
	return s.origin, nil
}

// serve answers on l until the server is closed. The caller holds mu.
func (s *Server) serve(l net.Listener) {
	s.ended = make(chan struct{})
	go func() {
		defer close(s.ended)
		if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.c.Log.Error("the console has stopped; restart the daemon", "error", err)
		}
	}()
}

// Close ends all sessions and the port. It may be called more than once.
func (s *Server) Close() error {
	s.mu.Lock()
	s.closed = true
	ended := s.ended
	s.mu.Unlock()
	s.sessions.leaveAll()
	err := s.http.Close()
	if ended != nil {
		<-ended
	}
	return err
}

//go:embed assets/style.css assets/app.js assets/passkey.js assets/push.js assets/rules.js assets/worker.js assets/icon.svg
var assets embed.FS

// page answers a request of a session.
type page func(s *Server, w http.ResponseWriter, r *http.Request, of *session) error

// route is one operation of the console. All but entering and the assets want a session.
type route struct {
	method, path string
	page         page
}

var routes = []route{
	{http.MethodGet, "/{$}", (*Server).waiting},
	{http.MethodGet, "/asks/{id}", (*Server).showAsk},
	{http.MethodPost, "/asks/{id}", (*Server).answer},
	{http.MethodGet, "/asks/{id}/several", (*Server).showSeveral},
	{http.MethodPost, "/asks/{id}/several", (*Server).answerSeveral},
	{http.MethodGet, "/trends", (*Server).trends},
	{http.MethodGet, "/activity", (*Server).activity},
	{http.MethodGet, "/activity/{seq}", (*Server).showRow},
	{http.MethodGet, "/rules", (*Server).rules},
	{http.MethodPost, "/rules", (*Server).addRule},
	{http.MethodPost, "/rules/effect", (*Server).effect},
	{http.MethodGet, "/rules/{id}/edit", (*Server).showEdit},
	{http.MethodPost, "/rules/{id}/edit", (*Server).editRule},
	{http.MethodPost, "/rules/{id}/remove", (*Server).removeRule},
	{http.MethodGet, "/tools", (*Server).tools},
	{http.MethodPost, "/tools/modules/{file}", (*Server).changeModule},
	{http.MethodGet, "/agents", (*Server).agents},
	{http.MethodGet, "/health", (*Server).health},
	{http.MethodGet, "/events", (*Server).events},
	{http.MethodGet, "/passkeys", (*Server).passkeys},
	{http.MethodPost, "/passkeys", (*Server).addPasskey},
	{http.MethodPost, "/passkeys/new", (*Server).newPasskey},
	{http.MethodPost, "/passkeys/{id}/revoke", (*Server).revokePasskey},
	{http.MethodGet, "/messages", (*Server).messages},
	{http.MethodPost, "/messages", (*Server).addMessages},
	{http.MethodPost, "/messages/{id}/remove", (*Server).removeMessages},
	{http.MethodPost, "/lock", (*Server).lock},
	{http.MethodPost, "/leave", (*Server).leave},
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, rt := range routes {
		mux.HandleFunc(rt.method+" "+rt.path, func(w http.ResponseWriter, r *http.Request) {
			of := s.sessionOf(r)
			if of == nil {
				s.fail(w, r, nil, errNoSession)
				return
			}
			if err := rt.page(s, w, r, of); err != nil {
				s.fail(w, r, of, err)
			}
		})
	}
	unknown := map[string]func(http.ResponseWriter, *http.Request) error{"GET " + enterPath: s.enter, "GET " + workerPath: s.worker, "GET /manifest.webmanifest": s.manifest}
	if s.signIns != nil {
		unknown["GET "+signInPath], unknown["GET "+signedInPath] = s.goSignIn, s.signedIn
	}
	if s.keyIns != nil {
		unknown["GET "+keyInPath], unknown["POST "+keyInPath] = s.askKey, s.keyIn
	}
	for path, answer := range unknown {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if err := answer(w, r); err != nil {
				s.fail(w, r, nil, err)
			}
		})
	}
	mux.Handle("GET /assets/", http.FileServerFS(assets))
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, s.sessionOf(r), refuse(http.StatusNotFound, "there is no such page"))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.headers(w.Header())
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writePatience)) // without deadlines (tests) it waits
		defer func() {
			if v := recover(); v != nil && v != any(http.ErrAbortHandler) { //nolint:errorlint // net/http compares the panic itself
				s.c.Log.Error("a page failed", "method", r.Method, "path", r.URL.Path, "panic", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
				panic(http.ErrAbortHandler) // our bug; the browser sees a broken page and nothing was allowed
			}
		}()
		err := s.guard(r)
		pace := s.requests.take
		if s.c.Beyond != nil && s.sessionOf(r) == nil { // a stranger must not use up what the others have
			pace = func() bool { return s.outside.take(r) }
		}
		if err == nil && !pace() {
			w.Header().Set("Retry-After", "1")
			err = refuse(http.StatusTooManyRequests, "too many requests; try again in a moment")
		}
		if err != nil {
			s.fail(w, r, nil, err)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// enter uses a one-time link. Its page leads on by itself, and not by a redirect: a browser led here
// by another page sends no cookie of ours along a redirect.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) error {
	if !s.entries.take() {
		w.Header().Set("Retry-After", "1")
		return refuse(http.StatusTooManyRequests, "too many tries; wait a moment, then run: callgate console")
	}
	if err := only(r.URL.Query(), "key"); err != nil {
		return err
	}
	cookie, err := s.sessions.enter(r.URL.Query().Get("key"))
	if errors.Is(err, errLink) {
		return refuse(http.StatusForbidden, err.Error())
	}
	if err != nil {
		return err
	}
	return s.welcome(w, cookie)
}

// welcome gives a new session to the browser. The page leads on by itself: see enter.
func (s *Server) welcome(w http.ResponseWriter, cookie string) error {
	http.SetCookie(w, s.cookie(cookie))
	return s.render(w, http.StatusOK, "entered", frame{Title: "Console", Forward: true})
}

// leave signs out.
func (s *Server) leave(w http.ResponseWriter, r *http.Request, of *session) error {
	if _, err := formOf(w, r, of); err != nil {
		return err
	}
	over := s.cookie("")
	for _, c := range r.CookiesNamed(over.Name) {
		s.sessions.leave(c.Value)
	}
	over.MaxAge = -1
	http.SetCookie(w, over)
	f := frame{Title: "Signed out", Text: "You have left the console. To come back, run: callgate console", SignIn: s.ways()}
	if len(f.SignIn) > 0 {
		f.Text = "You have left the console."
	}
	return s.render(w, http.StatusOK, "message", f)
}

// lock ends the effect of the PIN here.
func (s *Server) lock(w http.ResponseWriter, r *http.Request, of *session) error {
	if _, err := formOf(w, r, of); err != nil {
		return err
	}
	if err := of.client.LockPresence(r.Context()); err != nil {
		return err
	}
	of.say("Locked: the next approval wants the PIN again.")
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}
