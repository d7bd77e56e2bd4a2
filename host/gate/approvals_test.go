package gate_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// approvalCase is one case of an approvals corpus: what happens when, and how each
// request comes out. Source of the shape: the Discord seed's behaviour, written down
// as events.
type approvalCase struct {
	ID, Name string
	Timeout  float64 `json:"timeout_s"`
	Mode     string
	Events   []approvalEvent
	// Expect is by the request's id; Recommended replaces parts of it.
	Expect, Recommended map[string]approvalEnd
	Allowed             []string `json:"session_allowed_after"`
	Pending             int      `json:"pending_after"`
}

type approvalEvent struct {
	Do       string
	At       float64 `json:"t"`
	ID, Tool string
	Input    json.RawMessage
	Session  string
	Context  string
	// Rule "allow" has a rule of the operator allow the call.
	Rule      string
	SendDelay float64 `json:"send_delay"`
	Send      string
	On, Emoji string
	By, Text  string
	Mode      string
	Requests  []approvalEvent
}

type approvalEnd struct {
	Result, Reason string
	At             float64
	Prompted       bool
}

// onlyOneCard are the cases of the shared corpus in which two cards stand at once.
// Design section 8 shows one per session and agent, and the clock of the others
// starts when they are shown.
var onlyOneCard = map[string]map[string]approvalEnd{
	"OA035": {"b": {"deny", "timed_out", 80, true}},
	// A decision does not wait for a card that is being posted.
	"OA054": {"a": {"deny", "cancelled", 1, true}},
}

// TestApprovals plays our own corpus, and the shared one where it is.
func TestApprovals(t *testing.T) {
	t.Parallel()
	for _, file := range []string{filepath.Join("testdata", "approvals.json"), filepath.Join("..", "..", "..", "shared", "corpus", "ollim_approvals.json")} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if errors.Is(err, os.ErrNotExist) && file != filepath.Join("testdata", "approvals.json") {
				t.Skip(file + " is not here")
			}
			var cases []approvalCase
			if err == nil {
				err = json.Unmarshal(text, &cases)
			}
			if err != nil || len(cases) == 0 {
				t.Fatalf("%d cases, %v", len(cases), err)
			}
			for _, c := range cases {
				t.Run(c.ID+" "+c.Name, func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { playApproval(t, c) })
				})
			}
		})
	}
}

// stage is a gate with one surface on which cards are posted.
type stage struct {
	*world
	began   time.Time
	ends    map[string]chan approvalEnd
	prompt  map[string]bool   // whether a card was posted, or was being posted
	ids     map[string]string // of asks, by request
	posting map[string]approvalEvent
}

