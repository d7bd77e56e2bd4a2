package card_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/testkit/asktest"
	"github.com/callgate/callgate/host/internal/testkit/golden"
	"github.com/callgate/callgate/host/wire"
)

// Lines have all that a terminal has, but for the answers.
func TestLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	for _, name := range []string{"install", "edit", "safety", "secret", "hostile", "ended"} {
		out.WriteString("== " + name + "\n")
		lines := card.Lines(card.Render(asktest.Kinds()[name], asktest.Noon))
		headlines := 0
		for _, l := range lines {
			if l.Style == wire.CardHeadline {
				headlines++
			}
			if l.Text == "" || l.Style != wire.CardCall && strings.Contains(l.Text, "\n") || card.Visible(strings.NewReplacer("‹", "", "›", "", "⇥   ", "").Replace(l.Text)) == "" {
				t.Errorf("%s: %+v", name, l)
			}
			out.WriteString(string(l.Style) + "\t" + l.Name + "\t" + l.Text + "\n")
		}
		if headlines != 1 {
			t.Errorf("%s: %d headlines", name, headlines)
		}
	}
	golden.Check(t, "lines", out.String())
}
