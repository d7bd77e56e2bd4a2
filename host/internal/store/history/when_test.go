package history_test

import (
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store/history"
)

func TestWhen(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 2, 12, 10, 0, 0, 0, time.FixedZone("CET", 3600))
	for text, want := range map[string]string{
		"":                          "0001-01-01T00:00:00Z",
		"2026-01-31T15:04:05Z":      "2026-01-31T15:04:05Z",
		"2026-01-31T15:04:05+02:00": "2026-01-31T13:04:05Z",
		"2026-01-31":                "2026-01-30T23:00:00Z",
		"2026-01-31 15:04":          "2026-01-31T14:04:00Z",
		"2026-01-31 15:04:05":       "2026-01-31T14:04:05Z",
		"2026-01-31T15:04":          "2026-01-31T14:04:00Z",
		"90m":                       "2026-02-12T07:30:00Z",
		"7d":                        "2026-02-05T09:00:00Z",
		"4w":                        "2026-01-15T09:00:00Z",
	} {
		got, err := history.When("--since", text, now)
		if err != nil || got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: got %v, %v, want %s", text, got.UTC(), err, want)
		}
	}
	for _, text := range []string{"yesterday", "-2h", "0d", "2026-13-01", "99999999d", "d", "7 d", "2026-01-31T15:04:05Zx"} {
		if got, err := history.When("--since", text, now); err == nil {
			t.Errorf("%q: got %v, want an error", text, got)
		}
	}
}
