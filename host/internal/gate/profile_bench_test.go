package gate_test

import (
	"encoding/json"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/modules"
)

// BenchmarkJudge is the cost of a profile in a decision about a line of two commands.
func BenchmarkJudge(b *testing.B) {
	entry := modules.Entry{Entry: engine.Entry{Name: "Bash", Own: true}, Embedded: true}
	call := &engine.Call{Tool: "Bash", Input: json.RawMessage(`{"command":"npm ci && npm test -- --watch=false"}`)}
	actions := []string{"tool:bash:npm ci", "tool:bash:npm test -- --watch=false"}
	desc := modules.Description{Action: actions[0], Actions: actions, Analysed: true}
	for _, name := range []string{"open", "standard", "locked"} {
		c, err := config.Parse("test.yaml", []byte("defaults: {profile: "+name+"}\n"), config.Dirs{Home: "/home/op"})
		if err != nil {
			b.Fatal(err)
		}
		p := c.Agent("any").Profile
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if describe.Judge(p, entry, call, desc, nil) == nil {
					b.Fatal("no answer")
				}
			}
		})
	}
}
