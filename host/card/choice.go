package card

import (
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/ask"
)

// Choice is one thing a person can answer.
type Choice struct {
	// Key is what is typed or pressed: "y", "s", "1" to "9", "w", "n", "r", "f".
	Key   string
	Label string
	// Rules are the exact texts of the rules that the choice stores, all of
	// them; Scope and Expiry say where and until when they hold.
	Rules  []string
	Scope  string
	Expiry string
	// Said is the module's description of its suggestion.
	Said string
	// Answer is what to hand to the broker, but for By, Surface and, when
	// AsksReason or WantsID is set, Reason or ConfirmID.
	Answer     ask.Answer
	AsksReason bool
	// WantsID tells that the ask's id has to be typed.
	WantsID bool
	// ShowsFull marks the choice that answers nothing and shows Full.
	ShowsFull bool
}

// maxSets is how many suggestion sets a card offers: as many as there are digit
// keys.
const maxSets = 9

// Choices are what an ask can be answered with: the approvals, unless nobody may approve
// it, then the denials; none once it has ended or while it is queued.
func Choices(a ask.Ask) []Choice {
	if a.State != ask.Shown {
		return nil
	}
	var list []Choice
	approves := !a.Approvers.NobodyApproves(a.User)
	if approves {
		list = append(list, Choice{Key: "y", Label: "approve once", Answer: ask.Answer{Verdict: ask.Approve}})
	}
	switch {
	case a.Long():
		list = append(list, Choice{Key: "f", Label: "show the whole call", ShowsFull: true})
	case approves:
		list = append(list, ruleChoices(a)...)
	}
	for i := range list {
		list[i].WantsID = a.WantsID(list[i].Answer)
	}
	return append(list,
		Choice{Key: "n", Label: "deny"},
		Choice{Key: "r", Label: "deny with a reason", AsksReason: true},
	)
}

func ruleChoices(a ask.Ask) []Choice {
	var list []Choice
	sets := setsOf(a.Decision.Suggestions)
	if len(sets) > 0 {
		list = append(list, forSession(a, sets))
	}
	for i, set := range sets {
		list = append(list, lasting(a, set, fmt.Sprint(i+1)))
	}
	if a.OffersWholeTool() {
		whole := engine.Rule{Tool: a.Tool, Behavior: engine.Allow, Server: a.Decision.Server}
		list = append(list, Choice{
			Key: "w", Label: "approve, and the whole tool for this session", Rules: []string{RuleText(whole)},
			Scope: sessionScope(a), Expiry: sessionExpiry,
			Answer: ask.Answer{Verdict: ask.Approve, WholeTool: true, ForSession: true},
		})
	}
	return list
}

const sessionExpiry = "until the session is cleared"

func sessionScope(a ask.Ask) string { return "this session (" + short(a.Session) + ")" }

// setsOf lists the sets in the order of their first suggestion.
func setsOf(suggestions []engine.Suggestion) []int {
	var sets []int
	for _, s := range suggestions {
		if !slices.Contains(sets, s.Set) && len(sets) < maxSets {
			sets = append(sets, s.Set)
		}
	}
	return sets
}

// forSession offers the first set for this session: modules send the most
// useful suggestion first.
func forSession(a ask.Ask, sets []int) Choice {
	c := lasting(a, sets[0], "s")
	c.Label = "approve, and for this session"
	c.Scope, c.Expiry = sessionScope(a), sessionExpiry
	c.Answer.ForSession, c.Answer.Scope = true, engine.Session
	return c
}

// lasting offers one set with the default scope: the project when there is one,
// else the agent.
func lasting(a ask.Ask, set int, key string) Choice {
	c := Choice{
		Key: key, Label: "approve, and from now on",
		Scope: "agent " + short(a.Agent), Expiry: "no expiry",
		Answer: ask.Answer{Verdict: ask.Approve, Sets: []int{set}, Scope: engine.Agent},
	}
	if a.ProjectRoot != "" {
		c.Scope, c.Answer.Scope = "project "+short(a.ProjectRoot), engine.Project
	}
	for _, s := range a.Decision.Suggestions {
		if s.Set != set {
			continue
		}
		c.Rules = append(c.Rules, RuleText(engine.Rule{Tool: s.Tool, Content: s.Content, Behavior: s.Behavior, Server: a.Decision.Server}))
		if c.Said == "" {
			c.Said = short(s.Description)
		}
	}
	return c
}

// RuleText is the exact text of a rule with its behavior, "allow Bash(npm run:*)"; it is never shortened, because what is
// stored is what was read.
func RuleText(r engine.Rule) string {
	line := r.Behavior.String() + " " + Line(r.String())
	if r.Server != "" {
		line += " of the MCP server " + Line(r.Server)
	}
	return line
}
