package console

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/callgate/callgate/host/internal/approval/card"
)

// The addresses of signing in at the provider.
const (
	signInPath   = "/signin"
	signedInPath = "/signin/done"
)

// The bounds of signing in.
const (
	signInHold       = 10 * time.Minute
	providerPatience = 10 * time.Second
)

// signIn is one that has begun: its answer counts once, and in the same browser alone. The browser
// keeps it, sealed.
type signIn struct {
	State, Nonce, Verifier string
	Expires                time.Time
}

// signIns are those under way at the provider. Safe for concurrent use. RATIONALE.md, "Who comes in
// from another machine?".
type signIns struct {
	seal   cipher.AEAD // with a key of this process
	p      *Provider
	origin string
	client *http.Client
	now    func() time.Time

	mu       sync.Mutex
	used     map[key]time.Time // those that let somebody in, by state, until they are over
	provider *oidc.Provider    // once it has answered
}

func newSignIns(b *Beyond, now func() time.Time) *signIns {
	if b == nil || b.Provider == nil {
		return nil
	}
	return &signIns{
		p: b.Provider, origin: b.Origin, now: now, seal: newSeal(), used: map[key]time.Time{},
		client: &http.Client{Timeout: providerPatience, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// discover asks the provider for its addresses and keys, until it has answered once.
func (s *signIns) discover(ctx context.Context) (*oidc.Provider, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.provider == nil {
		// The keys are fetched later, with this context's client: it must not end with the request.
		p, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), s.client), s.p.Issuer)
		if err != nil {
			return nil, err
		}
		s.provider = p
	}
	return s.provider, nil
}

func (s *signIns) config(p *oidc.Provider) (*oauth2.Config, error) {
	c := &oauth2.Config{ClientID: s.p.ClientID, Endpoint: p.Endpoint(), RedirectURL: s.origin + signedInPath, Scopes: []string{oidc.ScopeOpenID}}
	if s.p.Secret != nil {
		secret, err := s.p.Secret()
		if err != nil {
			return nil, err
		}
		c.ClientSecret = secret
	}
	return c, nil
}

// newSeal seals with a key that nobody else has, and that ends with the process.
func newSeal() cipher.AEAD {
	bytes := make([]byte, 32)
	_, _ = rand.Read(bytes) // it does not fail
	block, err := aes.NewCipher(bytes)
	if err != nil {
		panic(err) // not with this length
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err) // not with this cipher
	}
	return seal
}

// begin returns the cookie of a new one and where the provider goes on.
func (s *signIns) begin(ctx context.Context) (cookie, to string, err error) {
	p, err := s.discover(ctx)
	if err != nil {
		return "", "", err
	}
	c, err := s.config(p)
	if err != nil {
		return "", "", err
	}
	one := signIn{State: secret(), Nonce: secret(), Verifier: oauth2.GenerateVerifier(), Expires: s.now().Add(signInHold)}
	return s.sealed(one), c.AuthCodeURL(one.State, oidc.Nonce(one.Nonce), oauth2.S256ChallengeOption(one.Verifier)), nil
}

// sealed is the cookie of one.
func (s *signIns) sealed(one signIn) string {
	text, _ := json.Marshal(one) // words and a time encode
	return base64.RawURLEncoding.EncodeToString(s.seal.Seal(nil, nil, text, []byte(signInCookie)))
}

// opened is the one with this state, if it began in this browser, is not over and let nobody in.
func (s *signIns) opened(state, cookie string) (one signIn, ok bool) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(cookie)
	if err != nil {
		return signIn{}, false
	}
	text, err := s.seal.Open(nil, nil, sealed, []byte(signInCookie))
	if err != nil || json.Unmarshal(text, &one) != nil {
		return signIn{}, false
	}
	if subtle.ConstantTimeCompare([]byte(one.State), []byte(state)) != 1 || !one.Expires.After(s.now()) {
		return signIn{}, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, used := s.used[keyOf(one.State)]
	return one, !used
}

