package conformance

import (
	"encoding/json"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// verdictRules are about check_permissions and check_read_only.
var verdictRules = []trials{
	{Rule: Rule{"read-only.consistent", "read_only is never true of a call that check_permissions denies or asks about bypass-immune", Failed, "check_read_only",
		"Answer check_read_only false wherever check_permissions answers deny, or ask with bypass_immune."}, call: consistent},
	{Rule: Rule{"read-only.always-changes", "read_only is never true for a tool that always changes", Failed, "describe",
		"Leave always_changes out, or answer check_read_only false for each call of the tool."}, call: alwaysChanges},
	{Rule: Rule{"check.targets", "no allow of a call with targets that were not resolved, or that the input does not name", Failed, "Envelope",
		"Before you answer allow, look at context.targets: none may have error or claimed, and resolved and lexical must both be what you allow."}, call: heedsTargets},
}

func consistent(r *run, p *probe) {
	r.try()
	if v, ok := p.verdict(); ok && v.immune() && p.readOnly() {
		f := p.finding(sandbox.CheckReadOnly, "a call from "+string(p.from), "read_only true, and check_permissions answered "+v.Behavior)
		f.Case = p.readOnlyCase()
		r.fail(f)
	}
}

func alwaysChanges(r *run, p *probe) {
	if !p.tool.AlwaysChanges {
		r.skip(r.now.ID, "no tool declares always_changes")
		return
	}
	r.try()
	if p.readOnly() {
		f := p.finding(sandbox.CheckReadOnly, "a call from "+string(p.from), "read_only true")
		f.Case = p.readOnlyCase()
		r.fail(f)
	}
}

// heedsTargets spoils the targets of allowed calls.
func heedsTargets(r *run, p *probe) {
	if v, ok := p.verdict(); !ok || v.Behavior != allow || len(p.asking.Targets) == 0 {
		return
	}
	a, _ := p.ask(sandbox.CheckPermissions)
	for _, spoiled := range []struct {
		what  string
		spoil func(*engine.Target)
	}{
		{"a target with an error", func(t *engine.Target) {
			*t = engine.Target{Kind: t.Kind, Value: t.Value, Access: t.Access, Error: "permission denied"}
		}},
		{"a target that is claimed", func(t *engine.Target) { t.Claimed = true }},
	} {
		targets := append([]engine.Target(nil), p.asking.Targets...)
		for i := range targets {
			spoiled.spoil(&targets[i])
		}
		text, err := json.Marshal(targets)
		if err != nil {
			continue
		}
		input := parseObject(a.Envelope).within("context", func(c object) object { return c.with("targets", text) }).text()
		r.try()
		if given := allowance(sandbox.CheckPermissions, r.put(sandbox.CheckPermissions, input), 0); given != "" {
			r.fail(Finding{Tool: p.name, Verb: sandbox.CheckPermissions, Tried: spoiled.what, Input: input, Came: given})
		}
	}
}
