package cli

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/client"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
	"github.com/callgate/callgate/host/internal/testkit/world"
	"github.com/callgate/callgate/host/wire"
)

const scaleSettings = "defaults: {mode: bypass}\nasks: {timeout: 1h, checks: 10000, per_session: 0, per_agent: 0}\n"

// TestTeamScale measures three daemons over PostgreSQL beside one over SQLite, all with their disk.
func TestTeamScale(t *testing.T) {
	if os.Getenv("CALLGATE_SCALE") == "" {
		t.Skip("it measures for minutes: make scale")
	}
	length := 10 * time.Second
	alone := &team{t: t}
	alone.add(&member{}, "", scaleSettings)
	small := newLoad(alone, "alone", 48)
	single, _, spent := small.full(length)
	t.Logf("one daemon, SQLite: %.0f durable decisions/s; %s; load %s", single, spent.of(int(single*length.Seconds())), small.loadAverage())
	alone.members[0].kill()

	tm := &team{t: t, server: storetest.StartDurable(t)}
	tm.schema = storetest.Schema(t, tm.server.URL())
	for range 3 {
		tm.add(&member{}, tm.schema, scaleSettings)
	}
	big := newLoad(tm, "team", 48)
	rate, _, spent := big.full(length)
	t.Logf("three daemons, PostgreSQL: %.0f durable decisions/s, %.2f times one; %s; load %s", rate, rate/single, spent.of(int(rate*length.Seconds())), big.loadAverage())

	t.Logf("a commit of a row in that database alone: %s", spread(tm.commits(200)))
	before := tm.used()
	quiet := newLoad(tm, "idle", 1).run(length/2, 0)
	t.Logf("a check without other load: %s; %s", spread(quiet), tm.used().since(before).of(len(quiet)))
	period := time.Duration(float64(big.workers) / (rate / 2) * float64(time.Second))
	before = tm.used()
	half := big.run(length, period)
	t.Logf("a check at half of that rate: %s; %s; load %s", spread(half), tm.used().since(before).of(len(half)), big.loadAverage())
	measureRules(big, period)
	measureAsks(tm, 10_000)
}

// commits takes the time of durable commits of one row, beside nothing else.
func (tm *team) commits(n int) (times []time.Duration) {
	t := tm.t
	db, err := sql.Open("pgx", tm.schema)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }() // the rows do not matter
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE measured (n bigint)"); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		begun := time.Now()
		if _, err := db.ExecContext(t.Context(), "INSERT INTO measured VALUES ($1)", i); err != nil {
			t.Fatal(err)
		}
		times = append(times, time.Since(begun))
	}
	storetest.Exec(t, tm.schema, "DROP TABLE measured")
	return times
}

// measureRules stores deny rules by one daemon after the other at half of the full rate. After each
// return the others must deny.
func measureRules(l *load, period time.Duration) {
	t := l.t
	var background sync.WaitGroup
	background.Go(func() { l.run(10*time.Second, period) })
	deny := engine.Deny
	var changes, bare []time.Duration
	for i := range 40 {
		admin := l.members[i%3].admin(t)
		command := fmt.Sprintf("touch /tmp/callgate-scale-%d", i)
		if _, err := admin.Rules(t.Context(), store.RuleFilter{}); err != nil { // a connection
			t.Fatal(err)
		}
		begun := time.Now()
		_, err := admin.Tool(t.Context(), "Bash")
		bare = append(bare, time.Since(begun))
		if err == nil {
			begun = time.Now()
			_, err = admin.AddRule(t.Context(), "ann", protocol.NewRule{Rule: "Bash(" + command + ")", Behavior: &deny})
			changes = append(changes, time.Since(begun))
		}
		if err != nil {
			t.Fatal(err)
		}
		for other := range 3 {
			res, err := l.members[other].agent(t).Check(t.Context(), bashCall(fmt.Sprint("rules-", other), fmt.Sprint("rule-", i, "-", other), command), nil)
			if err != nil || res.Decision.Behavior != engine.Deny {
				t.Errorf("daemon %d after the rule was stored: got %+v, %v, want a denial", other, res.Decision, err)
			}
		}
	}
	background.Wait()
	t.Logf("a rule in force everywhere, at that rate: %s; a request without a change: %s", spread(changes), spread(bare))
}

