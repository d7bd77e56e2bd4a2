package gate

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/gate/mcptools"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/wire"
)

// judgePause is the time between two reports of progress.
const judgePause = 100 * time.Millisecond

// onePicture is how many calls are decided again on one picture of the disk: it holds each path that
// they name.
const onePicture = 1000

// judgeAll decides the different calls again, on all processors, until the time is over.
func (r *rehearsal) judgeAll(ctx context.Context, report func(history.Simulating)) error {
	until := r.s.until(time.Now())
	over := func() bool { return ctx.Err() != nil || !until.IsZero() && time.Now().After(until) }
	var next, done atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(r.different)) {
		wait.Go(func() {
			seen := ctx
			for i, n := next.Add(1)-1, 0; i < int64(len(r.different)) && !over(); i, n = next.Add(1)-1, n+1 {
				if n%onePicture == 0 {
					seen = target.OnePicture(ctx) // each worker has its own: one look-up at a time uses it
				}
				r.judge(seen, r.different[i])
				done.Add(1)
			}
		})
	}
	ended := make(chan struct{})
	go func() { wait.Wait(); close(ended) }()
	tick := time.NewTicker(judgePause)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-ended:
			running = false
		case <-tick.C:
		}
		report(history.Simulating{Read: r.out.Calls, Judged: int(done.Load()), Total: len(r.different)})
	}
	r.out.Judged = int(done.Load())
	return ctx.Err()
}

// maskedMark is how the audit writes a removed secret.
const maskedMark = "[masked:"

// judge decides one call again.
func (r *rehearsal) judge(ctx context.Context, call *rehearsed) {
	call.state = unread
	if strings.Contains(call.call.Input, maskedMark) {
		return
	}
	cwd, moved := r.cwdOf(call)
	if call.at.elsewhere(cwd, r.rules) {
		call.state = judged // both decisions are the same, whatever they are
		return
	}
	known := call.at.known
	as := authority.Caller{Token: known.Token, Kind: authority.Checker, Agent: known.Agent}
	claim := wire.CallContext{Session: known.ID, CWD: cwd, Kind: string(known.Kind)}
	if rest, own := strings.CutPrefix(known.ID, ownSessions); own { // of calls without a session
		claim.Session, as.Token = "", strings.TrimSuffix(rest, "/"+known.Agent)
	}
	req := wire.Request{Tool: call.call.Tool, Input: json.RawMessage(call.call.Input), Texts: mcptools.Texts(call.call.Tool), Context: claim}
	c, err := r.gate.read(as, req)
	if err != nil {
		return // cut at its end, or of another version
	}
	c.facts, err = r.gate.outline(ctx, c, func(context.Context, store.Session) (store.Session, error) { return known, nil })
	defer c.release()
	if err != nil {
		return
	}
	at := c.req.Call.Context
	roots := rehearsalRoots{own: []string{at.Project(), at.ProjectRoot}, all: c.roots}
	call.at.note(cwd, roots)
	call.without, call.with, err = r.both(ctx, c, call.at.holding(r.s.Add, roots), call.at.holding(r.removed, roots))
	if err == nil {
		call.moved, call.state = moved, judged
	}
}

// cwdOf is the directory of a past call. The audit keeps the digest of the call with its directory,
// so that a directory can be proven and none can be read.
func (r *rehearsal) cwdOf(call *rehearsed) (cwd string, moved bool) {
	name := r.tools.Lookup(call.call.Tool).Name
	known := call.at.known
	for _, dir := range []string{known.CWD, known.ProjectRoot, ""} {
		if Digest(name, json.RawMessage(call.call.Input), dir) == call.call.Digest {
			return dir, false
		}
	}
	return known.CWD, true
}

// both are an outlined call's decisions without the change and with it, where rules are added and
// removed that hold in its place. Where they cannot matter, the decisions are equal and may be any,
// and the rest of the facts is not gathered.
func (r *rehearsal) both(ctx context.Context, c *call, add, removed []engine.Rule) (without, with engine.Behavior, err error) {
	if len(add)+len(removed) == 0 || len(r.index.Find(c.req.About())) == 0 {
		return 0, 0, nil
	}
	more, fewer := allows(add), allows(removed)
	touched := r.fails(ctx, c) || touches(ctx, c, add, removed)
	if !touched && !more && !fewer {
		return 0, 0, nil
	}
	if err := r.gate.complete(ctx, c, &c.facts); err != nil {
		return 0, 0, err
	}
	c.req.Bare = true
	decide := func() engine.Behavior { return r.gate.decideAlone(ctx, c).Behavior }
	without = decide()
	if !touched && (without == engine.Allow && !fewer || without != engine.Allow && !more) {
		return without, without, nil // more allow rules allow no less, fewer no more
	}
	c.req.Rules = slices.Concat(slices.DeleteFunc(slices.Clone(c.req.Rules), func(rule engine.Rule) bool {
		return rule.ID != "" && slices.ContainsFunc(removed, func(gone engine.Rule) bool { return gone.ID == rule.ID })
	}), add)
	return without, decide(), nil
}

func allows(rules []engine.Rule) bool {
	return slices.ContainsFunc(rules, func(rule engine.Rule) bool { return rule.Behavior == engine.Allow })
}

// touches reports whether a deny or ask rule of the change can have a part in the decision.
func touches(ctx context.Context, c *call, add, removed []engine.Rule) bool {
	req := c.req
	req.Rules = slices.DeleteFunc(slices.Concat(add, removed), func(rule engine.Rule) bool { return rule.Behavior == engine.Allow })
	return len(req.Rules) > 0 && engine.Touches(ctx, req)
}

// fails reports whether the projects of a call have files that cannot be read. The call is then decided
// by this error, which an outline does not have, and any deny or ask rule counts.
func (r *rehearsal) fails(ctx context.Context, c *call) bool {
	key := strings.Join(c.roots, "\x00")
	r.mu.Lock()
	defer r.mu.Unlock()
	failed, known := r.failing[key]
	if !known {
		_, err := r.gate.projectFiles(ctx, c.roots)
		failed = err != nil
		r.failing[key] = failed
	}
	return failed
}
