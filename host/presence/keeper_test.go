package presence_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/presence"
	"github.com/callgate/callgate/host/store"
)

func TestNobodyCanWidenWithoutAPIN(t *testing.T) {
	t.Parallel()
	k := keeper(&memory{})
	wants(t, k, here, presence.ErrNoPIN)
	unlock(t, k, pin, here, presence.ErrNoPIN)
}

func TestTheTerminalThatUnlockedIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	m := &memory{}
	k := withPIN(t, m)
	wants(t, k, here, presence.ErrLocked)
	if ticket := unlock(t, k, pin, here, nil); ticket != "" {
		t.Errorf("a terminal got the ticket %q as well", ticket)
	}
	wants(t, k, here, nil)
	wants(t, k, there, presence.ErrLocked)
	wants(t, k, far, presence.ErrLocked)
	wants(t, keeper(m), here, presence.ErrLocked) // after a restart
	k.Lock(there)
	wants(t, k, here, nil)
	k.Lock(here)
	wants(t, k, here, presence.ErrLocked)
}

func TestT06_TicketIsBound(t *testing.T) {
	t.Parallel()
	k := withPIN(t, &memory{})
	ticket := unlock(t, k, pin, far, nil)
	with := func(token string, ticket presence.Ticket) presence.Who {
		return presence.Who{By: "ann", Token: token, Ticket: ticket}
	}
	wants(t, k, with("admin", ticket), nil)
	wants(t, k, with("approver:eve", ticket), presence.ErrLocked)
	wants(t, k, with("admin", ticket[1:]), presence.ErrLocked)
	wants(t, k, with("admin", ""), presence.ErrLocked)
	wants(t, k, presence.Who{Token: "admin", Ticket: ticket, Terminal: there.Terminal}, presence.ErrLocked)
	k.Lock(with("admin", ticket))
	wants(t, k, with("admin", ticket), presence.ErrLocked)
}

func TestUnlockingEndsAfterHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := withPIN(t, &memory{})
		unlock(t, k, pin, here, nil)
		ticket := unlock(t, k, pin, far, nil)
		distant := far
		distant.Ticket = ticket
		sleep(presence.Hold - time.Nanosecond)
		wants(t, k, here, nil)
		wants(t, k, distant, nil)
		sleep(time.Nanosecond)
		wants(t, k, here, presence.ErrLocked)
		wants(t, k, distant, presence.ErrLocked)
	})
}

// The machine slept: the clock of the process stood still, the one on the wall
// did not. Or somebody set the clock back.
func TestUnlockingEndsByEitherClock(t *testing.T) {
	t.Parallel()
	now := time.Now().Round(0)
	m := &memory{}
	withPIN(t, m)
	for name, jump := range map[string]time.Duration{"slept": presence.Hold, "set back": -time.Second} {
		at := now
		k := presence.New(presence.Cheap(presence.Config{Store: m, Now: func() time.Time { return at }}))
		unlock(t, k, pin, here, nil)
		wants(t, k, here, nil)
		at = now.Add(jump)
		if err := k.Require(t.Context(), here); !errors.Is(err, presence.ErrLocked) {
			t.Errorf("%s: got %v, want ErrLocked", name, err)
		}
	}
}

func TestT06_FiveWrongTriesLock(t *testing.T) {
	t.Parallel()
	m := &memory{}
	k := withPIN(t, m)
	for n := range 5 {
		if n == 2 {
			k = keeper(m) // a restart resets nothing
		}
		unlock(t, k, wrong, []presence.Who{here, there, far}[n%3], presence.ErrWrong)
	}
	unlock(t, k, pin, here, presence.ErrLockedOut)
	unlock(t, keeper(m), pin, here, presence.ErrLockedOut)
	wants(t, k, here, presence.ErrLockedOut)
	if err := k.Set(t.Context(), pin, "another pin", here); !errors.Is(err, presence.ErrLockedOut) {
		t.Errorf("set: got %v, want ErrLockedOut", err)
	}
	if m.count(store.EventPINTried) != 5 || m.count(store.EventPINLocked) != 1 {
		t.Errorf("audited: got %v", m.events)
	}
}

