package history

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// When reads a point in time as people type it: a time (RFC 3339), a date or a date and a time of
// this machine, or an age (90m, 2h, 7d, 4w). Empty is no time. name is for errors, such as --since.
func When(name, text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	for _, layout := range []string{time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	if ago, err := parseAgo(text); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%s %q: want a time (2026-01-31T15:04:05Z), a date (2026-01-31, with a time: \"2026-01-31 15:04\"), or how long ago (90m, 2h, 7d, 4w)", name, text)
}

// parseAgo is time.ParseDuration with days and weeks as well.
func parseAgo(text string) (time.Duration, error) {
	for unit, length := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseUint(number, 10, 16)
			return time.Duration(n) * length, err
		}
	}
	return time.ParseDuration(text)
}
