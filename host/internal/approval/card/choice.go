package card

import (
	"fmt"
	"slices"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/wire"
)

// Choice is one thing a person can answer.
type Choice struct {
	// Key is what is typed or pressed: "y", "e", "s", "1" to "9", "w", "t", "f", "n", "r", "d".
	Key   string
	Label string
	// Rules are the exact texts of the rules that the choice stores, all of
	// them; Scope and Expiry say where and until when they hold.
	Rules  []string
	Scope  string
	Expiry string
	// Where says both in a few words; empty where nothing is stored.
	Where string
	// Wide tells that every call of a tool would be allowed that may run code or reach
	// a host: it wants a second confirmation.
	Wide bool
	// Folder is the folder that the choice trusts, Allows what that lets the agent do;
	// Scope and Expiry are the trust's.
	Folder string
	Allows string
	// Said is the module's description of its suggestion.
	Said string
	// Answer is what to hand to the broker, but for By, Surface and, when
	// AsksReason or WantsID is set, Reason or ConfirmID.
	Answer     ask.Answer
	AsksReason bool
	// WantsID tells that the ask's id has to be typed.
	WantsID bool
	// Edits marks the choice that approves another input, see EditOf.
	Edits bool
	// ShowsFull marks the choice that answers nothing and shows Details and Full.
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
		list = append(list, Choice{Key: "y", Label: "allow once", Answer: ask.Answer{Verdict: ask.Approve}})
	}
	if CanEdit(a) {
		list = append(list, Choice{Key: "e", Label: "edit and allow", Edits: true, Answer: ask.Answer{Verdict: ask.Approve}})
	}
	if approves && !a.Long() {
		list = append(list, ruleChoices(a)...)
		list = append(list, FolderChoices(a)...)
	}
	for i := range list {
		list[i].WantsID = a.WantsID(list[i].Answer) && !list[i].Edits // a changed call is judged again
		list[i].Wide = a.OpensTool(list[i].Answer)
	}
	denials := []Choice{
		{Key: "n", Label: "deny"},
		{Key: "r", Label: "deny with words", AsksReason: true},
		{Key: "d", Label: "details", ShowsFull: true},
	}
	if Grave(a) { // the denial is the first thing that is read
		return slices.Concat(denials[:1], list, denials[1:])
	}
	return append(list, denials...)
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
			Key: "w", Label: "allow, and every call of the tool in this session", Rules: []string{RuleText(whole)},
			Scope: sessionScope(a), Expiry: sessionExpiry, Where: "this session, every call",
			Answer: ask.Answer{Verdict: ask.Approve, WholeTool: true, ForSession: true},
		})
	}
	return list
}

// FolderChoices trust the project folder of the call: none where the card offers none.
func FolderChoices(a ask.Ask) []Choice {
	if a.Folder == nil || a.Long() {
		return nil
	}
	var list []Choice
	for _, one := range []struct {
		key, label string
		access     wire.FolderAccess
	}{
		{"t", "allow, and trust this project folder for reading", wire.ReadFolder},
		{"f", "allow, and trust this project folder for reading and editing", wire.EditFolder},
	} {
		if slices.Contains(a.Folder.Access, one.access) {
			list = append(list, Choice{
				Key: one.key, Label: one.label, Folder: Line(a.Folder.Path), Allows: "the agent may " + one.access.Allows(),
				Scope: "agent " + short(a.Agent), Expiry: "until it is taken back", Where: folderWords[one.access],
				Answer: ask.Answer{Verdict: ask.Approve, Folder: one.access},
			})
		}
	}
	return list
}

// folderWords are what a folder is trusted for.
var folderWords = map[wire.FolderAccess]string{wire.ReadFolder: "reading", wire.EditFolder: "reading and editing"}

// sessionKey is the key of the choice for the session.
const sessionKey = "s"

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
	c := lasting(a, sets[0], sessionKey)
	c.Label = "allow, and for this session"
	c.Scope, c.Expiry, c.Where = sessionScope(a), sessionExpiry, "this session"
	c.Answer.ForSession, c.Answer.Scope = true, engine.Session
	return c
}

// AndWorkTrees follows the name of a repository whose rules hold in its work trees, too.
const AndWorkTrees = " and its work trees"

// WorkTrees is AndWorkTrees for the project of a call in a work tree; empty for any other project.
func WorkTrees(a ask.Ask) string {
	if a.Repository == "" {
		return ""
	}
	return AndWorkTrees
}

// lasting offers one set with the default scope: the project when there is one,
// else the agent.
func lasting(a ask.Ask, set int, key string) Choice {
	c := Choice{
		Key: key, Label: "allow, and from now on",
		Scope: "agent " + short(a.Agent), Expiry: "no expiry",
		Answer: ask.Answer{Verdict: ask.Approve, Sets: []int{set}, Scope: engine.Agent},
	}
	if a.ProjectRoot != "" {
		c.Scope, c.Answer.Scope = "project "+short(a.Project())+WorkTrees(a), engine.Project
	}
	c.Where = "always, " + c.Scope
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
