package pin_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/callgate/callgate/host/internal/approval/pin"
	"github.com/callgate/callgate/host/internal/store"
)

func TestNobodyCanWidenWithoutAPIN(t *testing.T) {
	t.Parallel()
	k := keeper(&memory{})
	wants(t, k, here, pin.ErrNoPIN)
	unlock(t, k, rightPIN, here, pin.ErrNoPIN)
}

func TestTheTerminalThatUnlockedIsTheOnlyOne(t *testing.T) {
	t.Parallel()
	m := &memory{}
	k := withPIN(t, m)
	wants(t, k, here, pin.ErrLocked)
	if ticket := unlock(t, k, rightPIN, here, nil); ticket != "" {
		t.Errorf("a terminal got the ticket %q as well", ticket)
	}
	wants(t, k, here, nil)
	wants(t, k, there, pin.ErrLocked)
	wants(t, k, far, pin.ErrLocked)
	wants(t, keeper(m), here, pin.ErrLocked) // after a restart
	k.Lock(there)
	wants(t, k, here, nil)
	if !k.Unlocked() || keeper(m).Unlocked() {
		t.Error("wants one terminal unlocked, and none after a restart")
	}
	k.Lock(here)
	wants(t, k, here, pin.ErrLocked)
	if k.Unlocked() {
		t.Error("something is unlocked after the last one was locked")
	}
}

func TestT06_TicketIsBound(t *testing.T) {
	t.Parallel()
	k := withPIN(t, &memory{})
	ticket := unlock(t, k, rightPIN, far, nil)
	with := func(token string, ticket pin.Ticket) pin.Who {
		return pin.Who{By: "ann", Token: token, Ticket: ticket}
	}
	wants(t, k, with("admin", ticket), nil)
	wants(t, k, with("approver:eve", ticket), pin.ErrLocked)
	wants(t, k, with("admin", ticket[1:]), pin.ErrLocked)
	wants(t, k, with("admin", ""), pin.ErrLocked)
	wants(t, k, pin.Who{Token: "admin", Ticket: ticket, Terminal: there.Terminal}, pin.ErrLocked)
	k.Lock(with("admin", ticket))
	wants(t, k, with("admin", ticket), pin.ErrLocked)
}

func TestUnlockingEndsAfterHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := withPIN(t, &memory{})
		unlock(t, k, rightPIN, here, nil)
		ticket := unlock(t, k, rightPIN, far, nil)
		distant := far
		distant.Ticket = ticket
		sleep(pin.Hold - time.Nanosecond)
		wants(t, k, here, nil)
		wants(t, k, distant, nil)
		sleep(time.Nanosecond)
		wants(t, k, here, pin.ErrLocked)
		wants(t, k, distant, pin.ErrLocked)
	})
}

// The machine slept: the clock of the process stood still, the one on the wall did not. Or the
// clock was set back.
func TestUnlockingEndsByEitherClock(t *testing.T) {
	t.Parallel()
	now := time.Now().Round(0)
	m := &memory{}
	withPIN(t, m)
	for name, jump := range map[string]time.Duration{"slept": pin.Hold, "set back": -time.Second} {
		at := now
		k := pin.New(pin.Cheap(pin.Config{Store: m, Now: func() time.Time { return at }}))
		unlock(t, k, rightPIN, here, nil)
		wants(t, k, here, nil)
		at = now.Add(jump)
		if err := k.Require(t.Context(), here); !errors.Is(err, pin.ErrLocked) {
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
		unlock(t, k, wrong, []pin.Who{here, there, far}[n%3], pin.ErrWrong)
	}
	unlock(t, k, rightPIN, here, pin.ErrLockedOut)
	unlock(t, keeper(m), rightPIN, here, pin.ErrLockedOut)
	wants(t, k, here, pin.ErrLockedOut)
	if err := k.Set(t.Context(), rightPIN, "another pin", here); !errors.Is(err, pin.ErrLockedOut) {
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
			unlock(t, k, wrong, here, pin.ErrWrong)
		}
		unlock(t, k, rightPIN, here, nil)
	}
}

// Who is unlocked when others guess until it locks no longer is.
func TestALockEndsWhatWasUnlocked(t *testing.T) {
	t.Parallel()
	k := withPIN(t, &memory{})
	unlock(t, k, rightPIN, here, nil)
	for range 5 {
		unlock(t, k, wrong, there, pin.ErrWrong)
	}
	wants(t, k, here, pin.ErrLockedOut)
}

func TestT06_KillingTheDaemonGivesNoTryBack(t *testing.T) {
	t.Parallel()
	m := &memory{}
	withPIN(t, m)
	for range 5 {
		// The store takes the count and nothing after it: the daemon died.
		dying := &mortal{memory: m}
		if _, err := keeperOver(dying).Unlock(t.Context(), rightPIN, here); err == nil {
			t.Fatal("unlocked although the daemon died")
		}
	}
	unlock(t, keeper(m), rightPIN, here, pin.ErrLockedOut)
}

