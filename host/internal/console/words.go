package console

import (
	"strings"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// outcomeWords are outcomes as people say them.
var outcomeWords = map[store.Outcome]string{
	store.Allowed: "Allowed", store.Denied: "Denied", store.AskApproved: "Approved", store.AskDenied: "Denied by a person",
	store.AskTimeout: "No answer in time", store.AskCancelled: "Cancelled",
}

// eventWords are the events whose own name is no word of people; the others are read as they are.
var eventWords = map[store.Event]string{
	store.EventCallMismatch: "Ran otherwise", store.EventSessionMode: "Mode changed", store.EventSessionForkMode: "Fork mode changed",
	store.EventSessionShell: "Shell changed", store.EventSessionForkExit: "Fork ended",
	store.EventPINSet: "PIN set", store.EventPINChanged: "PIN changed", store.EventPINTried: "PIN typed", store.EventPINUnlocked: "Unlocked", store.EventPINLocked: "Locked",
	store.EventPINReset: "PIN reset begun", store.EventPINResetCancelled: "Reset cancelled",
	store.EventConfigAccepted: "Settings accepted", store.EventConfigTightened: "Settings tightened",
	store.EventConsoleNamed: "Console named", store.EventPushKey: "Message key made", store.EventPushAdded: "Messages added", store.EventPushRemoved: "Messages removed",
}

// words are an outcome or an event as people say it.
func words(row store.Row) string {
	if row.Decision != "" {
		return outcomeWords[row.Decision]
	}
	if text := eventWords[row.Event]; text != "" {
		return text
	}
	text := strings.ReplaceAll(card.Line(string(row.Event)), "_", " ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// stageWords are the deciding steps as people say them.
var stageWords = map[engine.Stage]string{
	engine.StageDenyRule: "deny rule", engine.StageAskRule: "ask rule", engine.StageReadOnly: "only reads", engine.StageToolCheck: "the tool's check",
	engine.StageAllowRule: "allow rule", engine.StageMode: "no rule answers", engine.StageProfile: "profile", engine.StageError: "failure",
}

// stage is a deciding step in words; an unknown one as it is.
func stage(name string) string {
	if text := stageWords[engine.Stage(name)]; text != "" {
		return text
	}
	return card.Line(name)
}

// stateWords are the states of module files as people say them.
var stateWords = map[wire.ModuleState]string{
	wire.ModuleBuiltIn: "Built in", wire.ModulePinned: "In use", wire.ModuleDev: "In use, not pinned", wire.ModuleKept: "Previous in use",
	wire.ModuleRefused: "Refused", wire.ModuleTrying: "Being tested", wire.ModuleMissing: "Missing",
}

// ruleText is a suggestion's rule as a person types it.
func ruleText(s engine.Suggestion) string {
	return engine.Rule{Tool: s.Tool, Content: s.Content}.String()
}

// settingWords name the settings of the store that have rows of their own.
var settingWords = map[string]string{
	"pin": "", "accepted_config": "", "console_name": "the address of this console", "passkeys": "", "push": "",
	"folders": "trusted folders", "profiles": "the profiles of agents",
}

// what is a row's call or change, in one line: without the tool, which stands beside it.
func what(row store.Row) string {
	if row.Event == store.EventDecision {
		return action(row.Action)
	}
	text := row.RuleText
	if name, ok := strings.CutPrefix(text, "setting "); ok {
		if known, ok := settingWords[name]; ok {
			name = known
		}
		text = row.Detail
		if text == "" {
			text = name
		}
	}
	if name, ok := strings.CutPrefix(text, "token check:"); ok {
		text = "token of the agent " + name
	}
	if text == "" {
		text = row.Detail
	}
	return card.Line(clip(text, maxWhat))
}

// action is a call's text for profiles without its tool.
func action(text string) string {
	if rest, ok := strings.CutPrefix(text, "tool:"); ok {
		if _, content, ok := strings.Cut(rest, ":"); ok {
			text = content
		}
	}
	return card.Line(clip(text, maxWhat))
}

// maxWhat bounds a line of a list, in characters; the row's own page has all of it.
const maxWhat = 300

func clip(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// took is a duration for people.
func took(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
