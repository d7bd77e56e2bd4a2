package replay

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Outcome is the result of one call. Paths are as recorded.
type Outcome struct {
	Source  string          `json:"source"`
	Session string          `json:"session"`
	Seq     int             `json:"seq"`
	Tool    string          `json:"tool"`
	Input   json.RawMessage `json:"input"`
	CWD     string          `json:"cwd,omitempty"`
	Outcome store.Outcome   `json:"outcome"`

	Asked  bool   `json:"asked,omitempty"`
	Stage  string `json:"stage,omitempty"`
	Code   string `json:"code,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Offending are the uncovered parts of the call.
	Offending []string `json:"offending,omitempty"`
	Safety    bool     `json:"safety,omitempty"`
	// Suggestions are the rules on offer with their sets, Note why there are none.
	Suggestions []offered `json:"suggestions,omitempty"`
	Note        string    `json:"note,omitempty"`
	// Stored are the accepted rules, Refused the reasons for failures.
	Stored  []string `json:"stored,omitempty"`
	Refused string   `json:"answer_error,omitempty"`
	// Rule is the content of the deciding rule.
	Rule string `json:"rule,omitempty"`
	Deny string `json:"deny,omitempty"`
	// Error says why the call could not be decided.
	Error string `json:"error,omitempty"`
	// Repeat means: the very same call caused an ask before in the session. KindRepeat is
	// "stored" after a similar one with stored rules, "not stored" after one without.
	Repeat     bool   `json:"repeat,omitempty"`
	KindRepeat string `json:"kind_repeat,omitempty"`

	// call is the call as it was put.
	call engine.Call
}

// offered is a rule on offer: [set, "Tool(content)"].
type offered struct {
	set  int
	rule engine.Suggestion
	// moved means: it names a place moved by the replay.
	moved bool
}

// MarshalJSON implements json.Marshaler.
func (o offered) MarshalJSON() ([]byte, error) { return json.Marshal([]any{o.set, ruleText(o.rule)}) }

func ruleText(s engine.Suggestion) string {
	return engine.Rule{Tool: s.Tool, Content: s.Content, Behavior: s.Behavior}.String()
}

// settle notes the decision.
func (o *Outcome) settle(p place, r wire.Result, err error) {
	d := r.Decision
	o.Outcome, o.Stage, o.Code, o.Reason = r.Outcome, string(d.Stage), d.Code, p.recorded(d.Reason)
	if d.Rule != nil && d.Rule.Content != nil {
		o.Rule = p.recorded(*d.Rule.Content)
	}
	if d.Behavior == engine.Deny {
		o.Deny = p.recorded(d.Message)
		if d.Code == engine.CodeToolError || d.Code == engine.CodeHostError {
			o.Error = o.Reason
		}
	}
	if err != nil {
		o.Error = p.recorded(err.Error())
	}
}

// ask notes the reason for an ask, and the offer.
func (o *Outcome) ask(p place, a asked, stored bool) {
	d := a.Decision
	o.Asked, o.Stage, o.Code, o.Reason, o.Safety = true, string(d.Stage), d.Code, p.recorded(d.Reason), d.Safety()
	o.Note = p.recorded(d.SuggestionsNote)
	for _, part := range d.Offending {
		o.Offending = append(o.Offending, p.recorded(part))
	}
	for _, s := range d.Suggestions {
		moved := false
		if s.Content != nil {
			content := p.recorded(*s.Content)
			moved = content != *s.Content
			s.Content = &content
		}
		o.Suggestions = append(o.Suggestions, offered{s.Set, s, moved})
		if stored && a.refused == nil && s.Set == d.Suggestions[0].Set {
			o.Stored = append(o.Stored, ruleText(s))
		}
	}
	if a.refused != nil {
		o.Refused = p.recorded(a.refused.Error())
	}
}

// shape is the rough subject of an ask: the reason, and the first two words of each uncovered
// part.
func (o *Outcome) shape() string {
	var parts []string
	for _, part := range o.Offending {
		words := strings.Fields(part)
		parts = append(parts, strings.Join(words[:min(2, len(words))], " "))
	}
	slices.Sort(parts)
	if parts = slices.Compact(parts); len(parts) > 0 {
		return strings.Join(parts, " + ")
	}
	return o.Reason
}

// memory are a session's asks.
type memory struct {
	calls map[string]bool
	kinds map[string]string
}

func newMemory() memory { return memory{map[string]bool{}, map[string]string{}} }

// note marks a repetition of an earlier ask.
func (m memory) note(o *Outcome) {
	call := fmt.Sprintf("%s\x00%s\x00%s", o.Tool, o.Input, o.CWD)
	o.Repeat = m.calls[call]
	m.calls[call] = true
	kind := o.Tool + "\x00" + o.Code + "\x00" + o.shape()
	o.KindRepeat = m.kinds[kind]
	m.kinds[kind] = "not stored"
	if len(o.Stored) > 0 {
		m.kinds[kind] = "stored"
	}
}
