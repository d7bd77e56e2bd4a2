package console

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/approval/passkey"
)

// keyInPath is where a passkey lets its person in.
const keyInPath = "/signin/passkey"

// The bounds of signing in with a passkey.
const (
	keyInHold = 2 * time.Minute
	maxKeyIns = 4096
)

// Keys lets people in who hold a passkey of this console. All members are required.
type Keys struct {
	// Challenge makes a statement to sign; Verify says which passkey has signed it.
	Challenge func(ctx context.Context) (passkey.Challenge, error)
	Verify    func(ctx context.Context, statement string, assertion []byte) (passkey.Credential, error)
	// Stands reports whether a passkey counts now, and its person may come in.
	Stands func(ctx context.Context, c passkey.Credential) bool
	// Lend gives the rights of an approver of this name.
	Lend func(person string, hold time.Duration) (secret string, alive context.Context, end func(), err error)
}

// keyIns are the statements that browsers have begun to sign. Safe for concurrent use. RATIONALE.md,
// "Who comes in from another machine?".
type keyIns struct {
	k   *Keys
	now func() time.Time
	// tries bound how often one address may answer.
	tries *addresses

	mu    sync.Mutex
	begun map[key]begunKey // by the browser's cookie
}

type begunKey struct {
	statement string
	expires   time.Time
}

func newKeyIns(b *Beyond, now func() time.Time) *keyIns {
	if b == nil || b.Keys == nil {
		return nil
	}
	return &keyIns{k: b.Keys, now: now, tries: newAddresses(10, 0.2, now), begun: map[key]begunKey{}}
}

// begin keeps a statement for a browser, and returns its cookie. Where there is no room, the oldest
// one ends: a stranger's flood must outrun a person's finger.
func (k *keyIns) begin(statement string) (cookie string) {
	cookie = secret()
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	var oldest key
	for other, b := range k.begun {
		if !b.expires.After(now) {
			delete(k.begun, other)
		} else if was, ok := k.begun[oldest]; !ok || b.expires.Before(was.expires) {
			oldest = other
		}
	}
	if len(k.begun) >= maxKeyIns {
		delete(k.begun, oldest)
	}
	k.begun[keyOf(cookie)] = begunKey{statement, now.Add(keyInHold)}
	return cookie
}

// take ends the statement of a browser.
func (k *keyIns) take(cookie string) (statement string, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	b, ok := k.begun[keyOf(cookie)]
	delete(k.begun, keyOf(cookie))
	return b.statement, ok && b.expires.After(k.now())
}

// keyInPage is the page that has a device sign.
type keyInPage struct{ Options, Problem string }

// askKey asks the browser for a passkey.
func (s *Server) askKey(w http.ResponseWriter, r *http.Request) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	return s.renderKey(w, r, http.StatusOK, "")
}

func (s *Server) renderKey(w http.ResponseWriter, r *http.Request, status int, problem string) error {
	challenge, err := s.keyIns.k.Challenge(r.Context())
	if err != nil {
		return err
	}
	options, err := json.Marshal(challenge.Options)
	if err != nil {
		return err
	}
	http.SetCookie(w, keyCookie(s.keyIns.begin(challenge.Statement), int(keyInHold.Seconds())))
	return s.render(w, status, "keyin", frame{Title: "Sign in", Signs: true, Body: keyInPage{string(options), problem}})
}

func keyCookie(value string, age int) *http.Cookie {
	return &http.Cookie{Name: keyInCookie, Value: value, Path: "/", MaxAge: age, Secure: true, HttpOnly: true, SameSite: http.SameSiteStrictMode}
}

// keyIn lets a person in whose device has signed this browser's statement.
func (s *Server) keyIn(w http.ResponseWriter, r *http.Request) error {
	if !s.keyIns.tries.take(r) {
		w.Header().Set("Retry-After", "5")
		return refuse(http.StatusTooManyRequests, "too many tries; wait a moment, then sign in again")
	}
	form, err := readForm(w, r)
	if err != nil {
		return err
	}
	cookies := r.CookiesNamed(keyInCookie)
	if len(cookies) != 1 {
		return s.renderKey(w, r, http.StatusForbidden, staleKey)
	}
	statement, ok := s.keyIns.take(cookies[0].Value)
	if !ok {
		return s.renderKey(w, r, http.StatusForbidden, staleKey)
	}
	k := s.keyIns.k
	signed, err := k.Verify(r.Context(), statement, []byte(form.Get("assertion")))
	if err != nil && !errors.Is(err, passkey.ErrNotSigned) {
		return err
	}
	if err == nil && !k.Stands(r.Context(), signed) {
		err = errors.New("people does not name " + signed.Person)
	}
	if err != nil {
		s.c.Log.Warn("a passkey lets nobody in to the console", "error", err)
		return s.renderKey(w, r, http.StatusForbidden, "This passkey lets nobody in: it is unknown here, was revoked, or its person is not among the people of this gate.")
	}
	session, err := s.sessions.begin(link{by: signed.Person, lend: func(hold time.Duration) (string, context.Context, func(), error) { return k.Lend(signed.Person, hold) },
		stands: func() bool { return k.Stands(context.Background(), signed) }})
	if err != nil {
		return err
	}
	http.SetCookie(w, keyCookie("", -1))
	return s.welcome(w, session)
}

const staleKey = "This sign-in was used already, is older than two minutes, or began in another browser. Sign in again."

// ways are the ways to sign in.
func (s *Server) ways() (all []option) {
	if s.signIns != nil {
		all = append(all, option{signInPath, "Sign in"})
	}
	if s.keyIns != nil {
		all = append(all, option{keyInPath, "Sign in with a passkey"})
	}
	return all
}
