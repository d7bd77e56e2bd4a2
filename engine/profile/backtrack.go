package profile

import (
	"errors"
	"fmt"
	"time"

	"github.com/dlclark/regexp2/v2"
)

// Bounds of what backtracks, for one decision.
const (
	// maxTime is the time for all matches together. A match ends up to two
	// clock periods late.
	maxTime = 120 * time.Millisecond
	// clockPeriod is how often regexp2's clock ticks. While a match has been
	// running in the last second, one goroutine of the process does that.
	clockPeriod = 10 * time.Millisecond
	// maxStack is the height of the stack to go back on, in words of 8 bytes.
	maxStack = 1 << 20
)

var (
	errTime  = fmt.Errorf("it goes back and forth on this action for more than %s", maxTime)
	errStack = errors.New("it has more ways on this action than fit into memory")
)

func init() { regexp2.SetTimeoutCheckPeriod(clockPeriod) }

// backtracker is a pattern with memory, on regexp2.
type backtracker struct {
	re      *regexp2.Regexp
	letters *alphabet
}

// compileBacktracker refuses what has no translation, by name.
func compileBacktracker(root *node) (b *backtracker, err error) {
	defer func() {
		if r := recover(); r != nil {
			b, err = nil, fmt.Errorf("regexp2 cannot compile it: %v", r)
		}
	}()
	pattern, letters, err := translate(root)
	if err != nil {
		return nil, err
	}
	re, err := regexp2.Compile(pattern, regexp2.OptionMaxBacktrackingStackSize(maxStack))
	if err != nil {
		return nil, fmt.Errorf("regexp2 cannot compile it: %w", err)
	}
	return &backtracker{re, letters}, nil
}

// fullMatch reports whether the pattern matches the whole text. Whatever goes
// wrong is an error, and no match.
func (m *backtracker) fullMatch(text []rune, b *budget) (ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			ok, err = false, fmt.Errorf("regexp2 failed: %v", r)
		}
	}()
	left := maxTime - b.spent
	if left <= 0 {
		return false, errTime
	}
	if m.letters != nil {
		text = m.letters.text(text)
	}
	// The copy shares the program; the time-out is this match's own.
	re := *m.re
	re.MatchTimeout = left
	start := time.Now()
	ok, err = re.MatchRunes(text)
	b.spent += time.Since(start)
	switch {
	case err == nil:
		return ok, nil
	case errors.Is(err, regexp2.ErrBacktrackingStackLimit):
		return false, errStack
	}
	// regexp2 has no error but these two; its text holds the whole action.
	return false, errTime
}