// measureAsks lets n calls wait for a person on all daemons. Each is answered by another daemon than
// the one that it waits at.
func measureAsks(tm *team, n int) {
	t := tm.t
	asking := engine.Ask
	admins := make([]*client.Client, len(tm.members))
	for i, m := range tm.members {
		admins[i] = m.admin(t)
		if _, err := admins[i].Unlock(t.Context(), "ann", world.PIN); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := admins[0].AddRule(t.Context(), "ann", protocol.NewRule{Rule: "Bash(npm:*)", Behavior: &asking}); err != nil {
		t.Fatal(err)
	}
	before := tm.private()
	begun, shown, results := time.Now(), make(chan waited, n), make(chan waited, n)
	agents := tm.agents()
	asks := make([]waited, 0, n)
	const atOnce = 48 // are being decided; the others wait already
	for i := range n + atOnce {
		if i < n {
			go wait(agents[i%3], i, shown, results)
		}
		if i < atOnce {
			continue
		}
		select {
		case w := <-shown:
			asks = append(asks, w)
		case w := <-results:
			t.Fatalf("call %d ended before its answer: %+v, %v", w.call, w.res, w.err)
		}
	}
	opened := time.Since(begun)
	time.Sleep(30 * time.Second) // a person takes longer; the stacks and buffers of the opening go
	grown := tm.private() - before
	t.Logf("%d asks wait on three daemons, opened in %s: %d KiB of private memory an ask", n, opened.Round(time.Millisecond), grown/n)

	begun = time.Now()
	jobs := make(chan waited)
	var approvers sync.WaitGroup
	for range 24 {
		approvers.Go(func() {
			for w := range jobs {
				if _, err := admins[(w.call+1)%3].Answer(t.Context(), w.ask, ask.Answer{Verdict: ask.Approve, By: "ann"}); err != nil {
					t.Errorf("ask %s: %v", w.ask, err)
				}
			}
		})
	}
	for _, w := range asks {
		jobs <- w
	}
	close(jobs)
	approvers.Wait()
	if t.Failed() {
		return // calls without an answer wait for an hour
	}
	byCall := map[string]int{}
	for range n {
		w := <-results
		if w.err != nil || w.res.Decision.Behavior != engine.Allow {
			t.Errorf("call %d: got %+v, %v, want an allow", w.call, w.res.Decision, w.err)
			continue
		}
		byCall[fmt.Sprint("wait-", w.call)] = 0
	}
	took := time.Since(begun)
	for _, row := range tm.rows() {
		if _, ok := byCall[row.CallID]; ok && row.Event == store.EventDecision && row.Decision == store.AskApproved {
			byCall[row.CallID]++
		}
	}
	for id, rows := range byCall {
		if rows != 1 {
			t.Errorf("call %s: got %d rows, want 1", id, rows)
		}
	}
	t.Logf("%d of %d calls allowed, each with one row, %s after the first answer: %.0f answers/s", len(byCall), n, took.Round(time.Millisecond), float64(n)/took.Seconds())
}

// waited is a call that waits, or has waited, for a person.
type waited struct {
	call int
	ask  string
	res  wire.Result
	err  error
}

// wait sends a call in a session of its own, and tells its ask and its result.
func wait(agent *client.Client, i int, shown, results chan<- waited) {
	call := bashCall(fmt.Sprint("wait-", i), fmt.Sprint("wait-", i), fmt.Sprintf("npm install pad-%d", i))
	var once sync.Once
	res, err := agent.Check(context.Background(), call, func(p protocol.Progress) {
		if p.AskID != "" {
			once.Do(func() { shown <- waited{call: i, ask: p.AskID} })
		}
	})
	results <- waited{call: i, res: res, err: err}
}

// private is the private memory of all daemons in KiB.
func (tm *team) private() (sum int) {
	for _, m := range tm.members {
		sum += privateKiB(tm.t, m.cmd.Process.Pid)
	}
	return sum
}
