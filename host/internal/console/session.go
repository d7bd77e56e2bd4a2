package console

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/store/history"
)

// How long things last. A session ends with its token at the latest.
const (
	linkHold    = 2 * time.Minute
	sessionHold = 8 * time.Hour
	idleHold    = 30 * time.Minute
)

// The bounds of what the memory keeps.
const (
	maxLinks    = 64
	maxSessions = 64
	maxStreams  = 8 // open event streams of one session
)

// key is the SHA-256 of a secret: the memory of the process holds no secret of a link or a session.
type key [sha256.Size]byte

func keyOf(secret string) key { return sha256.Sum256([]byte(secret)) }

// secret is 32 random bytes as text.
func secret() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // it never fails
	return base64.RawURLEncoding.EncodeToString(random)
}

// Lend gives the rights of a token for as long as alive, at most for hold; end ends it.
type Lend func(hold time.Duration) (secret string, alive context.Context, end func(), err error)

// link is an unused one-time link.
type link struct {
	by      string
	lend    Lend
	expires time.Time
	// stands says whether its person may still come in; nil for as long as the rights last.
	stands func() bool
}

// session is one browser's.
type session struct {
	by     string
	csrf   string
	client *client.Client
	// alive ends with the token's rights and with the session, which end ends.
	alive context.Context
	end   func()
	// stands is the link's.
	stands func() bool

	mu      sync.Mutex
	expires time.Time
	used    time.Time
	streams int
	// seen are the ids of asks already reported as shown.
	seen map[string]bool
	// said is told on the next page: what an answer did.
	said []string
	// tried are the last causes of asks.
	tried keptCauses

	// effect is the last simulation, diff the last comparison of modules. Each has its own lock.
	effect kept[history.Simulated]
	diff   kept[history.ModuleDiff]
}

// sessions are all links and sessions. Safe for concurrent use.
type sessions struct {
	dial func(ctx context.Context) (net.Conn, error)
	now  func() time.Time

	mu    sync.Mutex
	links map[key]link
	open  map[key]*session
}

// errLink is a link that is used, too old or unknown; the three are not told apart.
var errLink = errors.New("this link was used already, is older than two minutes, or never existed; make a new one: callgate console")

// invite makes a one-time link's secret.
func (s *sessions) invite(by string, lend Lend) (string, time.Time, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	if len(s.links) >= maxLinks {
		return "", time.Time{}, fmt.Errorf("%d unused links to the console exist; wait two minutes", maxLinks)
	}
	text, expires := secret(), s.now().Add(linkHold)
	s.links[keyOf(text)] = link{by: by, lend: lend, expires: expires}
	return text, expires, nil
}

// enter uses a link and begins a session; the returned secret is its cookie's.
func (s *sessions) enter(text string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	l, ok := s.links[keyOf(text)]
	if !ok {
		return "", errLink
	}
	delete(s.links, keyOf(text))
	return s.start(l)
}

// begin begins the session of a person who has proven themselves elsewhere; the returned secret is its
// cookie's.
func (s *sessions) begin(l link) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	return s.start(l)
}

// start begins a session with a link's rights. The caller holds mu.
func (s *sessions) start(l link) (string, error) {
	if len(s.open) >= maxSessions {
		return "", fmt.Errorf("%d consoles are open; sign out of one", maxSessions)
	}
	token, alive, end, err := l.lend(sessionHold)
	if err != nil {
		return "", err
	}
	c, err := client.Within(s.dial, token)
	if err != nil {
		end()
		return "", err
	}
	cookie, now := secret(), s.now()
	s.open[keyOf(cookie)] = &session{
		by: l.by, csrf: secret(), client: c, alive: alive, end: end, stands: l.stands, expires: now.Add(sessionHold), used: now, seen: map[string]bool{},
	}
	return cookie, nil
}

// find returns the session of a cookie, and notes its use.
func (s *sessions) find(cookie string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	found := s.open[keyOf(cookie)]
	if found != nil {
		found.touch(s.now())
	}
	return found
}

// sweep forgets what is too old. The caller holds mu.
func (s *sessions) sweep() {
	now := s.now()
	for k, l := range s.links {
		if !l.expires.After(now) {
			delete(s.links, k)
		}
	}
	for k, one := range s.open {
		if one.over(now) {
			s.drop(k)
		}
	}
}

// leave ends the session of a cookie.
func (s *sessions) leave(cookie string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(keyOf(cookie))
}

// leaveAll ends every session and every link.
func (s *sessions) leaveAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.links)
	for k := range s.open {
		s.drop(k)
	}
}

// drop ends a session. The caller holds mu.
func (s *sessions) drop(k key) {
	if one := s.open[k]; one != nil {
		delete(s.open, k)
		one.end()
		one.client.Close()
	}
}

func (s *session) touch(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used = now
}

// over reports whether the session, or its token, has ended; an open stream keeps it from being idle.
func (s *session) over(now time.Time) bool {
	if s.stands != nil && !s.stands() {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alive.Err() != nil || !s.expires.After(now) || s.streams == 0 && now.Sub(s.used) >= idleHold
}

// stream takes a place for an event stream; false when there is none.
func (s *session) stream() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams >= maxStreams {
		return false
	}
	s.streams++
	return true
}

// unstream gives the place back.
func (s *session) unstream(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams--
	s.used = now
}

// maxSeen bounds the memory of shown asks; beyond it they are reported again, which changes nothing.
const maxSeen = 4096

// unseen reports whether an ask was not yet reported as shown here, and notes it.
func (s *session) unseen(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[id] {
		return false
	}
	if len(s.seen) >= maxSeen {
		clear(s.seen)
	}
	s.seen[id] = true
	return true
}

// say keeps lines for the next page; hear takes them.
func (s *session) say(lines ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = lines
}

func (s *session) hear() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.said
	s.said = nil
	return lines
}

// causes are those kept in this state; keepCauses keeps them. The map is its holder's alone.
func (s *session) causes(state string, now time.Time) keptCauses {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.tried
	if kept.state != state || now.Sub(kept.at) > causesHold {
		return keptCauses{state, now, map[int64]triedCause{}}
	}
	kept.by = maps.Clone(kept.by)
	return kept
}

func (s *session) keepCauses(k keptCauses) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried = k
}
