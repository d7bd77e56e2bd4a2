package conformance

import (
	"fmt"

	"github.com/callgate/callgate/host/internal/modules/trial"
)

// stateRules are about a call's traces.
var stateRules = []trials{
	{Rule: Rule{"state.warm", "a call comes to the same on an instance that had calls from elsewhere", Failed, "Transport",
		"Keep nothing of an envelope in a variable, such as a configuration that is read once: the next call may come from another agent, directory or configuration."}, tool: sameWarm},
}

// worlds are other origins of the same call: the operator's settings, the caller, and the
// place.
var worlds = []edit{
	onObject("with a configuration, of another agent in another directory", func(e object) object {
		return e.with("config", []byte(`{"conformance":true,"max":1,"protected":["**/conformance/**"]}`)).within("context", elsewhere("/srv/conformance", "/home/conformance"))
	}),
	onObject("without a configuration, of a third agent", func(e object) object {
		return e.without("config").within("context", elsewhere("/", "/root"))
	}),
}

func elsewhere(cwd, home string) func(object) object {
	return func(c object) object {
		for _, name := range []string{"agent", "session", "user", "approver"} {
			c = c.with(name, []byte(`"conformance of `+cwd+`"`))
		}
		return c.with("cwd", []byte(`"`+cwd+`"`)).with("home", []byte(`"`+home+`"`)).with("working_directories", []byte(`["`+cwd+`"]`))
	}
}

// mostCold is how many of a module's tools are tried on cold instances: each is loaded
// for it.
const mostCold = 6

// sameWarm puts calls from each world to the instance of all other calls, and to a fresh one.
func sameWarm(r *run, t *toolTrial) {
	if t.index >= mostCold {
		return
	}
	for _, world := range worlds {
		if r.subject.Fresh == nil {
			r.skip(r.now.ID, "no second instance could be had")
			return
		}
		cold, err := r.subject.Fresh(r.ctx)
		if err != nil {
			r.skip(r.now.ID, "no second instance could be had: "+err.Error())
			return
		}
		for _, p := range t.probes[:min(len(t.probes), 2)] {
			r.sameInWorld(cold, p, world)
		}
	}
}

func (r *run) sameInWorld(cold trial.Runner, p *probe, world edit) {
	for _, q := range p.questions() {
		env := world.do(q.envelope)
		if env == nil {
			continue
		}
		r.try()
		want := r.putTo(cold, q.verb, env)
		if got := r.put(q.verb, env); !exactlySame(got, want) {
			r.fail(Finding{Tool: p.name, Verb: q.verb, Tried: "a call " + world.name + ", after calls from elsewhere", Input: env, Came: fmt.Sprintf("%s; on a new instance it %s", came(got), came(want))})
		}
	}
}
