// Package option reads the harmless members of a call's input: how many lines, in which format,
// with which time limit.
package option

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Value is such a member: null, a truth value, a number, a plain word ("content", "1-5"), or a list
// of them. Anything else may be more than an option, and does not fit: an object, a path, the flag
// of a program (threat T25).
type Value struct{}

var errValue = errors.New("want a number, a truth value or a plain word")

// UnmarshalJSONFrom reads one value and keeps nothing of it.
func (*Value) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	for depth := dec.StackDepth(); ; {
		token, err := dec.ReadToken()
		switch {
		case err != nil:
			return err
		case token.Kind() == '{', token.Kind() == '"' && !plain(token.String()), token.Kind() == '0' && !exact(token.String()):
			return errValue
		case dec.StackDepth() <= depth:
			return nil
		}
	}
}

// exact reports whether every program reads the number alike.
func exact(number string) bool {
	f, err := strconv.ParseFloat(number, 64)
	return err == nil && math.Abs(f) <= 1<<53
}

// plain reports whether no program would read the text as a path or a flag.
func plain(text string) bool {
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		return true
	}
	return len(text) <= 100 && !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "~") && !strings.ContainsAny(text, "/\\\x00\r\n") && text != ".."
}
