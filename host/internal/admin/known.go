package admin

import (
	"context"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
)

// maxMeetings bounds with how many rules one new rule is compared: each takes runs of
// the tool's module.
const maxMeetings = 200

// Known is the knowledge for reading text commands: the catalogue's tools, and their own reading
// and matching of rules.
func Known(ctx context.Context, t ruletest.Tester) command.Known {
	left := maxMeetings
	k := command.Known{
		Try: func(r engine.Rule) error { return t.Readable(ctx, r) },
		Meet: func(a, b engine.Rule) (string, bool) {
			if left--; left < 0 {
				return "", false
			}
			return t.Meet(ctx, a, b)
		},
		Incomplete: func() bool { return left < 0 },
	}
	for _, info := range t.Catalog.Tools() {
		if !info.Fallback {
			k.Tools = append(k.Tools, command.Tool{Name: info.Name, Aliases: info.Aliases})
		}
	}
	return k
}
