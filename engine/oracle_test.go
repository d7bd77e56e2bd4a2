package engine_test

import (
	"slices"

	"github.com/callgate/callgate/engine"
)

// The oracle computes Decide's required answer. It is written from AgentScope's five
// flowcharts, one function each, and from the table of the package comment for the parts
// outside the charts: the error row, the rules of a project's file, the tool lists, profiles,
// cross-tool rules and the conversions. It shares no code with the engine but its types.

// answer is the oracle's answer.
type answer struct {
	behavior engine.Behavior
	stage    engine.Stage
	immune   bool
	// askRule marks an ask of an untried ask rule.
	askRule bool
}

// finding is the result of the rules of one step.
type finding int

const (
	nothing finding = iota
	matched
	matchedProject // only by a rule of a project's file
	failed
	failedProject // failed, and only rules of a project's file were tried
)

// world is the request seen through the charts' diamonds.
type world struct {
	deny, ask, allow finding
	protected        bool // would touch the gate itself
	listed           bool // denied by a tool list
	profile          *engine.Behavior
	broken           bool // the module or the host failed before the charts
	readOnly         tri
	verdict          engine.Verdict
	verdictErr       bool
}

type tri int

const (
	no tri = iota
	yes
	broke
)

var (
	denied  = answer{behavior: engine.Deny}
	allowed = answer{behavior: engine.Allow}
)

func (a answer) ofAskRule() answer { a.askRule = true; return a }

func (a answer) at(s engine.Stage) answer { a.stage = s; return a }

// errorRow is the table's row "3 error".
func errorRow(mode engine.Mode) answer {
	if mode == engine.Explore || mode == engine.DontAsk {
		return denied.at(engine.StageError)
	}
	return answer{behavior: engine.Ask, stage: engine.StageError}
}

func (w world) oracle(mode engine.Mode) answer {
	switch {
	case w.protected, w.listed:
		return denied.at(engine.StageDenyRule)
	case w.profile != nil && *w.profile == engine.Deny:
		return denied.at(engine.StageProfile)
	case w.deny == matched || w.deny == matchedProject:
		return denied.at(engine.StageDenyRule)
	case w.deny == failed || w.deny == failedProject:
		return denied.at(engine.StageError)
	case w.broken:
		return errorRow(mode)
	}
	chart := map[engine.Mode]func(world) answer{
		engine.DefaultMode: world.defaultChart, engine.Explore: world.exploreChart, engine.AcceptEdits: world.acceptEditsChart,
		engine.Bypass: world.bypassChart, engine.Trusted: world.bypassChart, engine.DontAsk: world.dontAskChart,
	}[mode]
	asked := answer{behavior: engine.Ask, stage: engine.StageAskRule}
	if mode == engine.DontAsk {
		asked.behavior = engine.Deny
	}
	profileAsks := w.profile != nil && *w.profile == engine.Ask
	switch {
	case w.ask == matched:
		return asked
	case w.ask == failed:
		return errorRow(mode).ofAskRule()
	case profileAsks && w.ask == nothing:
		asked = asked.at(engine.StageProfile)
	case w.ask == nothing:
		return chart(w)
	}
	// A project's file, and a profile, may only tighten the chart's answer without it.
	rest := chart(w)
	if rest.behavior == engine.Deny {
		return rest
	}
	if w.ask == failedProject {
		asked = errorRow(mode).ofAskRule()
	}
	asked.immune = rest.immune && asked.behavior == engine.Ask
	return asked
}

// tail is the common part of three charts: allow rules, then the mode.
func (w world) tail(mode engine.Mode, fallback engine.Behavior) answer {
	switch {
	case w.allow == failed:
		return errorRow(mode)
	case w.allow == matched:
		return allowed.at(engine.StageAllowRule)
	}
	return answer{behavior: fallback, stage: engine.StageMode}
}

func (w world) defaultChart() answer { return w.checked(engine.DefaultMode) }

// checked is the chart DEFAULT from "Tool check_permissions" on.
func (w world) checked(mode engine.Mode) answer {
	switch {
	case w.verdictErr:
		return errorRow(mode)
	case w.verdict.Behavior == engine.Allow:
		return allowed.at(engine.StageToolCheck)
	case w.verdict.Behavior == engine.Deny:
		return denied.at(engine.StageToolCheck)
	case w.verdict.Behavior == engine.Ask && w.verdict.BypassImmune:
		return answer{behavior: engine.Ask, stage: engine.StageToolCheck, immune: true}
	}
	return w.tail(mode, engine.Ask)
}

func (w world) exploreChart() answer {
	switch w.readOnly {
	case yes:
		return allowed.at(engine.StageReadOnly)
	case broke:
		return errorRow(engine.Explore)
	}
	return denied.at(engine.StageReadOnly)
}

func (w world) acceptEditsChart() answer {
	switch w.readOnly {
	case yes:
		return allowed.at(engine.StageReadOnly)
	case broke:
		return errorRow(engine.AcceptEdits)
	}
	return w.checked(engine.AcceptEdits)
}

func (w world) bypassChart() answer {
	switch {
	case w.verdictErr:
		return errorRow(engine.Bypass)
	case w.verdict.Behavior == engine.Allow:
		return allowed.at(engine.StageToolCheck)
	case w.verdict.Behavior == engine.Deny:
		return denied.at(engine.StageToolCheck)
	}
	return w.tail(engine.Bypass, engine.Allow)
}

func (w world) dontAskChart() answer {
	switch {
	case w.verdictErr:
		return errorRow(engine.DontAsk)
	case w.verdict.Behavior == engine.Allow:
		return allowed.at(engine.StageToolCheck)
	case w.verdict.Behavior == engine.Deny, w.verdict.Behavior == engine.Ask:
		return denied.at(engine.StageToolCheck)
	}
	return w.tail(engine.DontAsk, engine.Deny)
}

// converted is "After the table".
func (a answer) converted(c engine.Context, resumeAsks string) answer {
	hit := a.stage == engine.StageAskRule || a.stage == engine.StageProfile || a.askRule
	nobody := c.Approver == "" || resumeAsks == "deny"
	if a.behavior == engine.Ask && (c.Kind == engine.Background || (c.Resumed && hit && nobody)) {
		a.behavior, a.immune = engine.Deny, false
	}
	return a
}

// find reads one step's finding out of the rules and a scripted tool.
func find(rules []engine.Rule, names []string, b engine.Behavior, tool *stub, broken bool) finding {
	var own, project, tried, triedOwn bool
	for _, r := range rules {
		fromProject := r.Source == engine.SourceProjectFile
		if r.Behavior != b || !slices.Contains(names, r.Tool) || (fromProject && b == engine.Allow) {
			continue
		}
		whole := r.Content == nil
		if !whole {
			tried = true
			triedOwn = triedOwn || !fromProject
		}
		if whole || slices.Contains(tool.hits, *r.Content) && tool.matchErr[b] == nil && !broken {
			own = own || (!fromProject && whole)
			project = project || fromProject
			if !whole && !fromProject {
				own = true
			}
		}
	}
	switch {
	case own:
		return matched
	case tried && (broken || tool.matchErr[b] != nil) && triedOwn:
		return failed
	case tried && (broken || tool.matchErr[b] != nil):
		return failedProject
	case project:
		return matchedProject
	}
	return nothing
}
