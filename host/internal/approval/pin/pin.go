package pin

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// The bounds of a PIN: characters at least, bytes at most. Against guessing at
// the daemon four would do, for five tries are all there are. Eight is for who
// can read the store: at level A every program of the account can, and tries as
// often as it likes. A million PINs of six digits take a core about two days,
// a hundred million of eight about eight months.
const (
	MinLength = 8
	maxLength = 128
)

// ErrWeak is a PIN too short or among the first guesses.
var ErrWeak = errors.New("this PIN is too easy to guess")

// Check says whether a PIN may be chosen.
func Check(pin string) error {
	switch {
	case !utf8.ValidString(pin) || len(pin) > maxLength:
		return fmt.Errorf("%w: want text of at most %d bytes", ErrWeak, maxLength)
	case utf8.RuneCountInString(pin) < MinLength:
		return fmt.Errorf("%w: want at least %d characters (digits, letters, or others)", ErrWeak, MinLength)
	}
	distinct, steps := map[rune]bool{}, map[rune]bool{}
	var last rune
	for i, r := range pin {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("%w: want printable characters", ErrWeak)
		}
		if distinct[r] = true; i > 0 {
			steps[r-last] = true
		}
		last = r
	}
	if len(distinct) < 4 || len(steps) == 1 {
		return fmt.Errorf("%w: want at least four different characters and no sequence such as 12345678", ErrWeak)
	}
	return nil
}
