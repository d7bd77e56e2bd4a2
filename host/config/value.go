package config

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Duration is a length of time in the file, written as Go does: 90s, 1m30s. It
// is always positive; the zero value means that the key was left out.
type Duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration: write a number with its unit, such as 60s, 5m or 1h30m", text)
	}
	if parsed <= 0 {
		return fmt.Errorf("duration %s: want more than 0", text)
	}
	*d = Duration(parsed)
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// or returns the first of two durations that was given.
func (d Duration) or(fallback Duration) time.Duration {
	if d > 0 {
		return time.Duration(d)
	}
	return time.Duration(fallback)
}

// Time is a moment in the file: an RFC 3339 time, or a date, which means the
// end of that day in UTC.
type Time struct{ time.Time }

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *Time) UnmarshalText(text []byte) error {
	if day, err := time.Parse(time.DateOnly, string(text)); err == nil {
		t.Time = day.AddDate(0, 0, 1)
		return nil
	}
	parsed, err := time.Parse(time.RFC3339, string(text))
	if err != nil {
		return fmt.Errorf("%q is not a time: write a date like 2027-01-31 or a time like 2027-01-31T18:00:00Z", text)
	}
	t.Time = parsed
	return nil
}

// Dialect is the shell that reads command lines; empty when it is not known, which
// counts as the worst of bash, dash and zsh.
type Dialect string

// Dialects are the words for shells, those that can be analysed first.
func Dialects() []string { return []string{"bash", "sh", "zsh", "fish", "pwsh", "cmd"} }

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *Dialect) UnmarshalText(text []byte) error {
	if !slices.Contains(Dialects(), string(text)) {
		return fmt.Errorf("unknown shell %q: want %s, or leave the key out for the worst of bash, dash and zsh", text, strings.Join(Dialects(), ", "))
	}
	*d = Dialect(text)
	return nil
}

// analysed tells that a deny or ask rule means the same in lines of this shell as
// in those of an unknown one.
func (d Dialect) analysed() bool { return d == "" || d == "bash" || d == "sh" || d == "zsh" }

// stricterDialect is a shell as which no line is judged looser than as either. The
// worst of several is not looser than one of them; of a shell without analysis
// nothing can be told, and was stays.
func stricterDialect(was, will Dialect) Dialect {
	if was == will || !was.analysed() || !will.analysed() {
		return was
	}
	return ""
}
