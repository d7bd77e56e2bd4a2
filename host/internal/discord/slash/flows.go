package slash

import (
	"crypto/rand"
	"sync"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/store"
)

// flow is the state between the steps of a command: its buttons name it and carry nothing else.
type flow struct {
	// account began it; only this account goes on with it.
	account string
	at      time.Time
	// request waits for one of places, or for a session.
	request request
	places  []admin.Where
	// filter and rows are a page of the audit.
	filter store.Filter
	// sessions are paused ones to resume, asks those to show.
	sessions, asks []string
	rows           []int64
	// rule is the previewed one.
	rule *engine.Rule
}

const (
	// flowLife is as long as Discord lets an answer be edited.
	flowLife = 15 * time.Minute
	// maxFlows bounds all of them, maxOwnFlows those of one person: the oldest goes.
	maxFlows    = 1000
	maxOwnFlows = 20
)

// flows keeps the flows under way. It is safe for concurrent use. RATIONALE.md, "Where is a
// command's state between two clicks?".
type flows struct {
	now func() time.Time
	mu  sync.Mutex
	all map[string]flow
}

// add keeps a flow under a new name.
func (f *flows) add(one flow) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	one.at = f.now()
	if f.all == nil {
		f.all = map[string]flow{}
	}
	f.makeRoom(one.account)
	id := rand.Text()
	f.all[id] = one
	return id
}

// makeRoom drops finished flows, then the person's oldest, then the oldest of all. The caller
// holds mu.
func (f *flows) makeRoom(account string) {
	own, oldestOwn, oldest := 0, "", ""
	for id, one := range f.all {
		if f.now().Sub(one.at) > flowLife {
			delete(f.all, id)
			continue
		}
		if oldest == "" || one.at.Before(f.all[oldest].at) {
			oldest = id
		}
		if one.account != account {
			continue
		}
		own++
		if oldestOwn == "" || one.at.Before(f.all[oldestOwn].at) {
			oldestOwn = id
		}
	}
	switch {
	case own >= maxOwnFlows:
		delete(f.all, oldestOwn)
	case len(f.all) >= maxFlows:
		delete(f.all, oldest)
	}
}

// get returns a person's flow.
func (f *flows) get(id, account string) (flow, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.held(id, account)
}

// take returns a person's flow and forgets it: it is gone on with once.
func (f *flows) take(id, account string) (flow, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	one, ok := f.held(id, account)
	if ok {
		delete(f.all, id)
	}
	return one, ok
}

func (f *flows) held(id, account string) (flow, bool) {
	one, ok := f.all[id]
	if !ok || account == "" || one.account != account || f.now().Sub(one.at) > flowLife {
		return flow{}, false
	}
	return one, true
}

// throttle lets something through once a minute for each person.
type throttle struct {
	now func() time.Time
	mu  sync.Mutex
	by  map[string]time.Time
}

// pass reports whether it is the first time in a minute.
func (t *throttle) pass(account string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	if last, ok := t.by[account]; ok && now.Sub(last) < time.Minute {
		return false
	}
	if t.by == nil || len(t.by) >= maxFlows {
		t.by = map[string]time.Time{}
	}
	t.by[account] = now
	return true
}
