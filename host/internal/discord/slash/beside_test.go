package slash_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/config"
)

// Symptom: "the allow list is empty", and a call was allowed by a rule of the configuration.
// Every rule in force in a place is listed with its source, nothing of another agent, session
// or project, and nothing twice.
func TestLists_nameWhatHoldsFromElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		dir := filepath.Dir(w.store.Path())
		rules := strings.Replace(yaml, "worker: {", `worker: {rules: [{allow: Probe(mine)}, {ask: Probe(asked)}], `, 1)
		rules = strings.Replace(rules, "loose: {", `loose: {rules: [{allow: Probe(other)}], `, 1) + "rules: [{deny: Probe(never)}]\n"
		var err error
		if w.cfg, err = config.Parse("test.yaml", []byte(rules), config.Dirs{Home: "/home/op", Config: dir, State: dir, Cache: dir}); err != nil {
			t.Fatal(err)
		}
	})
	w.open("worker", "s1")
	w.open("loose", "s2")
	w.rule("/allow Probe(stored)", agentWorker)
	w.rule("/allow Probe(everybody's)", admin.Where{Scope: engine.Global})
	w.rule("/allow Probe(its own)", admin.Where{Scope: engine.Session, Key: "s1"})
	w.rule("/allow Probe(theirs)", admin.Where{Scope: engine.Session, Key: "s2"})
	const beside = "from elsewhere, not changed here:\n"
	for name, test := range map[string]struct {
		channel, command string
		options          o
		want             string
	}{
		"all lists of a session": {thread, "permissions show", nil, `the deny list is empty
the ask list is empty
the allow list:
  Probe(its own)
` + beside + `  deny Probe(never), in the configuration, for every agent
  ask Probe(asked), in the configuration, of the agent worker
  allow Probe(mine), in the configuration, of the agent worker
  allow Probe(stored), stored, of the agent worker
  allow Probe(everybody's), stored, for every agent
the mode is default
`},
		"a list of an agent": {workersRoom, "allow", nil, `the allow list:
  Probe(stored)
` + beside + `  allow Probe(mine), in the configuration, of the agent worker
  allow Probe(everybody's), stored, for every agent
`},
		"a list of everybody":   {workersRoom, "allow", o{"global": true}, "the allow list:\n  Probe(everybody's)\n```"},
		"another agent's":       {workersRoom, "deny", o{"agent": "loose"}, "the deny list is empty\n" + beside + "  deny Probe(never), in the configuration, for every agent\n"},
		"of a directory":        {workersRoom, "ask", o{"project": "/"}, "the ask list is empty\n```"},
		"what is changed alone": {workersRoom, "ask", o{"rule": "Probe(x)", "agent": "asker"}, "added Probe(x) to the ask list"},
	} {
		t.Run(name, func(t *testing.T) {
			m := w.run(bob, test.channel, test.command, test.options)
			if !strings.Contains(m.Content, test.want) || strings.Count(m.Content, beside) > 1 {
				t.Errorf("got\n%s\nwant\n%s", m.Content, test.want)
			}
			if test.options["rule"] != nil && strings.Contains(m.Content, beside) {
				t.Errorf("a change is told with what it does not change:\n%s", m.Content)
			}
		})
	}
}
