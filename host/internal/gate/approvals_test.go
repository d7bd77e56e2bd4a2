package gate_test

import (
	"github.com/callgate/callgate/host/internal/testkit/gatetest"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/wire"

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
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/store"
)

// approvalCase is one case of an approvals corpus: the events in time, and the end of each
// request.
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

// onlyOneCard are the cases of the seeds' corpus with two cards at once. Callgate shows one per
// session and agent, and the clock of the others starts when they are shown.
var onlyOneCard = map[string]map[string]approvalEnd{
	"OA035": {"b": {"deny", "timed_out", 80, true}},
	// A decision does not wait for a card's post.
	"OA054": {"a": {"deny", "cancelled", 1, true}},
}

// TestApprovals plays our own corpus, and the one in testdata/seeds.
func TestApprovals(t *testing.T) {
	t.Parallel()
	for _, file := range []string{filepath.Join("testdata", "approvals.json"), repo.File("testdata", "seeds", "ollim_approvals.json")} {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
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

// stage is a gate with one surface for cards.
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
	w := &world{&gatetest.World{T: t, Dir: t.TempDir(), Tool: &tool{}, YAML: fmt.Sprintf(`
defaults: {timeout: %dms}
agents:
  worker: {mode: %s, user: approver, ask_approvers: {users: [approver]}}
`, int(c.Timeout*1000), mode)}}
	w.Memory, w.PauseAfter = time.Nanosecond, 1000 // the seed knows neither
	w.Open()
	s := &stage{world: w, began: time.Now(), ends: map[string]chan approvalEnd{}, prompt: map[string]bool{}, ids: map[string]string{}, posting: map[string]approvalEvent{}}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go s.post(ctx, w.Broker.Subscribe(ctx))
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
	if n := len(w.Broker.Waiting(ask.Filter{})); n != c.Pending {
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

// post is the surface: it posts cards as they are shown, at any speed.
func (s *stage) post(ctx context.Context, events <-chan ask.Event) {
	for ev := range events {
		if ev.Kind != ask.EventShown {
			continue
		}
		id := ev.Ask.CallID
		s.ids[id] = ev.Ask.ID
		if s.posting[id].Send == "fail" {
			if err := s.Broker.Undelivered(ctx, ev.Ask.ID, "test"); err != nil {
				s.T.Error(err)
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
	case "batch": // one after the other, as by the pausing loop
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
		_, err = s.Gate.InterruptSession(ctx, session, "approver")
	case "fork_exit":
		_, err = s.Gate.ExitFork(ctx, session, "approver")
	case "clear":
		_, err = s.Gate.ClearSession(ctx, session, "approver")
	case "mode":
		mode, parseErr := engine.ParseMode(ev.Mode)
		err = errors.Join(parseErr, s.Gate.SetMode(ctx, session, &mode, "approver"))
	case "preallow":
		_, err = s.Store.TouchSession(ctx, store.Session{ID: session, Agent: worker.Agent, Token: worker.Token})
		if err == nil {
			_, err = s.Store.AddRule(ctx, engine.Rule{Tool: ev.Tool, Behavior: engine.Allow, Scope: engine.Session, ScopeKey: session, CreatedBy: "approver"})
		}
	case "message_deleted": // a settled card has no reader
	default:
		s.T.Fatalf("unknown event %q", ev.Do)
	}
	if err != nil && !errors.Is(err, store.ErrNotFound) { // nothing was asked there yet
		s.T.Errorf("%s: %v", ev.Do, err)
	}
}

func (s *stage) request(ctx context.Context, session string, ev approvalEvent) {
	if ev.Rule == "allow" {
		if _, err := s.Store.AddRule(ctx, engine.Rule{Tool: ev.Tool, Behavior: engine.Allow, Scope: engine.Global, CreatedBy: "operator"}); err != nil {
			s.T.Error(err)
		}
	}
	s.posting[ev.ID] = ev
	done := make(chan approvalEnd, 1)
	s.ends[ev.ID] = done
	go func() {
		r := wire.Request{CallID: ev.ID, Tool: ev.Tool, Input: ev.Input, Context: wire.CallContext{Session: session, Kind: ev.Context}}
		res, err := s.Gate.Check(ctx, worker, r, nil)
		if err != nil {
			s.T.Errorf("%s: %v", ev.ID, err)
		}
		end := approvalEnd{Result: res.Decision.Behavior.String(), At: time.Since(s.began).Seconds()}
		if end.Result == "deny" {
			end.Reason = reasonOf(res)
		}
		done <- end
	}()
}

// reasonOf gives a denial the corpus's word.
func reasonOf(res wire.Result) string {
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

// react answers the card as its buttons do. Invalid answers, and people without the right,
// change nothing.
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
	a.By, a.Surface, a.ConfirmID = ev.By, "test", id
	s.Broker.MarkSeen(id, ev.By)
	_, err := s.Gate.Answer(ctx, id, a)
	if err != nil && !errors.Is(err, ask.ErrUnknown) && !errors.Is(err, ask.ErrSettled) && !errors.Is(err, ask.ErrNotApprover) && !errors.Is(err, ask.ErrNotShown) {
		s.T.Errorf("%s on %s by %s: %v", ev.Emoji+ev.Text, ev.On, ev.By, err)
	}
}

// granted are the tools granted to the sessions, sorted.
func (s *stage) granted() []string {
	rules, err := s.Store.Rules(context.Background(), store.RuleFilter{Scope: engine.Session})
	if err != nil {
		s.T.Error(err)
	}
	out := []string{}
	for _, r := range rules {
		out = append(out, r.Tool)
	}
	return sorted(slices.Compact(sorted(out)))
}
