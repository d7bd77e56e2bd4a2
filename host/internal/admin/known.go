package admin

import (
	"context"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/command"
	"github.com/callgate/callgate/host/internal/gate/ruletest"
)

// maxOverlaps bounds with how many rules one new rule is compared: each takes runs of
// the tool's module.
const maxOverlaps = 200

// Known is the knowledge for reading text commands: the catalogue's tools, and their own reading
// and matching of rules.
func Known(ctx context.Context, t ruletest.Tester) command.Known {
	left := maxOverlaps
	k := command.Known{
		Try: func(r engine.Rule) error { return t.Readable(ctx, r) },
		Overlap: func(a, b engine.Rule) (string, bool) {
			if left--; left < 0 {
				return "", false
			}
			return t.Overlap(ctx, a, b)
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
