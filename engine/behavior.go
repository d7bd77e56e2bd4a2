package engine

import "fmt"

// Behavior is the answer of a rule, a tool or a decision to a call. The zero value is Deny, so a
// forgotten or half-built answer never lets a call run.
type Behavior uint8

// The behaviours. Passthrough is a tool's way of having no opinion; a rule or a
// Decision never carries it.
const (
	Deny Behavior = iota
	Ask
	Allow
	Passthrough
)

var behaviorNames = [...]string{Deny: "deny", Ask: "ask", Allow: "allow", Passthrough: "passthrough"}

// String returns the behaviour's word on the wire; an unknown value reads "deny".
func (b Behavior) String() string {
	if int(b) < len(behaviorNames) {
		return behaviorNames[b]
	}
	return behaviorNames[Deny]
}

// MarshalText implements encoding.TextMarshaler.
func (b Behavior) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. On an unknown word it
// returns an error and leaves Deny behind.
func (b *Behavior) UnmarshalText(text []byte) error {
	parsed, err := ParseBehavior(string(text))
	*b = parsed
	return err
}

// ParseBehavior reads one of the four words, exactly as written. An unknown
// word is an error, and the value returned with it is Deny.
func ParseBehavior(s string) (Behavior, error) {
	for b, name := range behaviorNames {
		if s == name {
			return Behavior(b), nil
		}
	}
	return Deny, fmt.Errorf("unknown behavior %q: want allow, deny, ask or passthrough", s)
}
