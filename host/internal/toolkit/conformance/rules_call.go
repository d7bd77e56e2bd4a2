package conformance

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// describeCallRules are about describe_call.
var describeCallRules = []trials{
	{Rule: Rule{"describe-call.action", "all actions of a tool have one name", Advice, "describe_call",
		"Begin each action of a tool with the same tool:NAME:, and say what the call does after it: a profile that means the tool names that beginning."}, tool: oneName},
	{Rule: Rule{"describe-call.claimed", "the paths it names stand in the input", Advice, "describe_call",
		"Name paths as the input has them. One that does not stand there counts as claimed and gives no allowance."}, call: namesInput},
	{Rule: Rule{"describe-call.effects", "it says effects only to a host that reads them", Failed, "describe_call",
		"Leave effects out unless the envelope says \"effects\": true: older hosts refuse the member, and with it every call."}, call: effectsAsked},
}

func oneName(r *run, t *toolTrial) {
	if !r.subject.Has(sandbox.DescribeCall) {
		r.skip(r.now.ID, "the module has no describe_call")
		return
	}
	name := ""
	for _, p := range t.probes {
		d := p.described()
		if d == nil {
			continue
		}
		for _, action := range append(slices.Clone(d.Actions), d.Action) {
			own, _, ok := strings.Cut(strings.TrimPrefix(action, "tool:"), ":")
			if action == "" || !ok {
				continue
			}
			r.try()
			if name != "" && own != name {
				r.fail(p.finding(sandbox.DescribeCall, "all calls of "+t.Name, "actions named "+name+" and "+brief([]byte(own))))
			}
			name = own
		}
		p.forget()
	}
}

func effectsAsked(r *run, p *probe) {
	if !r.subject.Has(sandbox.DescribeCall) || !p.ready() {
		return
	}
	a, _ := p.ask(sandbox.DescribeCall)
	envelope := parseObject(a.Envelope)
	if envelope == nil {
		return
	}
	r.try()
	res := r.put(sandbox.DescribeCall, envelope.without("effects").text())
	if answer := parseObject(res.Output); res.Err == nil && answer.get("effects") != nil {
		r.fail(p.finding(sandbox.DescribeCall, "a host that does not read effects", "effects "+brief(answer.get("effects"))))
	}
}

func namesInput(r *run, p *probe) {
	if !p.ready() {
		return
	}
	for _, target := range p.asking.Targets {
		r.try()
		if target.Claimed {
			r.fail(p.finding(sandbox.DescribeCall, "a call from "+string(p.from), "the target "+brief([]byte(target.Value))+" does not stand in the input"))
		}
	}
}
