package daemon_test

import (
	"fmt"
	"slices"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/callgate/callgate/engine"
)

// TestClients64_hammer has 64 clients of four agents check at once, each its own
// mix of calls, and wants every answer right.
func TestClients64_hammer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
rules:
  - {tool: Bash, content: "npm run:*", behavior: allow}
  - {tool: Bash, content: "git push:*", behavior: deny}
agents:
  standard: {mode: default, kind: background}
  reader: {mode: explore}
  loose: {mode: bypass}
  quiet: {mode: dont_ask}
`)
	d, _ := w.Serve(nil)
	agents := []string{"standard", "reader", "loose", "quiet"}
	const a, n = engine.Allow, engine.Deny
	cases := []struct {
		command string
		want    [4]engine.Behavior // by agent
	}{
		{"ls -la", [4]engine.Behavior{a, a, a, a}},
		{"npm run build", [4]engine.Behavior{a, n, a, a}},
		{"git push origin main", [4]engine.Behavior{n, n, n, n}},
		{"make %d", [4]engine.Behavior{n, n, a, n}},
		{"cat a.txt | grep -c %d", [4]engine.Behavior{a, a, a, a}},
		{"npm run %d && git push", [4]engine.Behavior{n, n, n, n}},
		{"npm run build && make %d", [4]engine.Behavior{n, n, a, n}},
	}
	var g errgroup.Group
	for i := range 64 {
		agent := i % len(agents)
		c := w.Agent(d.Address().String(), agents[agent])
		g.Go(func() error {
			for j := range 2 * len(cases) {
				k := cases[(i+j)%len(cases)]
				command := k.command
				if slices.Contains([]byte(command), '%') {
					command = fmt.Sprintf(command, i)
				}
				res, err := c.Check(t.Context(), bash(fmt.Sprintf("s%d", i), "", command), nil)
				if err != nil {
					return fmt.Errorf("client %d, %s: %w", i, command, err)
				}
				if res.Decision.Behavior != k.want[agent] {
					t.Errorf("%s checks %s: got %s (%s), want %s", agents[agent], command, res.Decision.Behavior, res.Decision.Reason, k.want[agent])
				}
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	report, err := d.Host.Store.VerifyAudit(t.Context())
	if want := int64(64 * 2 * len(cases)); err != nil || report.Break != nil || report.Rows < want {
		t.Errorf("audit: got %+v, %v, want %d whole rows or more", report, err, want)
	}
}
