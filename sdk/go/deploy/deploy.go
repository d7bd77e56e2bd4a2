// Command deploy is a tool module: it judges the calls of a tool for deploying services. Callgate
// loads the file built for wasip1; the build for this machine is for its tests.
package main

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// Input is the agent's input. A missing required member, or one of another type, causes an ask
// before any function below is called.
type Input struct {
	Operation string  `json:"operation" tool:"required"` // one of operations
	Target    string  `json:"target" tool:"required"`    // STAGE/SERVICE
	DryRun    bool    `json:"dry_run"`
	Config    *string `json:"config"` // a path; nil when left out
}

var operations = []string{"status", "deploy", "rollback"}

var module = tool.Module{Name: "deploy", Version: "1.0.0", Summary: "Judges deployments.", Tools: []tool.Tool{tool.Define(tool.Spec[Input]{
	Name:    "Deploy",
	Aliases: []string{"deploy"},
	InputSchema: `{"type":"object","properties":{"operation":{"enum":["status","deploy","rollback"]},"target":{"type":"string"},` +
		`"dry_run":{"type":"boolean"},"config":{"type":"string"}},"required":["operation","target"],"additionalProperties":false}`,
	RuleHelp: "OPERATION and a pattern of STAGE/SERVICE, or the pattern alone for every operation; * stays between slashes: staging/*, status prod/*, deploy staging/web.",
	RuleExamples: []tool.RuleExample{
		{Content: "staging/*", Behavior: tool.Allow, Input: json.RawMessage(`{"operation":"deploy","target":"staging/web"}`), Match: true},
		{Content: "staging/*", Behavior: tool.Allow, Input: json.RawMessage(`{"operation":"deploy","target":"prod/web"}`), Match: false},
		{Content: "deploy staging/web", Behavior: tool.Allow, Input: json.RawMessage(`{"operation":"rollback","target":"staging/web"}`), Match: false},
		{Content: "prod/*", Behavior: tool.Deny, Input: json.RawMessage(`{"operation":"status","target":"prod/web"}`), Match: true},
		{Content: "nonsense", Behavior: tool.Deny, Input: json.RawMessage(`{"operation":"status","target":"prod/web"}`), Match: true},
	},
	Check: check, ReadOnly: readOnly, Match: match, Suggest: suggest, Describe: describe,
})}}

// A WebAssembly reactor never runs main.
func init() { tool.Serve(module) }

func main() {}

// check asks about production despite any rule, and treats an unreadable call as the worst.
func check(c *tool.Call[Input]) tool.Verdict {
	stage, _, readable := split(c.Input.Target, isName)
	switch {
	case !slices.Contains(operations, c.Input.Operation):
		return tool.Verdict{Behavior: tool.Ask, BypassImmune: true, Reason: "unknown operation"}
	case !readable:
		return tool.Verdict{Behavior: tool.Ask, BypassImmune: true, Reason: "the target is not STAGE/SERVICE"}
	case c.Input.Operation != "status" && !c.Input.DryRun && isProduction(stage, c.Config):
		return tool.Verdict{
			Behavior: tool.Ask, BypassImmune: true, Reason: c.Input.Target + " is production",
			Message: "Deployments to production are confirmed by a person.",
		}
	case c.Input.Config != nil && !isInside(*c.Input.Config, c.Context.Targets):
		return tool.Verdict{Behavior: tool.Ask, Reason: "the configuration lies outside the working directories"}
	}
	return tool.Verdict{}
}

// readOnly names safe operations, never dangerous ones: an operation added later is not read-only.
func readOnly(c *tool.Call[Input]) tool.ReadOnly {
	if !isReadable(c) || c.Input.Operation != "status" {
		return tool.ReadOnly{}
	}
	return tool.ReadOnly{ReadOnly: true, Reason: "status changes nothing"}
}

// match: an unreadable rule allows nothing and denies everything, and an unreadable call is allowed
// by nothing and denied by everything.
func match(c *tool.Call[Input], behavior tool.Behavior, rules []tool.Rule) []int {
	readable := isReadable(c)
	return tool.Indices(rules, func(rule tool.Rule) bool {
		covers, ok := parseRule(rule.Content)
		if !readable || !ok {
			return behavior != tool.Allow
		}
		return covers(c.Input)
	})
}

