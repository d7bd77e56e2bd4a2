package conformance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// FuzzOptions are the time and the parameters of fuzzing a module.
type FuzzOptions struct {
	Options
	// Time ends it; zero means Calls alone does. Calls, unless zero, is how many tool
	// calls are made at most: with it, and without Time, the same seed does the same.
	Time  time.Duration
	Calls int
	// Most ends it at so many findings. Default 10.
	Most int
	// Progress hears how far it is, about once in a second; nil is silence.
	Progress func(FuzzReport)
}

const defaultMost = 10

// FuzzReport is the result of fuzzing a module.
type FuzzReport struct {
	Seed uint64 `json:"seed"`
	// Made counts the tool calls, Asked the calls of verbs for them.
	Made    int     `json:"calls"`
	Asked   int     `json:"verbs"`
	Seconds float64 `json:"seconds"`
	// Kept counts the calls with a new kind of answer; further calls are made of them.
	Kept     int       `json:"kept"`
	Findings []Finding `json:"findings"`
}

// perCall are the fuzzer's rules: those about one call.
func perCall(rules []trials) []trials {
	return slices.DeleteFunc(slices.Clone(rules), func(t trials) bool {
		return t.call == nil || t.Level == Advice || strings.HasPrefix(t.ID, "envelope.identity")
	})
}

// Fuzz makes calls of a module's tools until its time is over, tries the rules about one call
// on each, and minimises its findings. Each finding is of another rule, tool or verb. The error
// is about the Options; ctx's end is the end.
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
	// seen are the module's kinds of answers so far.
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

// one tries all rules on a call, keeps it if its answer was of a new kind, and notes the
// findings.
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

// maxKept bounds the kept calls of a tool.
const maxKept = 4096

// tryCall are the rules' findings about one call.
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

// way is the rough kind of a module's answer to a call: the answer of each verb, and its
// approximate cost.
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

// next makes a call of a tool: of its schema, or of a kept one.
func (f *fuzzer) next(t *toolTrial) trial.Call {
	if f.random.IntN(6) == 0 || len(t.probes) == 0 {
		if input, ok := t.schema.instance(f.random); ok {
			if strict, err := strictjson.Object(input); err == nil {
				return trial.Call{Tool: t.called, Input: strict}
			}
		}
	}
	c := trial.Call{Tool: t.called, Input: []byte(`{}`)}
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
