package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/sandbox"
	"github.com/callgate/callgate/host/workbench"
)

// FuzzOptions say how long and with what a module is fuzzed.
type FuzzOptions struct {
	Options
	// Time ends it; zero means Calls alone does. Calls, unless zero, is how many tool
	// calls are made at most: with it, and without Time, the same seed does the same.
	Time  time.Duration
	Calls int
	// Most ends it at that many findings. Default 10.
	Most int
	// Progress hears how far it is, about once in a second; nil is silence.
	Progress func(FuzzReport)
}

const defaultMost = 10

// FuzzReport is what fuzzing a module came to.
type FuzzReport struct {
	Seed uint64 `json:"seed"`
	// Made counts the tool calls that were made, Asked the calls of verbs for them.
	Made    int     `json:"calls"`
	Asked   int     `json:"verbs"`
	Seconds float64 `json:"seconds"`
	// Kept counts the calls that the module answered in a way of their own; they are
	// what further calls are made of.
	Kept     int       `json:"kept"`
	Findings []Finding `json:"findings"`
}

// perCall are the rules that a fuzzer tries: those about one call.
func perCall(rules []trials) []trials {
	return slices.DeleteFunc(slices.Clone(rules), func(t trials) bool {
		return t.call == nil || t.Level == Advice || strings.HasPrefix(t.ID, "envelope.identity")
	})
}

// Fuzz makes calls of a module's tools until its time is over, tries the rules about
// one call on each, and makes what it finds small. Each finding is of another rule,
// tool or verb. The error is about the Options; ctx's end is the end.
func Fuzz(ctx context.Context, s Subject, o FuzzOptions) (FuzzReport, error) {
	rules, err := chosen(o.Only)
	if err != nil {
		return FuzzReport{}, err
	}
	if o.Most == 0 {
		o.Most = defaultMost
	}
	f := &fuzzer{run: newRun(ctx, s, o.Options), opts: o, rules: perCall(rules), begun: time.Now(), seen: map[string]bool{}}
	f.random = f.run.random("fuzz")
	for i := range s.Described.Tools {
		tool := f.run.gather(i)
		f.tools = append(f.tools, tool)
		for _, p := range slices.Clone(tool.probes) {
			if !f.over() {
				f.one(p)
			}
		}
	}
	f.tell(true)
	for !f.over() {
		t := f.tools[f.random.IntN(len(f.tools))]
		f.one(f.run.probe(t, f.next(t), fromElsewhere))
		f.tell(false)
	}
	return f.report(), nil
}

type fuzzer struct {
	run    *run
	opts   FuzzOptions
	rules  []trials
	random *rand.Rand
	tools  []*toolTrial
	begun  time.Time
	told   time.Time
	made   int
	// seen are the ways in which the module has answered.
	seen     map[string]bool
	findings []Finding
}

func (f *fuzzer) over() bool {
	switch {
	case f.run.ctx.Err() != nil, len(f.findings) >= f.opts.Most, len(f.tools) == 0:
		return true
	case f.opts.Calls > 0 && f.made >= f.opts.Calls:
		return true
	}
	return f.opts.Time > 0 && time.Since(f.begun) >= f.opts.Time || f.opts.Time == 0 && f.opts.Calls == 0
}

func (f *fuzzer) report() FuzzReport {
	kept := 0
	for _, t := range f.tools {
		kept += len(t.probes)
	}
	return FuzzReport{Seed: f.opts.Seed, Made: f.made, Asked: f.run.asked, Seconds: time.Since(f.begun).Seconds(), Kept: kept, Findings: slices.Clone(f.findings)}
}

func (f *fuzzer) tell(now bool) {
	if f.opts.Progress != nil && (now || time.Since(f.told) >= time.Second) {
		f.told = time.Now()
		f.opts.Progress(f.report())
	}
}

// one tries all rules on a call, keeps it if it was answered in a new way, and notes
// what was found.
func (f *fuzzer) one(p *probe) {
	f.made++
	if !p.ready() {
		return // the host would not ask about it
	}
	for _, found := range f.run.tryCall(f.rules, p) {
		f.note(p, found)
	}
	if way := p.way(); !f.seen[way] {
		f.seen[way] = true
		if p.from == fromElsewhere && len(p.tool.probes) < maxKept {
			p.tool.probes = append(p.tool.probes, p)
			p.tool.schema.learn(p.call.Input)
		}
	}
	p.forget()
}

// maxKept bounds the calls of a tool that others are made of.
const maxKept = 4096

// tryCall is what the rules find about one call.
func (r *run) tryCall(rules []trials, p *probe) []Finding {
	r.findings = nil
	for _, rule := range rules {
		r.at(rule.Rule, func() { rule.call(r, p) })
	}
	return r.findings
}

// note keeps the first finding of a rule, tool and verb, made small.
func (f *fuzzer) note(p *probe, found Finding) {
	same := func(g Finding) bool { return g.ID == found.ID && g.Tool == found.Tool && g.Verb == found.Verb }
	if slices.ContainsFunc(f.findings, same) || len(f.findings) >= f.opts.Most {
		return
	}
	f.findings = append(f.findings, f.shrink(p, found))
}

// way is how the module answered a call, roughly: what each verb said, and about how
// much it took.
func (p *probe) way() string {
	var out strings.Builder
	v, _ := p.verdict()
	fmt.Fprintf(&out, "%s %s %t %t", p.name, v.Behavior, v.BypassImmune, p.readOnly())
	for _, verb := range []string{sandbox.CheckPermissions, sandbox.CheckReadOnly, sandbox.GenerateSuggestions} {
		a, ok := p.ask(verb)
		fmt.Fprintf(&out, " %t %d %d", ok, log2(a.Fuel), log2(int64(len(a.Output))))
	}
	fmt.Fprintf(&out, " %d", len(p.suggestions()))
	for _, content := range p.tool.contents {
		fmt.Fprintf(&out, " %t%t", p.allows(content), p.catches(deny, content))
	}
	return out.String()
}

// log2 is a number's size in halves of powers of two.
func log2(n int64) int {
	bits := 0
	for n > 1 {
		n, bits = n*10/14, bits+1
	}
	return bits
}

// next makes a call of a tool: of its schema, or of one that was kept.
func (f *fuzzer) next(t *toolTrial) workbench.Call {
	if f.random.IntN(6) == 0 || len(t.probes) == 0 {
		if input, ok := t.schema.instance(f.random); ok {
			if strict, err := gate.StrictObject(input); err == nil {
				return workbench.Call{Tool: t.called, Input: strict}
			}
		}
	}
	c := workbench.Call{Tool: t.called, Input: []byte(`{}`)}
	if len(t.probes) > 0 {
		c = t.probes[f.random.IntN(len(t.probes))].call
	}
	c.Input = f.mutated(t, c.Input)
	return c
}

// Line is the report in one line.
func (r FuzzReport) Line() string {
	rate := 0.0
	if r.Seconds > 0 {
		rate = float64(r.Made) / r.Seconds
	}
	return fmt.Sprintf("%.0f s: %d calls, %.0f a second, %d kept, %d findings", r.Seconds, r.Made, rate, r.Kept, len(r.Findings))
}
