package protect_test

import (
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/protect"
	"github.com/callgate/callgate/host/internal/store/mask"
)

// TestReasonIsNoSecret: the guard's reason about a file with a secret's name is unchanged in
// the audit. "it writes .../default.token: Callgate's state" lost a word to the masker, which
// took it for the token's value.
func TestReasonIsNoSecret(t *testing.T) {
	t.Parallel()
	const dir = "/home/dev/.local/state/callgate"
	g := protect.New(protect.Facts{
		Home: "/home/dev", State: dir, Config: "/home/dev/.config/callgate", Modules: "/srv/token", Secrets: []string{"/srv/discord.token"},
		Binary: "/opt/secret",
	})
	m := mask.New([]byte("key"))
	for _, kind := range []string{"path", "tree"} {
		for _, access := range []string{"read", "write", "run"} {
			for _, path := range []string{
				dir + "/agents/default.token", dir + "/password", "/srv/discord.token", "/srv/token", "/home/dev/.config/callgate/api_key",
				"/opt/secret", "/work/token/.callgate.yaml", "/work/secret/.claude/settings.json", "/work/.claude",
			} {
				why := g.Protect(&engine.Call{Tool: "X", Context: engine.Context{CWD: "/work", Targets: []engine.Target{
					{Kind: kind, Access: access, Value: path, Resolved: path},
				}}})
				if got := m.Text(why); got != why {
					t.Errorf("%s %s: got %q, want it as it was said: %q", access, kind, got, why)
				}
			}
		}
	}
}
