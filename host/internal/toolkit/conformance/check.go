package conformance

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
)

// Subject is the module under test.
type Subject struct {
	trial.Runner
	// Described is its description of itself, and Raw the bytes of it.
	Described modules.Described
	Raw       []byte
	// Problem is the *workbench.StepError of loading it; nil where it loads. With one
	// only the rules about loading are tried.
	Problem error
	// Fresh loads the same bytes again, in new instances.
	Fresh func(context.Context) (trial.Runner, error)
	// Imports and Exports are the names in its file: "MODULE.NAME" and NAME.
	Imports, Exports []string
}

// Of is the Subject of Bench.Load's results.
func Of(b *workbench.Bench, m *workbench.Module, problem error) Subject {
	s := Subject{Runner: m, Problem: problem}
	if m == nil {
		return s
	}
	s.Described, s.Raw = m.Description, m.RawDescription
	s.Fresh = func(ctx context.Context) (trial.Runner, error) { return b.Fresh(ctx, m) }
	if outline, err := sandbox.Look(m.Bytes()); err == nil {
		for _, i := range outline.Imports {
			s.Imports = append(s.Imports, i.Name)
		}
		for _, e := range outline.Exports {
			s.Exports = append(s.Exports, e.Name)
		}
	}
	return s
}

// Options say how a module is tried.
type Options struct {
	// Seed makes the calls; the same one makes the same calls.
	Seed uint64
	// Only are the rules to try, by id, or by beginnings of ids ("match."); empty means all.
	Only []string
	// Calls are the author's calls to try beside the generated ones, as those of a file of
	// cases.
	Calls []trial.Call
	// Fuel is the module's limit, for work.headroom; zero skips it.
	Fuel int64
	// LogLines and LogBytes are the limits of a call's log, for work.log; zero skips it.
	LogLines, LogBytes int
	// Generated is how many calls are made of each tool's input schema. Default 24.
	Generated int
	// Progress hears the current trial, and how far it is; nil is silence.
	Progress func(doing string, done, of int)
}

const defaultGenerated = 24

// Check tries the rules on a module. The error is about the Options, or ctx's: defects of the
// module are in the Report.
func Check(ctx context.Context, s Subject, o Options) (Report, error) {
	rules, err := chosen(o.Only)
	if err != nil {
		return Report{}, err
	}
	r := newRun(ctx, s, o)
	for _, rule := range rules {
		if s.Problem != nil && !strings.HasPrefix(rule.ID, "abi.") && rule.ID != describeAnswers {
			r.skip(rule.ID, "the module does not load")
			continue
		}
		if rule.module != nil {
			r.at(rule.Rule, func() { rule.module(r) })
		}
	}
	if s.Problem == nil {
		r.tools(rules)
	}
	return r.report(rules), ctx.Err()
}

// chosen are the rules named by ids, or by beginnings of ids.
func chosen(ids []string) ([]trials, error) {
	for _, id := range ids {
		if !slices.ContainsFunc(all, func(t trials) bool { return named(t.ID, id) }) {
			return nil, fmt.Errorf("no rule is %q, and none begins so: callgate tool conformance --list names them; the beginning of an id ends with a dot", id)
		}
	}
	if len(ids) == 0 {
		return all, nil
	}
	return slices.DeleteFunc(slices.Clone(all), func(t trials) bool {
		return !slices.ContainsFunc(ids, func(id string) bool { return named(t.ID, id) })
	}), nil
}

func named(id, wanted string) bool {
	return id == wanted || strings.HasSuffix(wanted, ".") && strings.HasPrefix(id, wanted)
}

// tools tries the rules about tools and calls on each tool.
func (r *run) tools(rules []trials) {
	tools := make([]*toolTrial, len(r.subject.Described.Tools))
	of := 0
	for i := range tools {
		tools[i] = r.gather(i)
		of += len(tools[i].probes)
	}
	done := 0
	for _, t := range tools {
		r.progress(t.Name, done, of)
		for _, rule := range rules {
			if rule.tool != nil && r.ctx.Err() == nil {
				r.at(rule.Rule, func() { rule.tool(r, t) })
			}
		}
		for _, p := range t.probes {
			if r.ctx.Err() != nil {
				return
			}
			r.progress(t.Name, done, of)
			r.calls(rules, p)
			done++
		}
	}
	r.progress("", of, of)
}

// calls tries the rules about one call.
func (r *run) calls(rules []trials, p *probe) {
	for _, rule := range rules {
		if rule.call != nil {
			r.at(rule.Rule, func() { rule.call(r, p) })
		}
	}
	p.forget()
}

// verbs are the exports taking an envelope.
var verbs = []string{sandbox.DescribeCall, sandbox.CheckPermissions, sandbox.CheckReadOnly, sandbox.MatchRule, sandbox.GenerateSuggestions}
