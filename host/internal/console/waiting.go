package console

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
)

// surface is the console's word in answers and events.
const surface = "console"

// perPage is how many cards one page has: a page stays below 100 kB with usual calls.
const perPage = 20

// maxEdit bounds an input to be changed on a page, in bytes: a form has room for it three times.
const maxEdit = maxForm / 4

// drawn is a card with what a page needs besides.
type drawn struct {
	card.Card
	State ask.State
	// Rev changes with anything on the card but the time left; Read is the digest of what an answer
	// is about, and comes back with the answer.
	Rev, Read string
	// CSRF is the session's; Details is everything about the ask.
	CSRF    string
	Details string
	// Edit is the input as a text to be changed; nil where it cannot be changed here.
	Edit *card.Edit
	// Limits are sentences about limits that are near.
	Limits []string
	// Alone draws the card as the page's only one.
	Alone bool
}

// draw draws an ask from the shared model.
func draw(of *session, view protocol.AskView, now time.Time) drawn {
	a := view.Ask
	d := drawn{Card: card.Render(a, now), State: a.State, CSRF: of.csrf, Limits: view.Limits}
	timeless := d.Card
	timeless.Until = ""
	d.Rev = digest(timeless, a.State, d.Limits)
	d.Read = digest(a.Digest, d.Careful, d.Changed, d.Headline, d.Call, d.Why, d.Choices)
	if e, err := card.EditOf(a); err == nil && len(e.Text) <= maxEdit {
		d.Edit = &e
	}
	return d
}

// digest is of values of plain data.
func digest(values ...any) string {
	sum := sha256.New()
	enc := json.NewEncoder(sum)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			panic("console: a card is JSON: " + err.Error())
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// waitingPage is the first page.
type waitingPage struct {
	Cards []drawn
	// Queues are the sessions with asks behind their visible one.
	Queues []queue
	// Total is the number of visible asks; Page and Pages divide them.
	Total, Page, Pages int
	Before, After      int
	History            []store.Row
}

// queue is a session with asks behind its visible one.
type queue struct {
	// First is the id of one of them.
	First, Agent, Session string
	// Behind are the first of the asks behind the visible one; More have no line.
	Behind []card.Row
	More   int
}

// All is how many asks of the session wait.
func (q queue) All() int { return 1 + len(q.Behind) + q.More }

// maxBehind bounds the lines of a queue, maxQueues the queues of a page.
const (
	maxBehind = 3
	maxQueues = 10
)

// queues are the sessions of queued asks, in the order of their first one.
func queues(queued []protocol.AskView) (all []queue) {
	for _, v := range queued {
		i := slices.IndexFunc(all, func(q queue) bool { return q.Agent == v.Agent && q.Session == v.Session })
		if i < 0 {
			if len(all) >= maxQueues {
				continue
			}
			i, all = len(all), append(all, queue{First: v.ID, Agent: v.Agent, Session: v.Session})
		}
		if q := &all[i]; len(q.Behind) < maxBehind {
			q.Behind = append(q.Behind, summary(v.Ask))
		} else {
			q.More++
		}
	}
	return all
}

// maxSummary bounds the call in a summary, in characters.
const maxSummary = 120

// summary is an ask in one line; where the headline has none of the call, with the begin of it.
func summary(a ask.Ask) card.Row {
	c := card.Render(a, time.Time{})
	row := card.Row{Pieces: slices.Clone(c.Headline.Pieces)}
	isOwn := func(p card.Piece) bool { return p.Own || p.Strong }
	if !slices.ContainsFunc(row.Pieces, func(p card.Piece) bool { return !isOwn(p) }) && len(c.Call) > 0 {
		first, _, _ := strings.Cut(c.Call[0].Text, "\n")
		row.Pieces = append(row.Pieces, card.Piece{Text: " ", Own: true}, card.Piece{Text: clip(first, maxSummary)})
	}
	return row
}

func (s *Server) waiting(w http.ResponseWriter, r *http.Request, of *session) error {
	q := r.URL.Query()
	if err := only(q, "page"); err != nil {
		return err
	}
	page := 1
	if text := q.Get("page"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 100_000 {
			return refuse(http.StatusBadRequest, "page: want a number from 1")
		}
		page = n
	}
	views, err := of.client.Asks(r.Context(), ask.Filter{})
	if err != nil {
		return err
	}
	var body waitingPage
	var shown []protocol.AskView
	var queued []protocol.AskView
	for _, v := range views {
		if v.State == ask.Shown {
			shown = append(shown, v)
		} else {
			queued = append(queued, v)
		}
	}
	body.Queues = queues(queued)
	slices.SortStableFunc(shown, func(a, b protocol.AskView) int { return a.CreatedAt.Compare(b.CreatedAt) })
	body.Total, body.Pages = len(shown), max(1, (len(shown)+perPage-1)/perPage)
	body.Page = min(page, body.Pages)
	if body.Page > 1 {
		body.Before = body.Page - 1
	}
	if body.Page < body.Pages {
		body.After = body.Page + 1
	}
	now := s.c.Now()
	for _, a := range shown[(body.Page-1)*perPage : min(len(shown), body.Page*perPage)] {
		body.Cards = append(body.Cards, draw(of, a, now))
		s.seen(r.Context(), of, a.ID)
	}
	if body.History, err = lastDay(r.Context(), of, now); err != nil {
		return err
	}
	f := framed(r, of, "Waiting", "/", body)
	f.Live = "asks"
	return s.render(w, http.StatusOK, "waiting", f)
}

// seen reports that the person is shown a card: only such cards are answered together with another.
func (s *Server) seen(ctx context.Context, of *session, id string) {
	if !of.unseen(id) {
		return
	}
	if err := of.client.Seen(ctx, id, of.by); err != nil {
		s.c.Log.Debug("a card was not noted as seen", "ask", id, "error", err) // the ask has ended
	}
}

// maxHistory bounds the answers of the last day.
const maxHistory = 30

// lastDay are the last answers of the last 24 hours, the newest first.
func lastDay(ctx context.Context, of *session, now time.Time) ([]store.Row, error) {
	var all []store.Row
	for _, outcome := range []store.Outcome{store.AskApproved, store.AskDenied, store.AskTimeout, store.AskCancelled} {
		page, err := of.client.Audit(ctx, store.Filter{Event: store.EventDecision, Decision: outcome, Since: now.Add(-24 * time.Hour), Newest: true, Limit: maxHistory})
		if err != nil {
			return nil, err
		}
		all = append(all, page.Rows...)
	}
	slices.SortFunc(all, func(a, b store.Row) int { return int(b.Seq - a.Seq) })
	return all[:min(len(all), maxHistory)], nil
}

// showAsk shows one ask with all that a card keeps behind "details".
func (s *Server) showAsk(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	view, err := of.client.Ask(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	d := draw(of, view, s.c.Now())
	d.Details, d.Alone = card.DetailsText(view.Ask), true
	if view.State == ask.Shown {
		s.seen(r.Context(), of, view.ID)
	}
	return s.render(w, http.StatusOK, "ask", framed(r, of, "Ask "+view.ID, "/", d))
}
