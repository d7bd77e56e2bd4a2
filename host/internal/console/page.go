package console

import (
	"bytes"
	"embed"
	"errors"
	"html/template"
	"net/http"
	"sync"
	"time"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

//go:embed pages/*.html
var pageFiles embed.FS

// pages are the templates, each with the frame around it. Texts of others go in by html/template's
// escaping only; no type of ours marks a text as safe. The first page parses them, so that a start
// need not.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"line": card.Line,
		"when": func(t time.Time) string {
			if t.IsZero() {
				return ""
			}
			return t.Local().Format(time.DateTime)
		},
		"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"clock":   func(t time.Time) string { return t.Local().Format(time.TimeOnly) },
		"list":    func(values ...any) []any { return values },
		"visible": card.Visible,
		"words":   words,
		"what":    what,
		"action":  action,
		"stage":   stage,
		"state":   func(m wire.ModuleState) string { return stateWords[m] },
		"outcome": func(o store.Outcome) string { return outcomeWords[o] },
		"took":    took,
		"rule":    ruleText,
		"short":   card.ShortSession,
	}).ParseFS(pageFiles, "pages/*.html"))
})

// frame is what every page has.
type frame struct {
	Title string
	// Here is the page's address in the navigation.
	Here string
	// Text is of a page that only says something.
	Text string
	// SignIn are the ways to sign in, by their addresses.
	SignIn []option
	// Failed means that Text says what was not done.
	Failed bool
	// Forward leads on to the first page.
	Forward bool
	// By, CSRF, Unlocked and Said are of the session; empty without one.
	By, CSRF string
	Unlocked time.Time
	Said     []string
	// Live names what the script keeps up to date: "asks", "calls", or nothing but the badge.
	Live string
	// Sections are the navigation, Waiting the number beside its first entry.
	Sections []section
	Waiting  int
	// Signs wants the script of passkeys.
	Signs bool
	// Tries wants the script of simulations.
	Tries bool
	// Pushes wants the script of push messages.
	Pushes bool
	Body   any
}

// framed is the frame of a session's page.
func framed(r *http.Request, of *session, title, here string, body any) frame {
	f := frame{Title: title, Here: here, By: of.by, CSRF: of.csrf, Body: body, Sections: sections}
	if health, err := of.client.Health(r.Context()); err == nil && health.Asks != nil { // as below
		f.Waiting = *health.Asks
	}
	if r.Header.Get("Sec-Fetch-Dest") != "empty" { // not to the script, which shows no such lines
		f.Said = of.hear()
	}
	if view, err := of.client.Presence(r.Context()); err == nil { // without it the page only does not say it
		f.Unlocked = view.UnlockedUntil
	}
	return f
}

// render writes a page as a whole or not at all.
func (s *Server) render(w http.ResponseWriter, status int, name string, f frame) error {
	var out bytes.Buffer
	if err := pages().ExecuteTemplate(&out, name, f); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the browser has left
	return nil
}

// fail answers with a page that says what was wrong, in the words of the API.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, of *session, err error) {
	status, text := http.StatusInternalServerError, "the page failed; the daemon's log says why"
	var own *refusal
	var theirs *protocol.Error
	switch {
	case of != nil && of.over(s.c.Now()): // its token was revoked meanwhile
		s.fail(w, r, nil, errNoSession)
		return
	case errors.As(err, &own):
		status, text = own.status, own.text
	case errors.As(err, &theirs):
		status, text = theirs.Status, theirs.Error()
	case r.Context().Err() != nil:
		return // the browser has left
	default:
		s.c.Log.Error("a page failed", "path", r.URL.Path, "error", err)
	}
	f := frame{Title: "Not done", Text: card.Line(text), Failed: true}
	if of == nil && len(s.ways()) > 0 && status != http.StatusTooManyRequests {
		f.SignIn = s.ways()
		if errors.Is(err, errNoSession) {
			f.Title, f.Failed, f.Text = "Sign in", false, "The console of Callgate shows the calls that wait for a person, and what the gate has done."
		}
	}
	if of != nil {
		f.By, f.CSRF, f.Sections = of.by, of.csrf, sections
	}
	if err := s.render(w, status, "message", f); err != nil {
		s.c.Log.Error("a page failed", "path", r.URL.Path, "error", err)
	}
}
