package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/caller"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/text/strictjson"
	"github.com/callgate/callgate/host/wire"
)

// Daemon is the proxy's view of the daemon. *client.Client is one.
type Daemon interface {
	// Check has a call decided, and waits for a person. Cancelling ctx withdraws the call.
	Check(ctx context.Context, r wire.Request, progress func(protocol.Progress)) (wire.Result, error)
	// Evaluate decides without asking.
	Evaluate(ctx context.Context, r wire.Request) (wire.Result, error)
	// VisibleTools lists the tools that may ever be allowed.
	VisibleTools(ctx context.Context, r wire.VisibleToolsRequest) (wire.VisibleTools, error)
	// MCPTools compares definitions with the accepted ones; with wait it asks a person.
	MCPTools(ctx context.Context, r wire.MCPToolsRequest, wait bool) (wire.MCPTools, error)
}

// Config configures a proxy. Server and Connect are required.
type Config struct {
	// Server is the server's name in the tools' names, mcp__SERVER__TOOL: see CheckName.
	Server string
	// Program names the server for people: a program, or a host. It holds no secret.
	Program string
	// Definition is a digest of how the server is started, or of its address.
	Definition string
	// Session names the session of the calls; empty for one of this proxy alone.
	Session string
	// CWD is the directory of relative paths; empty for none.
	CWD string
	// Connect finds the daemon. It is called anew after a failure.
	Connect func() (Daemon, error)
	// ReturnAfter is how long a call waits for a person before its client is asked to repeat it;
	// 0 means until the person answers.
	ReturnAfter time.Duration
	// ListPatience is how long the first list of a server waits for a person to accept its tools.
	// Default 10 s.
	ListPatience time.Duration
	// ProgressEvery is how often a waiting call shows life. Default 5 s.
	ProgressEvery time.Duration
	// Note takes a line for the person who reads the client's log; it holds no message's content.
	// Nil drops it.
	Note func(line string)
}

// maxName bounds a server's name, in bytes.
const maxName = 64

// CheckName refuses a server's name that would make the names of its tools ambiguous.
func CheckName(name string) error {
	if name == "" || len(name) > maxName || strings.Contains(name, "__") || strings.HasPrefix(name, "_") || strings.HasSuffix(name, "_") ||
		strings.ContainsFunc(name, func(r rune) bool {
			return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
		}) {
		return fmt.Errorf("server name %.80q: want 1 to %d letters, digits, - and _, without __ and without _ at an end", name, maxName)
	}
	return nil
}

// judge has calls decided for one client of one server. It is safe for concurrent use.
type judge struct {
	c     Config
	tools *catalog
	// life ends with the proxy.
	life context.Context
	end  context.CancelFunc
	// places bounds the checks under way before they ask a person.
	places chan struct{}

	mu     sync.Mutex
	daemon Daemon
	parked map[[32]byte]*waiting
	legs   map[[32]byte]time.Time
}

// The bounds of a judge.
const (
	checksAtOnce = 32
	maxParked    = 256
	maxLegs      = 1024
	// answerLife is how long an answer waits for its call's repetition.
	answerLife = 10 * time.Minute
	// busyPatience is how long a busy daemon is tried again.
	busyPatience = 30 * time.Second
)

func newJudge(c Config, changed func()) *judge {
	c.Session = cmp.Or(c.Session, "mcp-"+c.Server+"-"+strings.ToLower(rand.Text()[:10]))
	c.ListPatience = cmp.Or(c.ListPatience, 10*time.Second)
	c.ProgressEvery = cmp.Or(c.ProgressEvery, 5*time.Second)
	if c.Note == nil {
		c.Note = func(string) {}
	}
	j := &judge{c: c, places: make(chan struct{}, checksAtOnce), parked: map[[32]byte]*waiting{}, legs: map[[32]byte]time.Time{}}
	j.life, j.end = context.WithCancel(context.Background())
	j.tools = &catalog{j: j, changed: changed, seen: map[string]definition{}, states: map[string]wire.MCPToolState{}, at: map[string]time.Time{}, asks: map[string]*acceptance{}}
	return j
}

// verdict is the answer to one call.
type verdict struct {
	allowed bool
	// why is the model's text of a denial.
	why string
}

// waiting is a call being decided, with its goroutine.
type waiting struct {
	cancel context.CancelFunc
	done   chan struct{}
	// verdict is set when done is closed.
	verdict verdict

	mu  sync.Mutex
	ask string
}

func (w *waiting) askID() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ask
}

