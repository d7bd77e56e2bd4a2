package conformance

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/host/sandbox"
)

// describeCallRules are about describe_call.
var describeCallRules = []trials{
	{Rule: Rule{"describe-call.action", "all actions of a tool have one name", Advice, "describe_call",
		"Begin each action of a tool with the same tool:NAME:, and say what the call does after it: a profile that means the tool names that beginning."}, tool: oneName},
	{Rule: Rule{"describe-call.claimed", "the paths it names stand in the input", Advice, "describe_call",
		"Name paths as the input has them. One that does not stand there counts as claimed and gives no allowance."}, call: namesInput},
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
