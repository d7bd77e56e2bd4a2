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
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
	"github.com/callgate/callgate/host/wire"
)

// judgePause is the time between two reports of progress.
const judgePause = 100 * time.Millisecond

// judgeAll decides the different calls again, on all processors, until the time is over.
func (r *rehearsal) judgeAll(ctx context.Context, report func(history.Simulating)) error {
	until := r.s.until(time.Now())
	over := func() bool { return ctx.Err() != nil || !until.IsZero() && time.Now().After(until) }
	var next, done atomic.Int64
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(r.different)) {
		wait.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(r.different)) && !over(); i = next.Add(1) - 1 {
				r.judge(ctx, r.different[i])
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
	c, err := r.gate.admit(ctx, as, req, func(context.Context, store.Session) (store.Session, error) { return known, nil })
	if err != nil {
		return // cut at its end, or of another version
	}
	defer c.release()
	call.moved, call.state = moved, judged
	// The root of the call's own project comes first, then those around it; an empty one holds no rule.
	roots := slices.Concat([]string{c.req.Call.Context.ProjectRoot}, c.roots)
	call.at.note(cwd, roots)
	call.without, call.with = r.both(ctx, c, call.at, roots)
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

// both are a call's decisions without the change and with it. Where the rules of the change cannot
// matter, they are equal and may be any.
func (r *rehearsal) both(ctx context.Context, c *call, at *rehearsalPlace, roots []string) (without, with engine.Behavior) {
	holds := func(rules []engine.Rule) (in []engine.Rule) {
		for _, rule := range rules {
			if at.holds(rule, roots) {
				in = append(in, rule)
			}
		}
		return in
	}
	add, removed := holds(r.s.Add), holds(r.removed)
	if len(r.index.Find(c.req.About())) == 0 || len(add)+len(removed) == 0 {
		return 0, 0
	}
	allows := func(rules []engine.Rule) bool {
		return slices.ContainsFunc(rules, func(rule engine.Rule) bool { return rule.Behavior == engine.Allow })
	}
	c.req.Bare = true
	decide := func() engine.Behavior { return r.gate.decideAlone(ctx, c).Behavior }
	before := c.req.Rules
	if !r.touched(ctx, c, add, removed) {
		if !allows(add) && !allows(removed) {
			return 0, 0
		}
		without = decide()
		if without == engine.Allow && !allows(removed) || without != engine.Allow && !allows(add) {
			return without, without // more allow rules allow no less, fewer no more
		}
	} else {
		without = decide()
	}
	c.req.Rules = slices.Concat(slices.DeleteFunc(slices.Clone(before), func(rule engine.Rule) bool {
		return rule.ID != "" && slices.ContainsFunc(removed, func(gone engine.Rule) bool { return gone.ID == rule.ID })
	}), add)
	return without, decide()
}

// touched reports whether a deny or ask rule of the change can have a part in the decision.
func (r *rehearsal) touched(ctx context.Context, c *call, add, removed []engine.Rule) bool {
	req := c.req
	req.Rules = slices.DeleteFunc(slices.Concat(add, removed), func(rule engine.Rule) bool { return rule.Behavior == engine.Allow })
	return len(req.Rules) > 0 && engine.Touches(ctx, req)
}
