package console

import (
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// The cookies. Under TLS their names bind them to this host: no other one below its domain can set them.
const (
	cookieName   = "callgate"
	signInCookie = "__Host-callgate-signin"
	keyInCookie  = "__Host-callgate-key"
)

// cookie is the cookie of a session.
func (s *Server) cookie(value string) *http.Cookie {
	c := &http.Cookie{Name: cookieName, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}
	if s.c.Beyond != nil {
		c.Name, c.Secure = "__Host-"+cookieName, true
	}
	return c
}

// policy lets a page load and send to its own origin only, and no script make HTML of text. Source:
// threat T13.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; " +
	"form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// maxForm bounds a form, in bytes.
const maxForm = 64 << 10

// refusal is an answer without a page's content.
type refusal struct {
	status int
	text   string
}

// Error implements error.
func (r *refusal) Error() string { return r.text }

func refuse(status int, text string) error { return &refusal{status, text} }

// errNoSession wants a link.
var errNoSession = refuse(http.StatusUnauthorized, "no console session in this browser: it has ended, or never began. In a terminal, run: callgate console, and open the printed link")

// headers are of every answer.
func (s *Server) headers(h http.Header) {
	if s.c.Beyond != nil {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer a browser sends our own forms with "Origin: null"
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}

// guard refuses requests that no page of ours and no person makes. Threat T13.
func (s *Server) guard(r *http.Request) error {
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		return refuse(http.StatusMethodNotAllowed, "method not allowed: want GET or POST")
	}
	if !s.ownHost(r.Host) {
		return refuse(http.StatusForbidden, "this address is not the console's; open the link that callgate console prints")
	}
	if err := s.origins.Check(r); err != nil {
		return refuse(http.StatusForbidden, "another web page sent this request; it was refused")
	}
	if origin := r.Header.Values("Origin"); len(origin) > 1 || len(origin) == 1 && origin[0] != s.scheme()+r.Host {
		return refuse(http.StatusForbidden, "another web page sent this request; it was refused")
	}
	site := r.Header.Get("Sec-Fetch-Site")
	entering := (r.URL.Path == enterPath || r.URL.Path == signedInPath) && r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	if site != "" && site != "same-origin" && site != "none" && !entering {
		return refuse(http.StatusForbidden, "another web page led here; open the console's own page")
	}
	return nil
}

// ownHost reports whether a Host header names the console: no other name, so that a page led here
// under its own name (DNS rebinding) gets nothing.
func (s *Server) ownHost(host string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.c.Beyond != nil {
		return s.name != "" && strings.EqualFold(host, s.name)
	}
	name, _, err := net.SplitHostPort(host)
	return err == nil && s.name != "" && strings.EqualFold(name, s.name)
}

func (s *Server) scheme() string {
	if s.c.Beyond != nil {
		return "https://"
	}
	return "http://"
}

// sessionOf is the session of a request's cookie; nil without one in force.
func (s *Server) sessionOf(r *http.Request) *session {
	cookies := r.CookiesNamed(s.cookie("").Name)
	if len(cookies) != 1 {
		return nil
	}
	return s.sessions.find(cookies[0].Value)
}

// formOf reads a form of one of our own pages, with the session's own token.
func formOf(w http.ResponseWriter, r *http.Request, of *session) (url.Values, error) {
	form, err := readForm(w, r)
	if err == nil && subtle.ConstantTimeCompare([]byte(form.Get("csrf")), []byte(of.csrf)) != 1 {
		err = refuse(http.StatusForbidden, "the form is not of this session; load the page again")
	}
	return form, err
}

// readForm reads a form with each field once.
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if kind := r.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/x-www-form-urlencoded") {
		return nil, refuse(http.StatusUnsupportedMediaType, "want a form of the console")
	}
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		var over *http.MaxBytesError
		if errors.As(err, &over) {
			return nil, refuse(http.StatusRequestEntityTooLarge, "the form is larger than 64 KiB; write less")
		}
		return nil, refuse(http.StatusBadRequest, "the form cannot be read")
	}
	for _, values := range r.PostForm {
		if len(values) != 1 {
			return nil, refuse(http.StatusBadRequest, "the form has a field twice")
		}
	}
	return r.PostForm, nil
}

// paced bounds how often something happens: burst at once, then rate in a second. Safe for
// concurrent use.
type paced struct {
	burst, rate float64
	now         func() time.Time

	mu   sync.Mutex
	left float64
	last time.Time
}

// take reports whether it may happen now.
func (p *paced) take() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.last.IsZero() {
		p.left = p.burst
	} else if passed := now.Sub(p.last).Seconds(); passed > 0 {
		p.left = min(p.burst, p.left+passed*p.rate)
	}
	p.last = now
	if p.left < 1 {
		return false
	}
	p.left--
	return true
}

// only refuses parameters of an address that a page does not know.
func only(q url.Values, names ...string) error {
	for name, values := range q {
		if !slices.Contains(names, name) || len(values) != 1 {
			return refuse(http.StatusBadRequest, "unknown or repeated parameter in the address: remove it")
		}
	}
	return nil
}
