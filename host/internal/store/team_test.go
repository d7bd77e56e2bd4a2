package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/testkit/storetest"
)

// two opens two daemons of one store.
func two(t *testing.T) (a, b *store.Store, server *storetest.Server) {
	t.Helper()
	server = storetest.StartServer(t)
	place := storetest.Schema(t, server.URL())
	a = opened(t, place, store.Options{Daemon: &store.Daemon{Name: "a", Version: "1"}})
	return a, opened(t, place, store.Options{Daemon: &store.Daemon{Name: "b", Version: "2"}}), server
}

func TestPostgresTeam_decisionsOnOldRulesAreNotStored(t *testing.T) {
	t.Parallel()
	a, b, _ := two(t)
	old := b.Epoch()
	rule, err := a.AddRule(t.Context(), engine.Rule{Tool: "Bash", Behavior: engine.Deny, Scope: engine.Global, CreatedBy: "ann"})
	must(t, err)
	row := decision()
	row.Epoch = old
	if row, err := b.Append(t.Context(), row); !errors.Is(err, store.ErrStale) {
		t.Errorf("on the old rules: got %+v, %v, want ErrStale", row, err)
	}
	must(t, b.CatchUp(t.Context()))
	if rules, err := b.RulesFor(t.Context(), "x", "", "", nil); err != nil || len(rules) != 1 || rules[0].ID != rule.ID {
		t.Errorf("rules: got %v, %v, want the new one", rules, err)
	}
	row.Epoch = b.Epoch()
	if row, err := b.Append(t.Context(), row); err != nil || row.Seq != 2 {
		t.Errorf("on the present rules: got row %d, %v, want row 2", row.Seq, err)
	}
	must(t, a.RemoveRule(t.Context(), rule.ID, "ann"))
	must(t, b.CatchUp(t.Context()))
	if rules, err := b.RulesFor(t.Context(), "x", "", "", nil); err != nil || len(rules) != 0 {
		t.Errorf("rules: got %v, %v, want none", rules, err)
	}
}

// A daemon that cannot put a change in force is behind by it, and no longer once it can.
func TestPostgresTeam_behind(t *testing.T) {
	t.Parallel()
	a, b, _ := two(t)
	b.OnChange(func(context.Context, []store.Changed) error { return errors.New("not now") })
	_, err := a.AddRule(t.Context(), engine.Rule{Tool: "Bash", Behavior: engine.Deny, Scope: engine.Global, CreatedBy: "ann"})
	must(t, err)
	if got := b.Stats(t.Context()).Behind; got != 1 {
		t.Errorf("got %d behind, want 1", got)
	}
	b.OnChange(func(context.Context, []store.Changed) error { return nil })
	for _, s := range []*store.Store{a, b} {
		must(t, s.CatchUp(t.Context()))
		if got := s.Stats(t.Context()).Behind; got != 0 {
			t.Errorf("got %d behind after catching up, want 0", got)
		}
	}
}

// Two daemons that changed one setting from the same value do not overwrite each other.
func TestPostgresTeam_settingsAreNotLost(t *testing.T) {
	t.Parallel()
	a, b, _ := two(t)
	row := store.Row{Event: store.EventFolderTrusted, DecidedBy: "ann"}
	must(t, a.SaveSetting(t.Context(), "list", []byte("1"), row))
	for _, s := range []*store.Store{a, b} {
		if v, err := s.Setting(t.Context(), "list"); err != nil || string(v) != "1" {
			t.Fatalf("got %q, %v", v, err)
		}
	}
	must(t, a.SaveSetting(t.Context(), "list", []byte("1 2"), row))
	if err := b.SaveSetting(t.Context(), "list", []byte("1 3"), row); !errors.Is(err, store.ErrStale) {
		t.Errorf("got %v, want ErrStale", err)
	}
	if v, err := b.Setting(t.Context(), "list"); err != nil || string(v) != "1 2" {
		t.Errorf("got %q, %v, want the first change", v, err)
	}
	must(t, b.SaveSetting(t.Context(), "list", []byte("1 2 3"), row))
}

// The chain of several daemons goes on over a crash of the server, and one that lost rows is
// refused by every daemon.
func TestPostgresTeam_crashAndRewind(t *testing.T) {
	t.Parallel()
	a, b, server := two(t)
	appendMany(t, a, 2)
	appendMany(t, b, 2)
	server.Stop("immediate")
	if _, err := a.Append(t.Context(), decision()); !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("without a server: got %v, want ErrUnavailable", err)
	}
	server.Start()
	must(t, afterCrash(t, b))
	must(t, afterCrash(t, a))
	if r := verified(t, b); r.Rows != 6 {
		t.Errorf("verify: got %+v, want 6 rows", r)
	}
	// As after a failover: the last two rows are missing, and others took their numbers.
	storetest.Exec(t, a.Path(), "DELETE FROM audit_log WHERE seq > 4")
	storetest.Exec(t, a.Path(), "UPDATE audit_head SET seq = 9")
	server.Stop("immediate")
	server.Start()
	for name, s := range map[string]*store.Store{"a": a, "b": b} {
		if err := afterCrash(t, s); !errors.Is(err, store.ErrRewound) {
			t.Errorf("%s: got %v, want ErrRewound", name, err)
		}
	}
}

// afterCrash appends a row once the store has noticed that its connection is lost.
func afterCrash(t *testing.T, s *store.Store) (err error) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); {
		if _, err = s.Append(t.Context(), decision()); !errors.Is(err, store.ErrUnavailable) {
			break
		}
	}
	return err
}

// A lease has one holder, is lost with it, and taken over.
func TestPostgresTeam_leaseIsTakenOver(t *testing.T) {
	t.Parallel()
	a, b, _ := two(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	holds := make(chan string, 4)
	hold := func(ctx context.Context, s *store.Store, name string) chan error {
		done := make(chan error, 1)
		go func() {
			done <- s.Hold(ctx, "discord", func(ctx context.Context) error {
				holds <- name
				<-ctx.Done()
				return nil
			})
		}()
		return done
	}
	first, stop := context.WithCancel(ctx)
	ended := hold(first, a, "a")
	if got := <-holds; got != "a" {
		t.Fatalf("got %s, want a", got)
	}
	other := hold(ctx, b, "b")
	nodes, err := b.Nodes(ctx)
	must(t, err)
	for len(nodes) < 2 { // each daemon enters itself
		time.Sleep(10 * time.Millisecond)
		nodes, err = b.Nodes(ctx)
		must(t, err)
	}
	if nodes[0].Name != "a" || nodes[1].Name != "b" || !nodes[1].Self || !nodes[0].Alive || len(nodes[0].Leases) != 1 {
		t.Errorf("nodes: got %+v, want a with the lease, and b", nodes)
	}
	select {
	case got := <-holds:
		t.Errorf("%s holds as well", got)
	default:
	}
	stop()
	<-ended
	if got := <-holds; got != "b" {
		t.Errorf("got %s, want b to take over", got)
	}
	cancel()
	<-other
}

// A program that decides no calls has the store alone.
func TestPostgresTeam_refusesOthers(t *testing.T) {
	t.Parallel()
	a, _, _ := two(t)
	opensNot(t, a.Path(), store.ErrLocked)
}