func TestARightPINBeginsTheCountAnew(t *testing.T) {
	t.Parallel()
	k := withPIN(t, &memory{})
	for range 3 {
		for range 4 {
			unlock(t, k, wrong, here, presence.ErrWrong)
		}
		unlock(t, k, pin, here, nil)
	}
}

// Who is unlocked when others guess until it locks no longer is.
func TestALockEndsWhatWasUnlocked(t *testing.T) {
	t.Parallel()
	k := withPIN(t, &memory{})
	unlock(t, k, pin, here, nil)
	for range 5 {
		unlock(t, k, wrong, there, presence.ErrWrong)
	}
	wants(t, k, here, presence.ErrLockedOut)
}

func TestT06_KillingTheDaemonGivesNoTryBack(t *testing.T) {
	t.Parallel()
	m := &memory{}
	withPIN(t, m)
	for range 5 {
		// The store takes the count and nothing after it: the daemon died.
		dying := &mortal{memory: m}
		if _, err := keeperOver(dying).Unlock(t.Context(), pin, here); err == nil {
			t.Fatal("unlocked although the daemon died")
		}
	}
	unlock(t, keeper(m), pin, here, presence.ErrLockedOut)
}

func TestChangingNeedsTheOldPIN(t *testing.T) {
	t.Parallel()
	k := withPIN(t, &memory{})
	unlock(t, k, pin, there, nil)
	if err := k.Set(t.Context(), wrong, "new pin 1", here); !errors.Is(err, presence.ErrWrong) {
		t.Errorf("with a wrong old PIN: got %v, want ErrWrong", err)
	}
	if err := k.Set(t.Context(), "", "new pin 1", here); !errors.Is(err, presence.ErrWrong) {
		t.Errorf("without the old PIN: got %v, want ErrWrong", err)
	}
	if s, err := k.Status(t.Context(), here); err != nil || s.TriesLeft != 4 {
		t.Errorf("without the old PIN: got %+v, %v, want only the wrong one counted", s, err)
	}
	if err := k.Set(t.Context(), pin, "new pin 1", here); err != nil {
		t.Fatal(err)
	}
	wants(t, k, here, nil)
	wants(t, k, there, presence.ErrLocked)
	unlock(t, k, pin, there, presence.ErrWrong)
	unlock(t, k, "new pin 1", there, nil)
}

func TestResetTakesAnHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		k := withPIN(t, m)
		for range 5 {
			unlock(t, k, wrong, here, presence.ErrWrong)
		}
		reset(t, k, false)
		sleep(time.Hour - time.Second)
		reset(t, k, false) // asking again changes nothing
		k = keeper(m)
		wants(t, k, here, presence.ErrLockedOut)
		if err := k.Set(t.Context(), "", "new pin 1", here); !errors.Is(err, presence.ErrLockedOut) {
			t.Errorf("set before the hour is over: got %v, want ErrLockedOut", err)
		}
		sleep(time.Second)
		wants(t, k, here, presence.ErrNoPIN)
		if err := k.Set(t.Context(), "", "new pin 1", here); err != nil {
			t.Fatal(err)
		}
		unlock(t, k, "new pin 1", there, nil)
	})
}

func reset(t *testing.T, k *presence.Keeper, atOnce bool) {
	t.Helper()
	if _, err := k.Reset(t.Context(), here, atOnce); err != nil {
		t.Fatal(err)
	}
}

func TestWhoHasThePINStopsAReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, stop := range map[string]func(*presence.Keeper) error{
			"by unlocking":  func(k *presence.Keeper) error { _, err := k.Unlock(t.Context(), pin, here); return err },
			"by cancelling": func(k *presence.Keeper) error { return k.CancelReset(t.Context(), here) },
		} {
			k := withPIN(t, &memory{})
			reset(t, k, false)
			if err := stop(k); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			sleep(2 * time.Hour)
			wants(t, k, here, presence.ErrLocked)
			if err := k.CancelReset(t.Context(), here); err == nil {
				t.Errorf("%s: a reset that is off was cancelled", name)
			}
		}
	})
}