// words describe the wait.
func (w *waiting) words() string {
	if id := w.askID(); id != "" {
		return "waiting for approval " + id
	}
	return "waiting for approval"
}

// decide decides a call. It returns within ReturnAfter: the call's ask is then kept, and an equal
// call takes its answer. When ctx ends before, the ask is withdrawn. progress is called at
// intervals while a person decides.
func (j *judge) decide(ctx context.Context, c toolCall, l lister, progress func(words string)) verdict {
	id, err := digest(c, nil)
	if err != nil {
		return verdict{why: refusal(err)}
	}
	if c.state != nil && j.leg(c) {
		return j.evaluate(ctx, c)
	}
	w := j.resume(id)
	resumed := w != nil
	if w == nil {
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		w = &waiting{cancel: cancel, done: make(chan struct{})}
		go func() {
			defer cancel()
			defer close(w.done)
			w.verdict = j.judge(own, c, l, w)
		}()
	}
	var late <-chan time.Time
	if j.c.ReturnAfter > 0 {
		timer := time.NewTimer(j.c.ReturnAfter)
		defer timer.Stop()
		late = timer.C
	}
	tick := time.NewTicker(j.c.ProgressEvery)
	defer tick.Stop()
	for {
		select {
		case <-w.done:
			if v := w.verdict; !resumed || !v.allowed {
				return v
			}
			return j.evaluate(ctx, c)
		case <-tick.C:
			progress(w.words())
		case <-ctx.Done():
			w.cancel()
			return verdict{why: "Denied by Callgate: the call was cancelled before it was decided."}
		case <-late:
			if !j.park(id, w) {
				w.cancel()
				return verdict{why: "Denied by Callgate: too many calls wait for approval. Do not retry until a person has answered some."}
			}
			return verdict{why: fmt.Sprintf("Callgate: this call is %s. It has not run. Repeat exactly the same call to get the answer; change nothing in it.", w.words())}
		}
	}
}

// judge checks the definition of the tool, then the call.
func (j *judge) judge(ctx context.Context, c toolCall, l lister, w *waiting) verdict {
	hints, err := j.tools.accepted(ctx, c, l)
	if err != nil {
		return verdict{why: refusal(err)}
	}
	res, err := j.check(ctx, j.request(c, hints), w)
	switch {
	case err != nil:
		return verdict{why: refusal(err)}
	case res.Decision.Behavior == engine.Allow:
		return verdict{allowed: true}
	}
	return verdict{why: denied(res.Decision)}
}

// denied is the model's text of a denial.
func denied(d engine.Decision) string {
	return "Denied by Callgate: " + strings.TrimRight(cmp.Or(d.Message, d.Reason), ".") + "."
}

// evaluate decides an approved call again, without a person: what was approved may be denied by
// now.
func (j *judge) evaluate(ctx context.Context, c toolCall) verdict {
	d, err := j.connect()
	if err != nil {
		return verdict{why: refusal(err)}
	}
	res, err := d.Evaluate(ctx, j.request(c, j.tools.hints(c.name)))
	switch {
	case err != nil:
		j.lost(d)
		return verdict{why: refusal(err)}
	case res.Decision.Behavior == engine.Allow || res.Decision.Behavior == engine.Ask: // a person has answered
		return verdict{allowed: true}
	}
	return verdict{why: denied(res.Decision)}
}

// request is a call in the daemon's words.
func (j *judge) request(c toolCall, hints jsontext.Value) wire.Request {
	r := wire.Request{Tool: j.toolName(c.name), Input: []byte(c.input), Context: j.context(), Traceparent: c.trace}
	r.Context.Annotations = []byte(hints)
	return r
}

func (j *judge) context() wire.CallContext {
	server := j.server()
	return wire.CallContext{Session: j.c.Session, CWD: j.c.CWD, Server: &server}
}

func (j *judge) server() wire.Server {
	return wire.Server{Name: j.c.Server, Source: wire.ProxySource, Definition: j.c.Definition}
}

// toolName is a tool's name as hooks have it, so that one rule holds for both.
func (j *judge) toolName(tool string) string { return "mcp__" + j.c.Server + "__" + tool }