// use ends one that the provider has confirmed; false if it was used meanwhile, or is over. Strangers
// to the provider do not come this far, so they cannot fill the memory.
func (s *signIns) use(one signIn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	maps.DeleteFunc(s.used, func(_ key, expires time.Time) bool { return !expires.After(now) })
	if _, used := s.used[keyOf(one.State)]; used || !one.Expires.After(now) {
		return false
	}
	s.used[keyOf(one.State)] = one.Expires
	return true
}

// subject exchanges the provider's code for the subject of who signed in. The ID token must be of
// this provider, for this client, not expired, and of this very sign-in.
func (s *signIns) subject(ctx context.Context, one signIn, code string) (string, error) {
	p, err := s.discover(ctx)
	if err != nil {
		return "", err
	}
	c, err := s.config(p)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(oidc.ClientContext(ctx, s.client), providerPatience)
	defer cancel()
	token, err := c.Exchange(ctx, code, oauth2.VerifierOption(one.Verifier))
	if err != nil {
		return "", err
	}
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return "", errors.New("the provider's answer has no id_token")
	}
	id, err := p.VerifierContext(ctx, &oidc.Config{ClientID: s.p.ClientID, Now: s.now}).Verify(ctx, raw)
	if err != nil {
		return "", err
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(one.Nonce)) != 1 {
		return "", errors.New("the id_token is of another sign-in")
	}
	return id.Subject, nil
}

// errProvider hides why from the page: the log has it.
var errProvider = refuse(http.StatusBadGateway, "the sign-in provider does not answer as it should; the daemon's log says why. Try again, or run callgate console on the daemon's machine")

// goSignIn leads to the provider.
func (s *Server) goSignIn(w http.ResponseWriter, r *http.Request) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	cookie, to, err := s.signIns.begin(r.Context())
	if err != nil {
		s.c.Log.Error("nobody can sign in to the console", "error", err)
		return errProvider
	}
	// Lax: the provider's page leads back, from another site.
	http.SetCookie(w, &http.Cookie{Name: signInCookie, Value: cookie, Path: "/", MaxAge: int(signInHold.Seconds()), Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// signedIn takes the provider's answer and begins a session.
func (s *Server) signedIn(w http.ResponseWriter, r *http.Request) error {
	q, cookies := r.URL.Query(), r.CookiesNamed(signInCookie)
	if q.Get("error") != "" {
		return refuse(http.StatusForbidden, card.Line("the provider did not sign you in: "+clipped(q.Get("error"))))
	}
	if len(q["state"]) != 1 || len(q["code"]) != 1 || len(cookies) != 1 {
		return errSignIn
	}
	one, ok := s.signIns.opened(q.Get("state"), cookies[0].Value)
	if !ok {
		return errSignIn
	}
	subject, err := s.signIns.subject(r.Context(), one, q.Get("code"))
	if err != nil {
		s.c.Log.Error("a sign-in to the console failed", "error", err)
		return errProvider
	}
	if !s.signIns.use(one) {
		return errSignIn
	}
	p := s.signIns.p
	person := p.Person(subject)
	if person == "" {
		s.c.Log.Warn("an account without a person wants to come in to the console; name it in people.NAME.oidc to let it", "subject", subject)
		return refuse(http.StatusForbidden, card.Line("your account is not among the people of this gate. Its operator can add it: people.NAME.oidc: "+clipped(subject)))
	}
	session, err := s.sessions.begin(link{by: person, lend: func(hold time.Duration) (string, context.Context, func(), error) { return p.Lend(person, hold) },
		stands: func() bool { return p.Person(subject) == person }})
	if err != nil {
		return err
	}
	http.SetCookie(w, &http.Cookie{Name: signInCookie, Path: "/", MaxAge: -1, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode})
	return s.welcome(w, session)
}

// errSignIn is an answer to no open sign-in of this browser.
var errSignIn = refuse(http.StatusForbidden, "this sign-in was used already, is older than ten minutes, or began in another browser; sign in again")

// clipped bounds words of others on a page.
func clipped(text string) string { return text[:min(len(text), 200)] }
