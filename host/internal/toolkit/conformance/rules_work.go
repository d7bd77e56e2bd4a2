package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/modules/trial"
)

// workRules are about fuel, time and size.
var workRules = []trials{
	{Rule: Rule{"work.bounded", "calls of 32 KiB and less are judged within the limits", Failed, "Transport",
		"Find what is slow (callgate tool bench): quadratic loops over the text, joining texts in a loop, a matcher that goes back."}, tool: bounded},
	{Rule: Rule{"work.growth", "the fuel grows about as the input does", Advice, "Transport",
		"Read the input once. Where the fuel grows as the square, an agent makes calls that cannot be judged by writing longer ones."}, tool: growth},
	{Rule: Rule{"work.patterns", "a rule of many * is matched within the limits", Advice, "match_rule",
		"Match * without recursion: remember the last * and go on from there; a matcher that tries all ways needs time without end."}, tool: patterns},
	{Rule: Rule{"work.huge", "answers to calls of 1 MiB and of 15 MiB stay within the caps", Advice, "Transport",
		"Cut what you repeat of a call: a title, a preview, an action; propose no rule with a content of more than 4 KiB."}, tool: huge},
	{Rule: Rule{"work.headroom", "its own examples take less than half of the fuel", Advice, "Transport",
		"Do less at each call: what is made of constants can be made at start, in _initialize, before the first call."}, tool: headroom},
	{Rule: Rule{"work.log", "its own examples log less than a quarter of what a call may", Advice, "Caps",
		"Log what an operator has to act on, and once: why a call is judged as it is belongs into the answer. What is beyond the cap is dropped, with what matters in it."}, tool: logs},
}

// fillers are the paddings of texts.
var fillers = []string{"a", "a/", "a ", "*", "-", "\\\"", "é"}

// inFull is how many tools of a module are put to all kinds of long calls; the tools
// of one module have most of their code together.
const inFull = 4

// sizes double; the last two show growth.
var sizes = []int{4 << 10, 8 << 10, 16 << 10, 32 << 10}

// grown is a call with a text made longer.
type grown struct {
	name   string
	filler string
	base   *probe
	at     object
}

// growths are the ways to make calls of a tool longer: each text of its first call, filled with
// each filler.
func (t *toolTrial) growths() (list []grown) {
	some := fillers
	if t.index >= inFull {
		some = fillers[:2]
	}
	for _, p := range t.bases()[:min(1, len(t.probes))] {
		o := parseObject(p.call.Input)
		for _, m := range o {
			if !bytes.HasPrefix(m.value, []byte(`"`)) || len(list) >= 2*len(some) {
				continue
			}
			for _, filler := range some {
				list = append(list, grown{m.name, filler, p, o})
			}
		}
	}
	return list
}

// call is the call with a text of some size.
func (g grown) call(size int) trial.Call {
	c := g.base.call
	value := g.at.get(g.name)
	long := append(bytes.Clone(value[:len(value)-1]), strings.Repeat(g.filler, size/len(g.filler))...)
	c.Input = g.at.with(g.name, append(long, '"')).text()
	return c
}

// each puts one size of a call to all verbs, with the tool's rules.
func (r *run) each(t *toolTrial, c trial.Call, do func(trial.Answer)) {
	p := r.probe(t, c, fromElsewhere)
	if !p.ready() {
		return
	}
	for _, verb := range verbs {
		if !r.subject.Has(verb) {
			continue
		}
		var a trial.Answer
		if verb == sandbox.MatchRule {
			if len(t.contents) == 0 {
				continue
			}
			a, _ = p.matching(allow, t.contents...)
		} else {
			a, _ = p.ask(verb)
		}
		do(a)
	}
}

// limitOf is the limit that ended a call; empty for none.
func limitOf(err error) string {
	var failed *sandbox.Error
	if errors.As(err, &failed) {
		return failed.Limit
	}
	return ""
}

func bounded(r *run, t *toolTrial) {
	for _, g := range t.growths() {
		size := sizes[len(sizes)-1]
		r.each(t, g.call(size), func(a trial.Answer) {
			r.try()
			if limit := limitOf(a.Err); limit != "" {
				r.fail(Finding{Tool: t.called, Verb: a.Verb, Tried: fmt.Sprintf("%s with %q %d times", g.name, g.filler, size/len(g.filler)), Input: a.Envelope, Came: a.Err.Error()})
			}
		})
	}
}

// square is the exponent of reportable growth: 1 is as the input, 2 its square.
const square = 1.7

// little is the fuel below which growth means nothing.
const little = 1_000_000

