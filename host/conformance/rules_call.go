package conformance

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/host/sandbox"
)

// describeCallRules are about describe_call.
var describeCallRules = []trials{
	{Rule: Rule{"describe-call.action", "actions are named for the tool that was asked about", Failed, "describe_call",
		"Begin each action with tool:NAME:, NAME being the envelope's tool: profiles match that text."}, call: ownActions},
	{Rule: Rule{"describe-call.claimed", "the paths it names stand in the input", Advice, "describe_call",
		"Name paths as the input has them. One that does not stand there counts as claimed and gives no allowance."}, call: namesInput},
}

func ownActions(r *run, p *probe) {
	d := p.described()
	if d == nil {
		r.skip(r.now.ID, "the module has no describe_call")
		return
	}
	for _, action := range append(slices.Clone(d.Actions), d.Action) {
		if action == "" {
			continue
		}
		r.try()
		if !strings.HasPrefix(action, "tool:"+p.name+":") {
			r.fail(p.finding(sandbox.DescribeCall, "a call of "+p.name, "the action "+brief([]byte(action))))
		}
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
