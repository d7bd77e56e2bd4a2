package console

import (
	"context"
	"encoding/json"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/store"
)

// The bounds of a simulation: a person waits for it.
const (
	simulatedDays   = 7
	simulatedCalls  = 2000
	simulatedInputs = 400
	simulatedTime   = 5 * time.Second
	shownCalls      = 100
)

// preview is the effect that a rule would have had on past calls.
type preview struct {
	// Looked is how many calls of the tool were tried, since Since; Whole means no call of that time
	// was left out.
	Looked  int
	Since   time.Time
	Whole   bool
	Matched int
	// Changed counts the calls with another outcome; Overruled those among them that a person had
	// denied and the rule would have allowed.
	Changed, Overruled int
	Calls              []pastCall
	// Unread are calls that the tool could not try: without their secrets, or cut.
	Unread int
}

// pastCall is a matching call with the change.
type pastCall struct {
	store.Row
	Effect string
	// Changes marks another outcome.
	Changes bool
}

// simulate tries a rule on the past calls of its tool, through the API. It sees the inputs as the
// audit keeps them, secrets masked.
func (s *Server) simulate(ctx context.Context, of *session, n protocol.NewRule) (*preview, error) {
	rule, err := engine.ParseRule(n.Rule)
	if err != nil {
		return nil, refuse(400, err.Error())
	}
	p := &preview{Since: s.c.Now().AddDate(0, 0, -simulatedDays), Whole: true}
	if engine.IsEffectName(rule.Tool) {
		return nil, nil // about what calls do, which the audit does not keep
	}
	f := store.Filter{Event: store.EventDecision, Tool: s.toolName(ctx, of, rule.Tool), Since: p.Since, Newest: true, Limit: 1000}
	switch n.Scope {
	case engine.Agent:
		f.Agent = n.ScopeKey
	case engine.Session:
		f.Session = n.ScopeKey
	}
	deadline := time.Now().Add(simulatedTime)
	tried := map[string]bool{}
	for {
		page, err := of.client.Audit(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, row := range page.Rows {
			if p.Looked >= simulatedCalls {
				p.Whole = false
				return p, nil
			}
			hit, known := tried[row.Input]
			if !known {
				if len(tried) >= simulatedInputs || time.Now().After(deadline) {
					p.Whole = false
					return p, nil
				}
				hit, err = of.client.TestRule(ctx, protocol.RuleTest{Rule: n, Tool: row.Tool, Input: json.RawMessage(row.Input)})
				if err != nil && len(tried) == 0 {
					return nil, err // the rule itself is refused
				}
				if err != nil {
					p.Unread++
					continue
				}
				tried[row.Input] = hit
			}
			p.Looked++
			if hit {
				p.add(row, *n.Behavior)
			}
		}
		if page.Next == 0 {
			return p, nil
		}
		f.Before = page.Next
	}
}

// toolName is a tool's name as the audit has it; a pattern over names chooses every call.
func (s *Server) toolName(ctx context.Context, of *session, name string) string {
	if tool, err := of.client.Tool(ctx, name); err == nil {
		return tool.Name
	}
	return name
}

func (p *preview) add(row store.Row, b engine.Behavior) {
	c := pastCall{Row: row}
	c.Effect, c.Changes = effectOn(row, b)
	p.Matched++
	if c.Changes {
		p.Changed++
		if b == engine.Allow && row.Decision == store.AskDenied {
			p.Overruled++
		}
	}
	if len(p.Calls) < shownCalls {
		p.Calls = append(p.Calls, c)
	}
}

// effectOn tells how a matching rule would have changed a call, by the step that decided it then: a
// step before the rule's own decides all the same.
func effectOn(row store.Row, b engine.Behavior) (effect string, changes bool) {
	stage := engine.Stage(row.Stage)
	denied := row.Decision == store.Denied
	asked := row.Decision != store.Allowed && !denied
	switch {
	case b == engine.Deny && denied:
		return "denied as before", false
	case b == engine.Deny:
		return "would have been denied", true
	case b == engine.Ask && asked:
		return "asks as before", false
	case b == engine.Ask && denied:
		return "denied as before", false
	case b == engine.Ask:
		return "would have asked", true
	case row.Decision == store.Allowed:
		return "allowed as before", false
	case stage == engine.StageMode:
		return "would have run without a question", true
	}
	return "no change: decided by an earlier step", false
}