func TestRootResetsAtOnce(t *testing.T) {
	t.Parallel()
	k := withPIN(t, &memory{})
	unlock(t, k, pin, here, nil)
	reset(t, k, true)
	wants(t, k, here, presence.ErrNoPIN)
}

func TestT15_AForgedPINIsLocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, tamper := range map[string]func(*memory){
			"without its row":   func(m *memory) { m.forged = true },
			"not JSON":          func(m *memory) { m.values["pin"] = []byte("?") },
			"a cost of nothing": func(m *memory) { m.values["pin"] = []byte(`{"pin":{"algorithm":"argon2id"},"tries":0}`) },
			"another algorithm": func(m *memory) { m.values["pin"] = []byte(`{"pin":{"algorithm":"none"},"tries":0}`) },
		} {
			m := &memory{}
			k := withPIN(t, m)
			tamper(m)
			wants(t, k, here, presence.ErrLockedOut)
			unlock(t, k, pin, here, presence.ErrLockedOut)
			if err := k.Set(t.Context(), pin, "new pin 1", here); !errors.Is(err, presence.ErrLockedOut) {
				t.Errorf("%s: set: got %v, want ErrLockedOut", name, err)
			}
			reset(t, k, false)
			if err := k.CancelReset(t.Context(), here); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			wants(t, k, here, presence.ErrLockedOut) // cancelling makes nothing of it good
			reset(t, k, false)
			sleep(time.Hour)
			wants(t, k, here, presence.ErrNoPIN)
		}
	})
}

func TestAFailingStoreUnlocksNobody(t *testing.T) {
	t.Parallel()
	m := &memory{}
	k := withPIN(t, m)
	m.broken = errors.New("disk full")
	wants(t, k, here, m.broken)
	unlock(t, k, pin, here, m.broken)
	m.broken = nil
	wants(t, k, here, presence.ErrLocked)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	k := keeper(&memory{})
	status := func() presence.Status {
		t.Helper()
		s, err := k.Status(t.Context(), here)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := status(); s.Set || s.Locked || !strings.Contains(s.Why, "callgate pin set") {
		t.Errorf("without a PIN: got %+v", s)
	}
	if err := k.Set(t.Context(), "", pin, there); err != nil {
		t.Fatal(err)
	}
	if s := status(); !s.Set || s.Locked || s.TriesLeft != 5 || !s.UnlockedUntil.IsZero() {
		t.Errorf("with a PIN: got %+v", s)
	}
	unlock(t, k, wrong, here, presence.ErrWrong)
	if s := status(); s.TriesLeft != 4 {
		t.Errorf("after a wrong one: got %+v", s)
	}
	unlock(t, k, pin, here, nil)
	if s := status(); s.UnlockedUntil.IsZero() || s.TriesLeft != 5 {
		t.Errorf("unlocked: got %+v", s)
	}
	for range 5 {
		unlock(t, k, wrong, here, presence.ErrWrong)
	}
	if s := status(); !s.Set || !s.Locked || s.TriesLeft != 0 || !strings.Contains(s.Why, "callgate pin reset") {
		t.Errorf("locked: got %+v", s)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for pin, good := range map[string]bool{
		"48151623": true, "correct horse": true, "ünïcödé1": true, strings.Repeat("ab1!", 32): true,
		"": false, "4815162": false, "12345678": false, "87654321": false, "abcdefgh": false, "11111111": false, "12121212": false,
		strings.Repeat("ab1!", 33): false, "4815\x0016": false, "48151623\xff": false, "48151623\t": false,
	} {
		if err := presence.Check(pin); (err == nil) != good {
			t.Errorf("%q: got %v, want good %t", pin, err, good)
		}
	}
}
