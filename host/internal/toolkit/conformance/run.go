package conformance

import (
	"bytes"
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"github.com/callgate/callgate/host/internal/modules/trial"
)

// kept is how many findings of a rule a report holds.
const kept = 3

// maxInput is the largest input in a finding, in bytes.
const maxInput = 1 << 20

// run is one trial of a module. It is not safe for concurrent use.
type run struct {
	ctx     context.Context
	subject Subject
	opts    Options
	// asked counts the calls of verbs.
	asked int
	// now is the rule being tried.
	now      Rule
	findings []Finding
	found    map[string]int
	tried    map[string]int
	skipped  map[string]string
	again    *trial.Runner // a fresh instance, made once
}

func newRun(ctx context.Context, s Subject, o Options) *run {
	if o.Generated == 0 {
		o.Generated = defaultGenerated
	}
	return &run{ctx: ctx, subject: s, opts: o, found: map[string]int{}, tried: map[string]int{}, skipped: map[string]string{}}
}

// at runs f as part of a rule.
func (r *run) at(rule Rule, f func()) {
	r.now = rule
	f()
}

func (r *run) progress(doing string, done, of int) {
	if r.opts.Progress != nil {
		r.opts.Progress(doing, done, of)
	}
}

// try counts one trial of the rule.
func (r *run) try() { r.tried[r.now.ID]++ }

// skip says why a rule has nothing to try; the first reason stays.
func (r *run) skip(id, why string) {
	if r.skipped[id] == "" {
		r.skipped[id] = why
	}
}

// fail notes a finding of the rule.
func (r *run) fail(f Finding) {
	f.Rule = r.now
	r.found[f.ID]++
	same := func(g Finding) bool {
		return g.ID == f.ID && g.Tool == f.Tool && g.Verb == f.Verb && g.Tried == f.Tried
	}
	if len(f.Input) > maxInput {
		f.Input = nil
	}
	f.Input = bytes.Clone(f.Input)
	if r.keeps(f.ID) && !slices.ContainsFunc(r.findings, same) {
		r.findings = append(r.findings, f)
	}
}

func (r *run) keeps(id string) bool {
	n := 0
	for _, f := range r.findings {
		if f.ID == id {
			n++
		}
	}
	return n < kept
}

// put asks one verb.
func (r *run) put(verb string, input []byte) trial.Result {
	return r.putTo(r.subject.Runner, verb, input)
}

func (r *run) putTo(m trial.Runner, verb string, input []byte) trial.Result {
	r.asked++
	return m.Run(r.ctx, verb, input)
}

// fresh is the module in new instances; nil where it cannot be had.
func (r *run) fresh() trial.Runner {
	if r.again == nil {
		var m trial.Runner
		if r.subject.Fresh != nil {
			if again, err := r.subject.Fresh(r.ctx); err == nil {
				m = again
			}
		}
		r.again = &m
	}
	return *r.again
}

// random is a source depending on the seed and its purpose alone, so trying fewer rules changes
// no call.
func (r *run) random(what string) *rand.Rand {
	h := fnv.New64a()
	_, _ = h.Write([]byte(what)) // never fails
	return rand.New(rand.NewPCG(r.opts.Seed, h.Sum64()))
}

func (r *run) report(rules []trials) Report {
	d := r.subject.Described
	rep := Report{Module: d.Name, Version: d.Version, Seed: r.opts.Seed, Calls: r.asked, Findings: slices.Clone(r.findings)}
	for _, rule := range rules {
		res := Result{Rule: rule.Rule, Outcome: Passed, Tried: r.tried[rule.ID], Found: r.found[rule.ID]}
		switch {
		case res.Found > 0 && rule.Level == Failed:
			res.Outcome = Broken
		case res.Found > 0:
			res.Outcome = Advised
		case res.Tried == 0:
			res.Outcome, res.Why = Skipped, r.skipped[rule.ID]
			if res.Why == "" {
				res.Why = "no call of the module's tools leads here"
			}
		}
		rep.Results = append(rep.Results, res)
	}
	slices.SortStableFunc(rep.Findings, func(a, b Finding) int { return position(rules, a.ID) - position(rules, b.ID) })
	return rep
}

func position(rules []trials, id string) int {
	return slices.IndexFunc(rules, func(t trials) bool { return t.ID == id })
}
