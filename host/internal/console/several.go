package console

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// severalPage are the asks of one session on a line each, with an answer for all of them or for one.
// The page stands as it was drawn: no ask comes onto it while the person reads. RATIONALE.md, "Which
// asks may one tap approve together?".
type severalPage struct {
	ID, Agent, Session string
	Lines              []askLine
	// More are those that have no line yet.
	More int
	// Reached are the numbers of the lines that an approval of all approves.
	Reached []string
	// Given, Do and Read are of an answer that waits for the PIN, to Lines alone.
	Given, Do, Read string
	pinPrompt
}

// askLine is an ask on a line.
type askLine struct {
	card.Entry
	N int
	// Reached means that an approval from the list counts.
	Reached bool
	// Call is the call where the line has no room for it.
	Call []card.Part
	// Read is the digest of what the line says.
	Read string
}

// AllowAll names what an approval of all approves.
func (p severalPage) AllowAll() string {
	if len(p.Reached) == len(p.Lines) {
		return "Allow all " + strconv.Itoa(len(p.Lines))
	}
	return "Allow " + strings.Join(p.Reached, ", ")
}

// Drawn is what the person reads: each line's ask with its digest.
func (p severalPage) Drawn() string {
	var out []string
	for _, l := range p.Lines {
		out = append(out, l.ID+":"+l.Read)
	}
	return strings.Join(out, " ")
}

// several draws the waiting asks of an ask's session.
func (s *Server) several(r *http.Request, of *session) (severalPage, error) {
	view, err := of.client.Ask(r.Context(), r.PathValue("id"))
	if err != nil {
		return severalPage{}, err
	}
	page := severalPage{ID: view.ID, Agent: view.Agent, Session: view.Session}
	views, err := of.client.Asks(r.Context(), ask.Filter{Agent: view.Agent, Session: view.Session})
	if err != nil {
		return page, err
	}
	// The visible one first; it has no place in the queue.
	slices.SortStableFunc(views, func(a, b protocol.AskView) int { return cmp.Compare(a.Position, b.Position) })
	page.More = max(0, len(views)-perPage)
	var asks []ask.Ask
	for _, v := range views[:len(views)-page.More] {
		asks = append(asks, v.Ask)
	}
	page.list(asks, s.c.Now())
	return page, nil
}

// list puts asks on lines.
func (p *severalPage) list(asks []ask.Ask, now time.Time) {
	p.Reached = card.Reached(asks)
	for i, a := range asks {
		l := askLine{Entry: card.EntryOf(a), N: i + 1, Reached: slices.Contains(p.Reached, strconv.Itoa(i+1))}
		if c := card.Render(a, now); len(l.Row.Pieces) == len(c.Headline.Pieces) {
			l.Call = c.Call
		}
		l.Read = digest(a.Digest, l.Entry, l.Call, l.Reached)
		p.Lines = append(p.Lines, l)
	}
}

func (s *Server) showSeveral(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	page, err := s.several(r, of)
	if err != nil {
		return err
	}
	if len(page.Lines) == 0 {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return nil
	}
	return s.render(w, http.StatusOK, "several", framed(r, of, "Several asks", "/", page))
}

// answerSeveral answers the asks of the list, or one of them, each by its id and only as the person
// read it. Rights, the PIN and which asks need an answer of their own are the API's.
func (s *Server) answerSeveral(w http.ResponseWriter, r *http.Request, of *session) error {
	form, err := formOf(w, r, of)
	if err != nil {
		return err
	}
	page, err := s.several(r, of)
	if err != nil {
		return err
	}
	verdict, chosen, said, err := page.chosen(form.Get("do"), form.Get("read"))
	if err != nil {
		return err
	}
	var answered []string
	page.pinPrompt, err = withPIN(r, of, form, func() error {
		for _, l := range chosen {
			_, err := of.client.Answer(r.Context(), l.ID, ask.Answer{Verdict: verdict, By: of.by, Surface: surface, Together: len(answered) + 1})
			switch {
			case err == nil:
				answered = append(answered, l.ID)
			case protocol.NeedsPresence(err) && len(answered) == 0:
				return err
			default:
				said = append(said, notAnswered(l.ID, sentence(err)))
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if page.WantsPIN {
		page.Do, page.Read = form.Get("do"), form.Get("read")
		page.Lines = slices.SortedFunc(slices.Values(chosen), func(a, b askLine) int { return a.N - b.N })
		var numbers []string
		for _, l := range page.Lines {
			numbers = append(numbers, strconv.Itoa(l.N))
		}
		page.Given = "allow " + strings.Join(numbers, ", ") // a denial never wants the PIN
		return s.render(w, http.StatusOK, "several", framed(r, of, "PIN", "/", page))
	}
	if n := len(answered); n > 0 {
		word := map[ask.Verdict]string{ask.Approve: "Allowed", ask.Deny: "Denied"}[verdict]
		said = append([]string{fmt.Sprintf("%s from the list: %d.", word, n)}, said...)
	}
	of.say(said...)
	http.Redirect(w, r, page.onward(answered), http.StatusSeeOther)
	return nil
}

func notAnswered(id, why string) string { return "Not answered: " + id + ". " + card.Line(why) }

// chosen are the lines that an answer is for, the visible ask last, so that none of the others gets a
// card meanwhile; and why others of the read lines are not answered.
func (p severalPage) chosen(do, read string) (verdict ask.Verdict, lines []askLine, said []string, err error) {
	word, id, one := strings.Cut(do, ".")
	if word != "allow" && word != "deny" {
		return verdict, nil, nil, refuse(http.StatusBadRequest, "the page offers no such answer; load it again")
	}
	if word == "allow" {
		verdict = ask.Approve
	}
	found := false
	for drawn := range strings.FieldsSeq(read) {
		drawnID, seen, _ := strings.Cut(drawn, ":")
		if one && drawnID != id {
			continue
		}
		found = true
		i := slices.IndexFunc(p.Lines, func(l askLine) bool { return l.ID == drawnID })
		switch {
		case i < 0:
			said = append(said, notAnswered(clipped(drawnID), "It has ended."))
		case p.Lines[i].Read != seen:
			said = append(said, notAnswered(drawnID, "It has changed since you read it; read it again."))
		case verdict == ask.Approve && !p.Lines[i].Reached:
			if one {
				return verdict, nil, nil, refuse(http.StatusBadRequest, "this ask is approved on its own card alone")
			}
		default:
			lines = append(lines, p.Lines[i])
		}
	}
	if !found {
		return verdict, nil, nil, refuse(http.StatusBadRequest, "the page offers no such answer; load it again")
	}
	if len(lines) > 1 && lines[0].N == 1 {
		lines = append(lines[1:], lines[0])
	}
	return verdict, lines, said, nil
}

// onward is the list again while it has more than one ask, else the first page.
func (p severalPage) onward(answered []string) string {
	rest := slices.DeleteFunc(slices.Clone(p.Lines), func(l askLine) bool { return slices.Contains(answered, l.ID) })
	if len(answered) == 0 || len(rest)+p.More < 2 || len(rest) == 0 {
		return "/"
	}
	return "/asks/" + rest[0].ID + "/several"
}
