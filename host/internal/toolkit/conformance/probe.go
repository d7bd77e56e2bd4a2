package conformance

import (
	"encoding/json"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
)

// origin is where a call comes from.
type origin string

const (
	fromAuthor    origin = "the author" // a rule example or a case
	fromSchema    origin = "the schema" // made of input_schema, valid by it
	fromElsewhere origin = "nowhere"    // anything, as a fuzzer makes it
)

// probe is one call with the module's answers to it, each question put once.
type probe struct {
	r    *run
	tool *toolTrial
	call trial.Call
	from origin
	// name is the module's name for it.
	name   string
	asking *trial.Asking
	err    error // about the call: nothing can be asked
	known  map[string]trial.Answer
}

func (r *run) probe(t *toolTrial, c trial.Call, from origin) *probe {
	return &probe{r: r, tool: t, call: c, from: from, name: c.Tool}
}

// forget drops the possibly large answers.
func (p *probe) forget() { p.asking, p.known = nil, nil }

// ready describes the call, once.
func (p *probe) ready() bool {
	if p.asking == nil && p.err == nil {
		p.known = map[string]trial.Answer{}
		p.asking, p.err = trial.Begin(p.r.ctx, p.r.subject.Runner, p.name, p.call)
		p.r.asked++
	}
	return p.err == nil
}

// ask puts a verb about the call alone.
func (p *probe) ask(verb string) (trial.Answer, bool) {
	return p.once(verb, func() trial.Answer { return p.asking.Put(verb) })
}

func (p *probe) once(key string, put func() trial.Answer) (trial.Answer, bool) {
	if !p.ready() {
		return trial.Answer{}, false
	}
	a, known := p.known[key]
	if !known {
		p.r.asked++
		a = put()
		p.known[key] = a
	}
	return a, a.Failed() == nil
}

// matching puts rules of one behavior.
func (p *probe) matching(behavior string, contents ...string) (trial.Answer, bool) {
	return p.rooted(behavior, "", contents...)
}

func (p *probe) rooted(behavior, root string, contents ...string) (trial.Answer, bool) {
	key, err := json.Marshal([]any{behavior, root, contents})
	if err != nil {
		return trial.Answer{}, false // cannot be: texts are JSON
	}
	return p.once(string(key), func() trial.Answer {
		return p.asking.Match(trial.RuleSet{Behavior: behavior, Contents: contents, Root: root})
	})
}

// matched are the matching rules; ok is false when there is no answer.
func (p *probe) matched(behavior string, contents ...string) (indices []int, ok bool) {
	a, ok := p.matching(behavior, contents...)
	if !ok {
		return nil, false
	}
	return indicesOf(a.Output), true
}

// allows and catches report whether one rule alone matches, as an allow rule or as a
// rule of a stricter behavior. No answer allows nothing and catches everything.
func (p *probe) allows(contents ...string) bool {
	indices, ok := p.matched(allow, contents...)
	return ok && len(indices) > 0
}

func (p *probe) catches(behavior, content string) bool {
	indices, ok := p.matched(behavior, content)
	return !ok || len(indices) > 0
}

func (p *probe) verdict() (v verdict, ok bool) {
	a, ok := p.ask(sandbox.CheckPermissions)
	if ok {
		ok = json.Unmarshal(a.Output, &v) == nil
	}
	return v, ok
}

// readOnly is false without an answer.
func (p *probe) readOnly() bool {
	a, ok := p.ask(sandbox.CheckReadOnly)
	return ok && saysReadOnly(a.Output)
}

func (p *probe) suggestions() []engine.SuggestedRule {
	a, ok := p.ask(sandbox.GenerateSuggestions)
	if !ok {
		return nil
	}
	var answer struct {
		Rules []engine.SuggestedRule `json:"rules"`
	}
	if json.Unmarshal(a.Output, &answer) != nil {
		return nil
	}
	return answer.Rules
}

// described is nil without an answer, or without describe_call.
func (p *probe) described() *described {
	if !p.r.subject.Has(sandbox.DescribeCall) {
		return nil
	}
	a, ok := p.ask(sandbox.DescribeCall)
	if !ok {
		return nil
	}
	var d described
	if json.Unmarshal(a.Output, &d) != nil {
		return nil
	}
	return &d
}

// finding begins a Finding about the call.
func (p *probe) finding(verb, tried, came string) Finding {
	f := Finding{Tool: p.name, Verb: verb, Tried: tried, Came: came}
	if a, ok := p.known[verb]; ok {
		f.Input = a.Envelope
	}
	if f.Input == nil {
		f.Input = p.call.Input
	}
	return f
}

// The behaviors of rules.
const (
	allow = "allow"
	deny  = "deny"
	ask   = "ask"
)

type verdict struct {
	Behavior     string `json:"behavior"`
	BypassImmune bool   `json:"bypass_immune"`
}

// immune reports whether no rule lets the call run.
func (v verdict) immune() bool { return v.Behavior == deny || v.BypassImmune }

type described struct {
	Action         string   `json:"action"`
	Actions        []string `json:"actions"`
	TargetsUnknown bool     `json:"targets_unknown"`
	Analysed       *bool    `json:"analysed"`
	ChangesShell   []string `json:"changes_shell"`
}

func indicesOf(answer []byte) []int {
	var m struct {
		Matched []int `json:"matched"`
	}
	if json.Unmarshal(answer, &m) != nil {
		return nil
	}
	return m.Matched
}

func saysReadOnly(answer []byte) bool {
	var a struct {
		ReadOnly bool `json:"read_only"`
	}
	return json.Unmarshal(answer, &a) == nil && a.ReadOnly
}

// sound reports whether the host accepts an answer.
func sound(verb string, res trial.Result, rules int) error {
	if res.Err != nil {
		return res.Err
	}
	return modules.CheckAnswer(verb, res.Output, rules)
}

// allowance is the permission in an answer; empty for none.
func allowance(verb string, res trial.Result, rules int) string {
	if sound(verb, res, rules) != nil {
		return ""
	}
	switch verb {
	case sandbox.CheckPermissions:
		var v verdict
		if json.Unmarshal(res.Output, &v) == nil && v.Behavior == allow {
			return "check_permissions answered allow"
		}
	case sandbox.CheckReadOnly:
		if saysReadOnly(res.Output) {
			return "check_read_only answered true"
		}
	case sandbox.MatchRule:
		if len(indicesOf(res.Output)) > 0 {
			return "an allow rule matched"
		}
	}
	return ""
}
