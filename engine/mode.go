package engine

import (
	"errors"
	"fmt"
	"strings"
)

// Mode is the policy for a call without a decision by a rule or a tool. The zero value is
// DefaultMode; it asks.
type Mode uint8

// The modes, one per column of the table; Trusted has Bypass's column
// and a name of its own because respect_denylist is only lawful with it.
const (
	DefaultMode Mode = iota
	AcceptEdits
	Explore
	Bypass
	Trusted
	DontAsk
)

var modeNames = [...]string{
	DefaultMode: "default",
	AcceptEdits: "accept_edits",
	Explore:     "explore",
	Bypass:      "bypass",
	Trusted:     "trusted",
	DontAsk:     "dont_ask",
}

// modeAliases are the names agents use for a mode.
var modeAliases = map[string]Mode{
	"manual":             DefaultMode,
	"acceptEdits":        AcceptEdits,
	"plan":               Explore,
	"bypassPermissions":  Bypass,
	"bypass_permissions": Bypass,
	"dontAsk":            DontAsk,
}

// ErrAutoReserved is the answer to a person who sets the mode "auto".
var ErrAutoReserved = errors.New(`mode "auto" is reserved for a future safety classifier: use "trusted" or "bypass" to skip prompts`)

// String returns the mode's stored name; an unknown value reads "default".
func (m Mode) String() string {
	if int(m) < len(modeNames) {
		return modeNames[m]
	}
	return modeNames[DefaultMode]
}

// MarshalText implements encoding.TextMarshaler.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *Mode) UnmarshalText(text []byte) error {
	parsed, err := ParseMode(string(text))
	if err != nil {
		return err
	}
	*m = parsed
	return nil
}

// Modes lists the stored names in the order of the table.
func Modes() []string { return append([]string(nil), modeNames[:]...) }

// ParseMode reads a mode by its stored name or by an agent's name for it. "auto" gives
// ErrAutoReserved; any other word an error listing the names.
func ParseMode(s string) (Mode, error) {
	if s == "auto" {
		return DefaultMode, ErrAutoReserved
	}
	for m, name := range modeNames {
		if s == name {
			return Mode(m), nil
		}
	}
	if m, ok := modeAliases[s]; ok {
		return m, nil
	}
	return DefaultMode, fmt.Errorf("unknown mode %q: want one of %s", s, strings.Join(modeNames[:], ", "))
}

// strictness orders the modes for inheritance: explore < default < accept_edits
// < trusted < bypass. DontAsk stands outside the order.
var strictness = map[Mode]int{Explore: 0, DefaultMode: 1, AcceptEdits: 2, Trusted: 3, Bypass: 4}

// Stricter returns the mode a child gets under its parent, or an agent under the operator when its
// client reports a mode: the stricter of the two, and DontAsk when either is DontAsk. Explore and
// DontAsk each allow calls the other denies (reads without a rule; writes with one), so between
// them the first stays: the child must not exceed it. An unknown mode counts as DefaultMode.
func Stricter(parent, child Mode) Mode {
	switch {
	case parent == DontAsk || (parent == Explore && child == DontAsk):
		return parent
	case child == DontAsk:
		return child
	}
	if rank(parent) <= rank(child) {
		return parent
	}
	return child
}

func rank(m Mode) int {
	if r, ok := strictness[m]; ok {
		return r
	}
	return strictness[DefaultMode]
}