func playApproval(t *testing.T, c approvalCase) {
	mode := c.Mode
	if mode == "" {
		mode = "default"
	}
	w := &world{t: t, dir: t.TempDir(), tool: &tool{}, yaml: fmt.Sprintf(`
defaults: {timeout: %dms}
agents:
  worker: {mode: %s, user: approver, ask_approvers: {users: [approver]}}
`, int(c.Timeout*1000), mode)}
	w.memory, w.pauseAfter = time.Nanosecond, 1000 // the seed knows neither
	w.open()
	s := &stage{world: w, began: time.Now(), ends: map[string]chan approvalEnd{}, prompt: map[string]bool{}, ids: map[string]string{}, posting: map[string]approvalEvent{}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.post(ctx, w.broker.Subscribe(ctx))
	slices.SortStableFunc(c.Events, func(a, b approvalEvent) int { return int(1000*a.At) - int(1000*b.At) })
	for _, ev := range c.Events {
		time.Sleep(time.Until(s.began.Add(seconds(ev.At))))
		synctest.Wait()
		s.play(ctx, ev)
		synctest.Wait()
	}
	for id, want := range c.Expect {
		if better, ok := c.Recommended[id]; ok {
			want = better
		}
		if ours, ok := onlyOneCard[c.ID][id]; ok {
			want = ours
		}
		got := <-s.ends[id]
		if got.Prompted = s.prompt[id]; got != want {
			t.Errorf("%s: got %+v, want %+v", id, got, want)
		}
	}
	if n := len(w.broker.Waiting(ask.Filter{})); n != c.Pending {
		t.Errorf("waiting: got %d, want %d", n, c.Pending)
	}
	if got := s.granted(); !slices.Equal(got, sorted(c.Allowed)) {
		t.Errorf("granted: got %q, want %q", got, c.Allowed)
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func sorted(list []string) []string {
	out := append([]string{}, list...)
	sort.Strings(out)
	return out
}

// post is the surface: it posts cards as they are shown, however long that takes.
func (s *stage) post(ctx context.Context, events <-chan ask.Event) {
	for ev := range events {
		if ev.Kind != ask.EventShown {
			continue
		}
		id := ev.Ask.CallID
		s.ids[id] = ev.Ask.ID
		if s.posting[id].Send == "fail" {
			if err := s.broker.Undelivered(ctx, ev.Ask.ID, "test"); err != nil {
				s.t.Error(err)
			}
			continue
		}
		s.prompt[id] = true
	}
}

func (s *stage) play(ctx context.Context, ev approvalEvent) {
	session := ev.Session
	if session == "" {
		session = "s1"
	}
	var err error
	switch ev.Do {
	case "request":
		s.request(ctx, session, ev)
	case "batch": // one after the other, as the loop that pauses puts them
		go func() {
			for _, r := range ev.Requests {
				s.request(ctx, session, r)
				end := <-s.ends[r.ID]
				s.ends[r.ID] <- end
			}
		}()
	case "react", "reply":
		s.react(ctx, ev)
	case "interrupt":
		_, err = s.gate.InterruptSession(ctx, session, "approver")
	case "fork_exit":
		_, err = s.gate.ExitFork(ctx, session, "approver")
	case "clear":
		_, err = s.gate.ClearSession(ctx, session, "approver")
	case "mode":
		mode, parseErr := engine.ParseMode(ev.Mode)
		err = errors.Join(parseErr, s.gate.SetMode(ctx, session, &mode, "approver"))
	case "preallow":
		_, err = s.store.TouchSession(ctx, store.Session{ID: session, Agent: worker.Agent, Token: worker.Token})
		if err == nil {
			_, err = s.store.AddRule(ctx, engine.Rule{Tool: ev.Tool, Behavior: engine.Allow, Scope: engine.Session, ScopeKey: session, CreatedBy: "approver"})
		}
	case "message_deleted": // nobody looks for a card that is settled
	default:
		s.t.Fatalf("unknown event %q", ev.Do)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) { // nothing was asked there yet
		s.t.Errorf("%s: %v", ev.Do, err)
	}
}

func (s *stage) request(ctx context.Context, session string, ev approvalEvent) {
	if ev.Rule == "allow" {
		if _, err := s.store.AddRule(ctx, engine.Rule{Tool: ev.Tool, Behavior: engine.Allow, Scope: engine.Global, CreatedBy: "operator"}); err != nil {
			s.t.Error(err)
		}
	}
	s.posting[ev.ID] = ev
	done := make(chan approvalEnd, 1)
	s.ends[ev.ID] = done
	go func() {
		r := gate.Request{CallID: ev.ID, Tool: ev.Tool, Input: ev.Input, Context: gate.Claim{Session: session, Kind: ev.Context}}
		res, err := s.gate.Check(ctx, worker, r, nil)
		if err != nil {
			s.t.Errorf("%s: %v", ev.ID, err)
		}
		end := approvalEnd{Result: res.Decision.Behavior.String(), At: time.Since(s.began).Seconds()}
		if end.Result == "deny" {
			end.Reason = reasonOf(res)
		}
		done <- end
	}()
}

// reasonOf gives a denial the corpus's word.
func reasonOf(res gate.Result) string {
	words := map[string]string{
		string(ask.CauseAnswered): "denied", string(ask.CauseTimeout): "timed_out", string(ask.CauseInterrupt): "cancelled",
		string(ask.CauseForkExit): "cancelled", string(ask.CauseClear): "cancelled", string(ask.CauseNoSurface): "send_failed",
		engine.CodeBackground: "background",
	}
	if word, ok := words[res.Decision.ConvertedBy]; ok {
		return word
	}
	return string(res.Decision.Stage)
}

// react answers the card as its buttons do. What is no answer, and who may not
// answer, changes nothing.
func (s *stage) react(ctx context.Context, ev approvalEvent) {
	a, known := map[string]ask.Answer{
		"approve": {Verdict: ask.Approve}, "yes": {Verdict: ask.Approve},
		"deny": {}, "no": {},
		"always": {Verdict: ask.Approve, ForSession: true, WholeTool: true},
	}[ev.Emoji+ev.Text]
	if !known {
		return
	}
	id := s.ids[ev.On]
	if id == "" {
		id = "zzzzzz" // some other message
	}
	a.By, a.Surface = ev.By, "test"
	s.broker.MarkSeen(id, ev.By)
	_, err := s.gate.Answer(ctx, id, a)
	if err != nil && !errors.Is(err, ask.ErrUnknown) && !errors.Is(err, ask.ErrSettled) && !errors.Is(err, ask.ErrNotApprover) && !errors.Is(err, ask.ErrNotShown) {
		s.t.Errorf("%s on %s by %s: %v", ev.Emoji+ev.Text, ev.On, ev.By, err)
	}
}

// granted are the tools that the sessions were granted, sorted.
func (s *stage) granted() []string {
	rules, err := s.store.Rules(context.Background(), store.RuleFilter{Scope: engine.Session})
	if err != nil {
		s.t.Error(err)
	}
	out := []string{}
	for _, r := range rules {
		out = append(out, r.Tool)
	}
	return sorted(slices.Compact(sorted(out)))
}
