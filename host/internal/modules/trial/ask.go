package trial

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// The place of a call without one: that of modules' rule examples. Source: docs/abi.md.
const (
	DefaultCWD  = "/project"
	DefaultHome = "/home/user"
)

// Call is one call of a tool.
type Call struct {
	// Tool is its name or an alias; empty means the module's only one. The module gets an
	// unknown name as it is.
	Tool string
	// Input is the tool's input, a JSON object.
	Input json.RawMessage
	// Raw, where it is not nil, stands in the envelope in place of Input, in any form: for
	// bytes the host would refuse before it asks the module.
	Raw []byte
	// CWD and Home are absolute; empty means DefaultCWD and DefaultHome.
	CWD, Home string
	// WorkingDirectories: nil means the CWD alone.
	WorkingDirectories []string
	// Mode is a mode's name; empty means default.
	Mode string
	// Config is the operator's configuration of the tool; nil for none.
	Config json.RawMessage
	// Targets, where it is not nil, replace the module's resolved ones in context.targets;
	// TargetsUnknown likewise.
	Targets        []engine.Target
	TargetsUnknown *bool
	// Links are the only things in the file system: their places, and their destinations.
	Links map[string]string
	// Rules are put to match_rule, one set after the other.
	Rules []RuleSet
}

// RuleSet are rules of one behavior.
type RuleSet struct {
	// Behavior is allow, deny or ask.
	Behavior string
	Contents []string
	// Root anchors their relative patterns; empty means the first working directory.
	Root string
}

// Answer is one export's answer to an envelope.
type Answer struct {
	Verb     string
	Envelope []byte
	Result
	// Unsound is the defect the host would refuse in the Output; nil when it is fine or there
	// is none.
	Unsound error
}

// Failed is why the host has no answer: the call's error, or the defect.
func (a *Answer) Failed() error {
	if a.Err != nil {
		return a.Err
	}
	if a.Unsound != nil {
		return fmt.Errorf("answer: %w", a.Unsound)
	}
	return nil
}

// Check reads an answer from Module.Run as the host would, and sets Unsound. It is for exports
// without rules.
func (a *Answer) Check() { a.Unsound = modules.CheckAnswer(a.Verb, a.Output, 0) }

// Answers are all answers to one call, by question.
type Answers struct {
	// Tool is the name used for the module.
	Tool string
	// Describe is nil where the module has no describe_call. Again is its second answer, for
	// action and actions: nil unless links lead a path elsewhere.
	Describe, Again *Answer
	// Targets are the module's named ones, as resolved; Unknown means: it may touch others.
	Targets []engine.Target
	Unknown bool
	// Match holds one answer for each of Call.Rules.
	Check, ReadOnly, Suggest Answer
	Match                    []Answer
	// Err is why nothing could be asked, or the targets not be resolved. It is about
	// the Call, not the module.
	Err error
}

// All lists the answers in the order of the questions.
func (a *Answers) All() []*Answer {
	var all []*Answer
	for _, one := range []*Answer{a.Describe, a.Again, &a.Check, &a.ReadOnly} {
		if one != nil && one.Verb != "" {
			all = append(all, one)
		}
	}
	for i := range a.Match {
		all = append(all, &a.Match[i])
	}
	if a.Suggest.Verb != "" {
		all = append(all, &a.Suggest)
	}
	return all
}

// patience is how long the targets of one call may take: no disk is behind them, so
// an answer must not depend on how busy the machine is.
const patience = time.Minute

// Ask puts a call to the module as the host would: describe_call, its targets resolved among
// the call's links, then the other exports. A failing export does not stop the others; where
// describe_call fails, the targets are unknown.
func (m *Module) Ask(ctx context.Context, c Call) Answers {
	a := Answers{}
	_, name, err := m.Tool(c.Tool)
	switch {
	case err != nil && c.Tool == "":
		return Answers{Err: err}
	case err != nil:
		name = c.Tool
	}
	call, err := c.engine(name)
	if err != nil {
		return Answers{Tool: name, Err: err}
	}
	a.Tool = name
	q := asker{ctx, m, call, c.Raw}
	if m.Has(sandbox.DescribeCall) {
		a.Err = a.describe(q, c)
	}
	a.override(call, c)
	a.Check, a.ReadOnly = q.ask(sandbox.CheckPermissions), q.ask(sandbox.CheckReadOnly)
	for _, set := range c.Rules {
		a.Match = append(a.Match, q.match(set))
	}
	a.Suggest = q.ask(sandbox.GenerateSuggestions)
	return a
}

// describe asks describe_call, and gives the call its targets.
func (a *Answers) describe(q asker, c Call) error {
	first := q.ask(sandbox.DescribeCall)
	a.Describe = &first
	at := &q.call.Context
	at.TargetsUnknown = true
	if first.Failed() != nil {
		return nil
	}
	var said struct {
		Targets []engine.Target `json:"targets"`
		Unknown bool            `json:"targets_unknown"`
	}
	if err := json.Unmarshal(first.Output, &said); err != nil {
		return fmt.Errorf("describe_call: %w", err) // cannot be: it is sound
	}
	resolver := target.Resolver{FS: target.Links(c.Links), Limits: target.Limits{Time: patience}}
	place := target.Place{CWD: at.CWD, Home: at.Home, WorkingDirectories: at.WorkingDirectories}
	targets, err := resolver.Resolve(q.ctx, place, q.input(), said.Targets)
	if err != nil {
		return err
	}
	at.Targets, at.TargetsUnknown = targets, said.Unknown
	for _, t := range targets {
		if t.Kind == "path" && t.Error == "" && t.Resolved != t.Lexical {
			again := q.ask(sandbox.DescribeCall)
			a.Again = &again
			break
		}
	}
	return nil
}

// override replaces the targets found by the call's own.
func (a *Answers) override(call *engine.Call, c Call) {
	if c.Targets != nil {
		call.Context.Targets = c.Targets
	}
	if c.TargetsUnknown != nil {
		call.Context.TargetsUnknown = *c.TargetsUnknown
	}
	a.Targets, a.Unknown = call.Context.Targets, call.Context.TargetsUnknown
}

// engine is the call as the host has it after reading it.
func (c Call) engine(tool string) (*engine.Call, error) {
	mode := engine.DefaultMode
	if c.Mode != "" {
		var err error
		if mode, err = engine.ParseMode(c.Mode); err != nil {
			return nil, fmt.Errorf("mode: %w", err)
		}
	}
	input := json.RawMessage(noInput)
	if c.Raw == nil {
		var err error
		if input, err = strictjson.Object(c.Input); err != nil {
			return nil, fmt.Errorf("input: %w", err)
		}
	}
	cwd := cmp.Or(c.CWD, DefaultCWD)
	dirs := c.WorkingDirectories
	if dirs == nil {
		dirs = []string{cwd}
	}
	return &engine.Call{Tool: tool, Input: input, Context: engine.Context{
		Mode: mode, CWD: cwd, Home: cmp.Or(c.Home, DefaultHome), WorkingDirectories: dirs, Kind: engine.Main, Config: c.Config,
	}}, nil
}