// check has a request decided. It tries a busy daemon again.
func (j *judge) check(ctx context.Context, r wire.Request, w *waiting) (wire.Result, error) {
	select {
	case j.places <- struct{}{}:
	case <-ctx.Done():
		return wire.Result{}, ctx.Err()
	}
	leave := sync.OnceFunc(func() { <-j.places })
	defer leave()
	began := time.Now()
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		d, err := j.connect()
		if err != nil {
			return wire.Result{}, err
		}
		res, err := d.Check(ctx, r, func(p protocol.Progress) {
			leave()
			w.mu.Lock()
			w.ask = cmp.Or(p.AskID, w.ask)
			w.mu.Unlock()
		})
		if err == nil {
			return res, nil
		}
		if !busy(err) || time.Since(began) > busyPatience {
			j.lost(d)
			return wire.Result{}, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return wire.Result{}, ctx.Err()
		}
	}
}

// busy reports whether a daemon is there and had no time.
func busy(err error) bool {
	var refused *protocol.Error
	var dial *net.OpError
	return errors.As(err, &refused) && refused.Code == protocol.CodeTooManyRequests ||
		errors.Is(err, syscall.EAGAIN) || errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &dial) && dial.Timeout()
}

// connect is the daemon, found once and again after a failure.
func (j *judge) connect() (Daemon, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.daemon == nil {
		d, err := j.c.Connect()
		if err != nil {
			return nil, err
		}
		j.daemon = d
	}
	return j.daemon, nil
}

// lost forgets a daemon after a failure: its token may have changed.
func (j *judge) lost(d Daemon) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.daemon == d {
		j.daemon = nil
	}
}

// refusal tells the model why its call was not checked.
func refusal(err error) string {
	text := "Denied by Callgate: the call could not be checked: " + strings.TrimRight(err.Error(), ".\n ") + "."
	var refused *protocol.Error
	var tools *toolsError
	switch {
	case errors.As(err, &tools):
		return "Denied by Callgate: " + tools.Error()
	case errors.Is(err, caller.ErrNoDaemon):
		return text + " Ask the user to run this command. Do not retry before that."
	case errors.Is(err, caller.ErrLost) || errors.As(err, &refused) && refused.Code == protocol.CodeUnavailable || busy(err):
		return text + " You may retry once, after a few seconds."
	}
	return text + ` Do not retry. Ask the user to run "callgate doctor".`
}

// park keeps a call whose client does not wait any longer; false when too many are kept.
func (j *judge) park(id [32]byte, w *waiting) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, taken := j.parked[id]; taken || len(j.parked) >= maxParked {
		return false
	}
	j.parked[id] = w
	go func() {
		<-w.done
		time.AfterFunc(answerLife, func() {
			j.mu.Lock()
			defer j.mu.Unlock()
			if j.parked[id] == w {
				delete(j.parked, id)
			}
		})
	}()
	return true
}

// resume takes a kept call; nil when there is none.
func (j *judge) resume(id [32]byte) *waiting {
	j.mu.Lock()
	defer j.mu.Unlock()
	w := j.parked[id]
	delete(j.parked, id)
	return w
}

// withdraw ends every kept call and question.
func (j *judge) withdraw() {
	j.end()
	j.mu.Lock()
	defer j.mu.Unlock()
	for id, w := range j.parked {
		w.cancel()
		delete(j.parked, id)
	}
}

// expectLeg remembers that the server answered an allowed call with a question, and that the client
// will repeat the call with this state.
func (j *judge) expectLeg(c toolCall, result jsontext.Value) {
	all, err := members(result, "resultType", "requestState")
	if err != nil {
		return
	}
	kind, _ := text(find(all, "resultType").value)
	c.state = find(all, "requestState").value
	if kind != "input_required" || c.state == nil {
		return
	}
	id, err := digest(c, c.state)
	if err != nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	now := time.Now()
	for old, at := range j.legs {
		if now.Sub(at) >= answerLife {
			delete(j.legs, old)
		}
	}
	if len(j.legs) < maxLegs {
		j.legs[id] = now
	}
}

// leg reports whether the call is the expected repetition of an allowed one. It counts once.
func (j *judge) leg(c toolCall) bool {
	id, err := digest(c, c.state)
	if err != nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	at, ok := j.legs[id]
	delete(j.legs, id)
	return ok && time.Since(at) < answerLife
}

// digest identifies a call by its tool, arguments and state, however they are spelled.
func digest(c toolCall, state jsontext.Value) ([32]byte, error) {
	input, err := strictjson.Object(c.input)
	if err != nil {
		return [32]byte{}, fmt.Errorf("params.arguments: %w", err)
	}
	return sha256.Sum256(fmt.Appendf(nil, "%d %s %d %s %s", len(c.name), c.name, len(input), input, state)), nil
}