// suggest proposes the most useful first; each matches this very call.
func suggest(c *tool.Call[Input]) []tool.Suggestion {
	if !isReadable(c) || check(c).BypassImmune {
		return nil
	}
	operation, target := c.Input.Operation, c.Input.Target
	stage, service, _ := split(target, isName)
	return []tool.Suggestion{
		near(tool.Propose(operation+" "+target, "this operation on this target"), operation, target+"-2"),
		near(tool.Propose(operation+" "+stage+"/*", "this operation on every target of "+stage), operation, stage+"-2/"+service),
	}
}

// near adds a call the rule must not match; nothing in it needs quoting.
func near(s tool.Suggestion, operation, target string) tool.Suggestion {
	s.NearMisses = []json.RawMessage{json.RawMessage(`{"operation":"` + operation + `","target":"` + target + `"}`)}
	return s
}

// describe names the call's targets, for the host to resolve.
func describe(c *tool.Call[Input]) tool.Description {
	if !isReadable(c) {
		return tool.Description{TargetsUnknown: true}
	}
	title := c.Input.Operation + " " + c.Input.Target
	d := tool.Description{Action: "tool:Deploy:" + title, Title: title}
	if c.Input.DryRun {
		d.Action += " --dry-run"
	}
	switch path := c.Input.Config; {
	case path == nil:
	case isPath(*path):
		d.Targets = []tool.Target{{Kind: tool.Path, Value: *path, Access: tool.Read}}
	default:
		d.TargetsUnknown = true
	}
	return d
}

func isReadable(c *tool.Call[Input]) bool {
	_, _, ok := split(c.Input.Target, isName)
	return ok && slices.Contains(operations, c.Input.Operation)
}

// isProduction asks the operator's configuration, {"production": [STAGE, ...]}; of
// another shape it makes every stage production.
func isProduction(stage string, config json.RawMessage) bool {
	if config == nil {
		return stage == "prod"
	}
	var members map[string]any
	if err := tool.Decode(config, &members); err != nil {
		return true
	}
	value, given := members["production"]
	if !given {
		return stage == "prod"
	}
	list, ok := value.([]any)
	production := !ok
	for _, item := range list {
		text, isText := item.(string)
		production = production || !isText || text == stage
	}
	return production
}

// isInside tells whether the host found the path in a working directory.
func isInside(path string, targets []tool.Target) bool {
	i := slices.IndexFunc(targets, func(t tool.Target) bool { return t.Kind == tool.Path && t.Value == path })
	return i >= 0 && isPath(path) && targets[i].Error == "" && !targets[i].Claimed && targets[i].Inside != ""
}

// parseRule reads PATTERN or OPERATION PATTERN.
func parseRule(content string) (covers func(Input) bool, ok bool) {
	operation, pattern, both := strings.Cut(content, " ")
	if !both {
		operation, pattern = "", content
	}
	stage, service, ok := split(pattern, isPattern)
	if !ok || both && !slices.Contains(operations, operation) {
		return nil, false
	}
	return func(in Input) bool {
		ofStage, ofService, _ := split(in.Target, isName)
		return (!both || operation == in.Operation) && tool.Wildcard(stage, ofStage) && tool.Wildcard(service, ofService)
	}, true
}

// split takes STAGE/SERVICE apart.
func split(target string, isSide func(string) bool) (stage, service string, ok bool) {
	stage, service, _ = strings.Cut(target, "/")
	return stage, service, isSide(stage) && isSide(service)
}

const nameLetters = "abcdefghijklmnopqrstuvwxyz0123456789-"

func isName(text string) bool    { return isWord(text, nameLetters) }
func isPattern(text string) bool { return isWord(text, nameLetters+"*") }

func isWord(text, letters string) bool {
	return text != "" && len(text) <= 63 && strings.Trim(text, letters) == ""
}

// isPath tells whether a text can be named as a target: the host takes no other.
func isPath(text string) bool {
	isControl := func(r rune) bool { return r < ' ' || r == 0x7f }
	return text != "" && len(text) <= 4096 && !strings.ContainsFunc(text, isControl)
}
