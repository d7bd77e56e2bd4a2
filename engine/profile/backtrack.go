package profile

import (
	"errors"
	"fmt"
	"time"

	"github.com/dlclark/regexp2/v2"
)

const (
	// stepTime is the time per step where time is measured: longer than a program's step.
	stepTime = 20 * time.Nanosecond
	// clockPeriod is the period of regexp2's clock; a match ends up to two periods late. The clock
	// is one goroutine of the process; it ends a second after the last match.
	clockPeriod = 10 * time.Millisecond
	// maxStack is the height of the stack to go back on, in words of 8 bytes.
	maxStack = 1 << 20
	// maxTries bounds the tries of a match out of time.
	maxTries = 3
)

var (
	errTime  = errors.New("it goes back and forth too long on this action")
	errStack = errors.New("it has more ways on this action than fit into memory")
)

func init() { regexp2.SetTimeoutCheckPeriod(clockPeriod) }

// backtracker is a pattern with memory, on regexp2.
type backtracker struct {
	re      *regexp2.Regexp
	letters *alphabet
}

// compileBacktracker refuses untranslatable constructs, by name. It takes the bytes of the
// translation from room.
func compileBacktracker(root *node, room *int) (b *backtracker, err error) {
	defer func() {
		if r := recover(); r != nil {
			b, err = nil, fmt.Errorf("regexp2 cannot compile it: %v", r)
		}
	}()
	pattern, letters, err := translate(root, *room)
	if err != nil {
		return nil, err
	}
	*room -= len(pattern)
	re, err := regexp2.Compile(pattern, regexp2.OptionMaxBacktrackingStackSize(maxStack))
	if err != nil {
		return nil, fmt.Errorf("regexp2 cannot compile it: %w", err)
	}
	return &backtracker{re, letters}, nil
}

// fullMatch reports whether the pattern matches the whole text. Every failure is an error, and no
// match.
func (m *backtracker) fullMatch(text []rune, b *budget) (ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			ok, err = false, fmt.Errorf("regexp2 failed: %v", r)
		}
	}()
	if b.left <= 0 {
		return false, errSteps
	}
	if m.letters != nil {
		text = m.letters.text(text)
	}
	for range maxTries {
		ok, err = m.try(text, b)
		if !errors.Is(err, errTime) || b.left <= 0 {
			break
		}
	}
	return ok, err
}

// try matches once, for half of a decision's time at most: time spent waiting for a processor
// counts too, and the clock of regexp2, a goroutine, jumps after such a wait. Another try
// distinguishes a match delayed so from a really slow one.
func (m *backtracker) try(text []rune, b *budget) (bool, error) {
	// The copy shares the program; the time-out is this match's own.
	re := *m.re
	re.MatchTimeout = time.Duration(min(b.left, maxSteps/2)) * stepTime
	start := time.Now()
	ok, err := re.MatchRunes(text)
	b.left -= int(time.Since(start) / stepTime)
	switch {
	case err == nil:
		return ok, nil // in time, even if the next match is not
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return false, errStack
	}
	// regexp2 has no error but these two; its text holds the whole action.
	return false, errTime
}
