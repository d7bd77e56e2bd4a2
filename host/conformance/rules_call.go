package conformance

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/host/sandbox"
)

// describeCallRules are about describe_call.
var describeCallRules = []trials{
	{Rule: Rule{"describe-call.action", "actions are named for the tool that was asked about", Advice, "describe_call",
		"Begin each action with tool:NAME:, NAME being the tool's, in whatever case: profiles match that text, and people write their patterns by it."}, call: ownActions},
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
		if name, _, _ := strings.Cut(strings.TrimPrefix(action, "tool:"), ":"); !p.tool.resembles(name) && !alike(p.name, name) {
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

// resembles reports whether a name is one of the tool's, or part of one, but for case
// and dashes.
func (t *toolTrial) resembles(name string) bool {
	return alike(t.Name, name) || slices.ContainsFunc(t.Aliases, func(a string) bool { return alike(a, name) })
}

func alike(a, b string) bool {
	plain := strings.NewReplacer("_", "", "-", "", "*", "")
	a, b = plain.Replace(strings.ToLower(a)), plain.Replace(strings.ToLower(b))
	return b != "" && strings.Contains(a, b)
}