func TestChangingNeedsTheOldPIN(t *testing.T) {
	t.Parallel()
	k := withPIN(t, &memory{})
	unlock(t, k, rightPIN, there, nil)
	if err := k.Set(t.Context(), wrong, "new pin 1", here); !errors.Is(err, pin.ErrWrong) {
		t.Errorf("with a wrong old PIN: got %v, want ErrWrong", err)
	}
	if err := k.Set(t.Context(), "", "new pin 1", here); !errors.Is(err, pin.ErrWrong) {
		t.Errorf("without the old PIN: got %v, want ErrWrong", err)
	}
	if s, err := k.Status(t.Context(), here); err != nil || s.TriesLeft != 4 {
		t.Errorf("without the old PIN: got %+v, %v, want only the wrong one counted", s, err)
	}
	if err := k.Set(t.Context(), rightPIN, "new pin 1", here); err != nil {
		t.Fatal(err)
	}
	wants(t, k, here, nil)
	wants(t, k, there, pin.ErrLocked)
	unlock(t, k, rightPIN, there, pin.ErrWrong)
	unlock(t, k, "new pin 1", there, nil)
}

func TestResetTakesAnHour(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := &memory{}
		k := withPIN(t, m)
		for range 5 {
			unlock(t, k, wrong, here, pin.ErrWrong)
		}
		reset(t, k, false)
		sleep(time.Hour - time.Second)
		reset(t, k, false) // asking again changes nothing
		k = keeper(m)
		wants(t, k, here, pin.ErrLockedOut)
		if err := k.Set(t.Context(), "", "new pin 1", here); !errors.Is(err, pin.ErrLockedOut) {
			t.Errorf("set before the hour is over: got %v, want ErrLockedOut", err)
		}
		sleep(time.Second)
		wants(t, k, here, pin.ErrNoPIN)
		if err := k.Set(t.Context(), "", "new pin 1", here); err != nil {
			t.Fatal(err)
		}
		unlock(t, k, "new pin 1", there, nil)
	})
}

func reset(t *testing.T, k *pin.Keeper, atOnce bool) {
	t.Helper()
	if _, err := k.Reset(t.Context(), here, atOnce); err != nil {
		t.Fatal(err)
	}
}

func TestWhoHasThePINStopsAReset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for name, stop := range map[string]func(*pin.Keeper) error{
			"by unlocking":  func(k *pin.Keeper) error { _, err := k.Unlock(t.Context(), rightPIN, here); return err },
			"by cancelling": func(k *pin.Keeper) error { return k.CancelReset(t.Context(), here) },
		} {
			k := withPIN(t, &memory{})
			reset(t, k, false)
			if err := stop(k); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			sleep(2 * time.Hour)
			wants(t, k, here, pin.ErrLocked)
			if err := k.CancelReset(t.Context(), here); err == nil {
				t.Errorf("%s: a reset that is off was cancelled", name)
			}
		}
	})
}

func TestRootResetsAtOnce(t *testing.T) {
	t.Parallel()
	k := withPIN(t, &memory{})
	unlock(t, k, rightPIN, here, nil)
	reset(t, k, true)
	wants(t, k, here, pin.ErrNoPIN)
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
			wants(t, k, here, pin.ErrLockedOut)
			unlock(t, k, rightPIN, here, pin.ErrLockedOut)
			if err := k.Set(t.Context(), rightPIN, "new pin 1", here); !errors.Is(err, pin.ErrLockedOut) {
				t.Errorf("%s: set: got %v, want ErrLockedOut", name, err)
			}
			reset(t, k, false)
			if err := k.CancelReset(t.Context(), here); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			wants(t, k, here, pin.ErrLockedOut) // cancelling makes nothing of it good
			reset(t, k, false)
			sleep(time.Hour)
			wants(t, k, here, pin.ErrNoPIN)
		}
	})
}

func TestAFailingStoreUnlocksNobody(t *testing.T) {
	t.Parallel()
	m := &memory{}
	k := withPIN(t, m)
	m.broken = errors.New("disk full")
	wants(t, k, here, m.broken)
	unlock(t, k, rightPIN, here, m.broken)
	m.broken = nil
	wants(t, k, here, pin.ErrLocked)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	k := keeper(&memory{})
	status := func() pin.Status {
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
	if err := k.Set(t.Context(), "", rightPIN, there); err != nil {
		t.Fatal(err)
	}
	if s := status(); !s.Set || s.Locked || s.TriesLeft != 5 || !s.UnlockedUntil.IsZero() {
		t.Errorf("with a PIN: got %+v", s)
	}
	unlock(t, k, wrong, here, pin.ErrWrong)
	if s := status(); s.TriesLeft != 4 {
		t.Errorf("after a wrong one: got %+v", s)
	}
	unlock(t, k, rightPIN, here, nil)
	if s := status(); s.UnlockedUntil.IsZero() || s.TriesLeft != 5 {
		t.Errorf("unlocked: got %+v", s)
	}
	for range 5 {
		unlock(t, k, wrong, here, pin.ErrWrong)
	}
	if s := status(); !s.Set || !s.Locked || s.TriesLeft != 0 || !strings.Contains(s.Why, "callgate pin reset") {
		t.Errorf("locked: got %+v", s)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for typed, good := range map[string]bool{
		"48151623": true, "correct horse": true, "ünïcödé1": true, strings.Repeat("ab1!", 32): true,
		"": false, "4815162": false, "12345678": false, "87654321": false, "abcdefgh": false, "11111111": false, "12121212": false,
		strings.Repeat("ab1!", 33): false, "4815\x0016": false, "48151623\xff": false, "48151623\t": false,
	} {
		if err := pin.Check(typed); (err == nil) != good {
			t.Errorf("%q: got %v, want good %t", typed, err, good)
		}
	}
}