func growth(r *run, t *toolTrial) {
	for _, g := range t.growths() {
		fuel := map[string][]int64{}
		for _, size := range sizes {
			r.each(t, g.call(size), func(a trial.Answer) {
				if a.Err == nil || limitOf(a.Err) != "" {
					fuel[a.Verb] = append(fuel[a.Verb], a.Fuel)
				}
			})
		}
		for _, verb := range verbs {
			f := fuel[verb]
			if len(f) < len(sizes) {
				continue
			}
			r.try()
			if e := exponent(f); f[len(f)-1] > little && e > square {
				r.fail(Finding{Tool: t.called, Verb: verb, Input: g.call(sizes[0]).Input, Tried: fmt.Sprintf("%s with many %q", g.name, g.filler),
					Came: fmt.Sprintf("fuel %d for 4 KiB, %d for 8, %d for 16, %d for 32: it grows as the input to the power of %.1f", f[0], f[1], f[2], f[3], e)})
			}
		}
	}
}

// exponent is e where fuel grows as size^e, for doubling sizes; zero where it does not grow
// from each size to the next. Constant costs drop out of the differences. The lesser of the
// last two steps counts.
func exponent(fuel []int64) float64 {
	least := math.Inf(1)
	for i := 2; i < len(fuel); i++ {
		before, step := fuel[i-1]-fuel[i-2], fuel[i]-fuel[i-1]
		if before <= 0 || step <= 0 {
			return 0
		}
		least = min(least, math.Log2(float64(step)/float64(before)))
	}
	return least
}

// patterns puts rules of many * to calls with long texts.
func patterns(r *run, t *toolTrial) {
	for _, g := range t.growths() {
		if g.filler != "a" && g.filler != "a/" {
			continue
		}
		for _, content := range []string{strings.Repeat("a*", 24) + "zq", strings.Repeat("*a", 24) + "*zq", strings.Repeat("**/", 24) + "zq", g.name + ":" + strings.Repeat("a*", 24) + "zq"} {
			p := r.probe(t, g.call(2<<10), fromElsewhere)
			for _, behavior := range []string{allow, deny} {
				r.try()
				if a, ok := p.matching(behavior, content); !ok && limitOf(a.Err) != "" {
					r.fail(Finding{Tool: t.called, Verb: sandbox.MatchRule, Input: a.Envelope, Tried: fmt.Sprintf("the %s rule %q on a call of 2 KiB", behavior, content), Came: a.Err.Error()})
				}
			}
		}
	}
}

// huge puts calls of 1 and 15 MiB. Running out of fuel or memory is no fault there; an invalid
// answer is.
func huge(r *run, t *toolTrial) {
	if t.index >= inFull {
		return
	}
	for _, g := range t.growths()[:min(1, len(t.growths()))] {
		for _, size := range []int{1 << 20, 15 << 20} {
			if size > 1<<20 && t.index > 0 {
				continue
			}
			r.each(t, g.call(size), func(a trial.Answer) {
				r.try()
				var failed *sandbox.Error
				if errors.As(a.Err, &failed) && failed.Kind == sandbox.KindOutput || a.Unsound != nil {
					r.fail(Finding{Tool: t.called, Verb: a.Verb, Tried: fmt.Sprintf("%s with %d bytes", g.name, size), Came: came(a.Result)})
				}
			})
		}
	}
}

func headroom(r *run, t *toolTrial) {
	limit := r.opts.Fuel
	if limit == 0 {
		r.skip(r.now.ID, "the limit of fuel is not known")
		return
	}
	r.ordinary(t, func(a trial.Answer) string {
		if a.Fuel <= limit/2 {
			return ""
		}
		return fmt.Sprintf("%d of %d", a.Fuel, limit)
	})
}

// logs checks the log of ordinary calls: an operator's log has all of it, at each call.
func logs(r *run, t *toolTrial) {
	lines, size := r.opts.LogLines, r.opts.LogBytes
	if lines == 0 || size == 0 {
		r.skip(r.now.ID, "the limits of what a call may log are not known")
		return
	}
	r.ordinary(t, func(a trial.Answer) string {
		if a.LogLines <= lines/4 && a.LogBytes <= size/4 {
			return ""
		}
		return fmt.Sprintf("%d lines with %d bytes; a call may log %d with %d", a.LogLines, a.LogBytes, lines, size)
	})
}

// ordinary puts the author's own examples, and fails where much reports an excess.
func (r *run) ordinary(t *toolTrial, much func(a trial.Answer) string) {
	for _, p := range t.probes {
		if p.from != fromAuthor {
			continue
		}
		for _, q := range p.questions() {
			r.try()
			if came := much(q.answer); came != "" {
				r.fail(Finding{Tool: t.called, Verb: q.verb, Tried: "a call from " + string(p.from), Input: q.envelope, Came: came})
			}
		}
		p.forget()
	}
}
