package gate

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/describe"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// call is one call on its way through Check, its only owner: no other goroutine sees it.
type call struct {
	// The caller's claims, read and checked.
	caller  authority.Caller
	request wire.Request
	input   json.RawMessage
	// claimed is the mode reported by the client; nil for none.
	claimed *engine.Mode
	server  *engine.Server
	// id is the client's id of the call, or one of ours; askID is its id at the broker, another
	// one for each ask.
	id, askID string
	started   time.Time
	// deadline is when the caller stops waiting; zero when it does not say.
	deadline time.Time

	// before is the judged call with the same id or followed up by this one, while its answer
	// holds; recalled means: its approval answers this one.
	before   store.Call
	recalled bool
	// edited tells that a person changed the input: this is the changed call.
	edited bool
	// trial is a folder trusted for this look alone; nil for none.
	trial *trial
	// yes is the approval of this call, kept until its row is stored; changes tells that the call
	// itself changed its session or its agent's profile.
	yes     *approval
	changes bool
	// ticket is the call's place among those under decision; 0 for none.
	ticket int

	facts
}

// facts hold for a call at the time of a decision. They are gathered anew each time: a person
// may think for an hour.
type facts struct {
	req engine.Request
	// texts are the members of the input without targets: see wire.Request.Texts.
	texts []string
	// epoch is the state of the store before the rest was gathered.
	epoch int64
	// tools are the modules for this decision, held until release.
	tools describe.Snapshot
	entry modules.Entry
	desc  modules.Description
	// undescribed is why there is no whole description; it is also in req.Err.
	undescribed error
	// settings is the configuration for this decision.
	settings *config.Config
	agent    config.Agent
	digest   string
	// trigger is the person who triggered the call; empty when unknown.
	trigger authority.Trigger
	// leaves is set when the call asks to leave explore.
	leaves *leaving
	// children are the call as seen by each of its sub-agents, the outermost first.
	children []engine.Request
	// shell are earlier changes of the shells kept by the session.
	shell []store.ShellChange
	// roots are the root of the project, those around it, and those without the caller's
	// claims.
	roots []string
	// trusted are the folders trusted by a person, as far as they count for this call.
	trusted trusted
	// configured are those of the operator's working directories, as written, in force for this
	// call.
	configured []string
}

// release releases the modules of the decision. Their answers stay.
func (f *facts) release() {
	if f.tools != nil {
		f.tools.Release()
	}
}

// key is the call's key in the ledger.
func (c *call) key() ask.Key {
	return ask.Key{Token: c.caller.Token, Session: c.req.Call.Context.Session, CallID: c.id}
}

// patience is how long an ask of this call stays visible: the agent's setting, shortened by the
// request's limit.
func (c *call) patience() time.Duration {
	if limit := c.request.Timeout; limit > 0 && limit < c.agent.Timeout {
		return limit
	}
	return c.agent.Timeout
}

func (c *call) result(d engine.Decision) wire.Result {
	return wire.Result{
		Decision: d, Action: c.desc.Action, Targets: c.req.Call.Context.Targets, Effects: c.req.Effects, Digest: c.digest,
		Module: strings.TrimSpace(c.entry.Module + " " + c.entry.Version), ModuleDigest: c.entry.Digest,
	}
}

// failed is the denial of a call for a failure of ours.
func (c *call) failed(why string) wire.Result { return c.result(denied(engine.CodeHostError, why)) }

func denied(code, reason string) engine.Decision {
	return engine.Decision{Stage: engine.StageError, Code: code, Reason: reason, Message: "The call was denied: " + reason + "."}
}
