package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Duration is a length of time in the file, written as Go does: 90s, 1m30s. It is always positive;
// the zero value stands for a missing key.
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration; want a number with a unit, such as 60s, 5m or 1h30m", text)
	}
	if parsed <= 0 {
		return fmt.Errorf("duration %s: want more than 0", text)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// or returns the first non-zero duration.
func (d Duration) or(fallback Duration) time.Duration {
	if d > 0 {
		return time.Duration(d)
	}
	return time.Duration(fallback)
}

// Time is a moment in the file: an RFC 3339 time, or a date for the end of the day in UTC.
type Time struct{ time.Time }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *Time) UnmarshalText(text []byte) error {
	if day, err := time.Parse(time.DateOnly, string(text)); err == nil {
		t.Time = day.AddDate(0, 0, 1)
		return nil
	}
	parsed, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("%q is not a time; want a date such as 2027-01-31 or a time such as 2027-01-31T18:00:00Z", text)
	}
	t.Time = parsed
	return nil
}

// Dialect is the shell of command lines; an empty one is unknown and counts as the worst of bash,
// dash and zsh.
type Dialect string

// Dialects are the names of shells, the analysable ones first.
func Dialects() []string { return []string{"bash", "sh", "zsh", "fish", "pwsh", "cmd"} }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Dialect) UnmarshalText(text []byte) error {
	if !slices.Contains(Dialects(), string(text)) {
		return fmt.Errorf("unknown shell %q; want %s, or remove the key to assume the worst of bash, dash and zsh", text, strings.Join(Dialects(), ", "))
	}
	*d = Dialect(text)
	return nil
}
