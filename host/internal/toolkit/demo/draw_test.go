package demo

import (
	"testing"
	"time"
)

func TestReadable(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_800_000_000, 0)
	for name, tt := range map[string]struct{ content, want string }{
		"bold":                 {"**Approval** x", "Approval x\n"},
		"small":                {"-# digest", "digest\n"},
		"code stays":           {"**a** `src/**` <t:1800000060:R>", "a `src/**` in 1m0s\n"},
		"a time in code":       {"`<t:1800000060:R>`", "`<t:1800000060:R>`\n"},
		"a block stays":        {"```\n**a**\n-# b <t:1:R>\n```\nend", "│ **a**\n│ -# b <t:1:R>\nend\n"},
		"the past":             {"<t:1799999990:R>", "10s ago\n"},
		"a time of the day":    {"until <t:1800000060:t>", "until " + now.Add(time.Minute).Format("15:04") + "\n"},
		"no time that we know": {"<t:x:R> <t:1:q>", "<t:x:R> <t:1:q>\n"},
	} {
		if got := readable(tt.content, now); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
