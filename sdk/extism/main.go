// Command extism is a tool module written with the Extism PDK for Go and nothing of Callgate's but
// docs/abi.md: read.go does the work of an SDK.
package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// A WebAssembly reactor never runs main.
func main() {}

const description = `{"abi":1,"name":"deploy","version":"1.0.0","summary":"Judges deployments.","tools":[{"name":"Deploy","aliases":["deploy"],
"input_schema":{"type":"object","properties":{"operation":{"enum":["status","deploy","rollback"]},"target":{"type":"string"},"dry_run":{"type":"boolean"},"config":{"type":"string"}},"required":["operation","target"],"additionalProperties":false},
"read_only":false,"edits_files":false,
"rule_help":"OPERATION and a pattern of STAGE/SERVICE, or the pattern alone for every operation; * stays between slashes: staging/*, status prod/*, deploy staging/web.",
"rule_examples":[
{"content":"staging/*","behavior":"allow","input":{"operation":"deploy","target":"staging/web"},"match":true},
{"content":"staging/*","behavior":"allow","input":{"operation":"deploy","target":"prod/web"},"match":false},
{"content":"deploy staging/web","behavior":"allow","input":{"operation":"rollback","target":"staging/web"},"match":false},
{"content":"prod/*","behavior":"deny","input":{"operation":"status","target":"prod/web"},"match":true},
{"content":"nonsense","behavior":"deny","input":{"operation":"status","target":"prod/web"},"match":true}]}]}`

// answer is the output of one export.
func answer(verb string, input []byte) ([]byte, error) {
	if verb == "describe" {
		return []byte(description), nil
	}
	c, err := read(input)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", verb, err)
	}
	var out any
	switch verb {
	case "check_permissions":
		out = check(c)
	case "check_read_only":
		out = readOnly(c)
	case "match_rule":
		if !slices.Contains([]string{"allow", "deny", "ask"}, c.Behavior) {
			return nil, fmt.Errorf("match_rule: behavior %q", c.Behavior)
		}
		out = object{"matched": match(c)}
	case "generate_suggestions":
		out = object{"rules": suggest(c)}
	case "describe_call":
		out = describe(c)
	default:
		return nil, fmt.Errorf("unknown verb %q", verb)
	}
	return json.Marshal(out, json.Deterministic(true))
}

type object map[string]any

var operations = []string{"status", "deploy", "rollback"}

const letters = "abcdefghijklmnopqrstuvwxyz0123456789-"

// split takes STAGE/SERVICE apart; both are of the given letters, 1 to 63.
func split(target, of string) (stage, service string, ok bool) {
	stage, service, _ = strings.Cut(target, "/")
	side := func(text string) bool { return text != "" && len(text) <= 63 && strings.Trim(text, of) == "" }
	return stage, service, side(stage) && side(service)
}

func (c *call) readable() bool {
	return c.wrong == "" && slices.Contains(operations, c.operation) && c.isTarget
}

func ask(reason string) object {
	return object{"behavior": "ask", "bypass_immune": true, "reason": reason}
}

func check(c *call) object {
	switch {
	case c.wrong != "":
		v := ask("the input does not have the shape this tool expects: " + c.wrong)
		v["message"] = "The input does not have the shape Deploy expects: " + c.wrong + "."
		return v
	case !slices.Contains(operations, c.operation):
		return ask("unknown operation")
	case !c.readable():
		return ask("the target is not STAGE/SERVICE")
	case c.operation != "status" && !c.dryRun && c.isProduction():
		v := ask(c.target + " is production")
		v["message"] = "Deployments to production are confirmed by a person."
		return v
	case c.config != nil && !c.isInside():
		return object{"behavior": "ask", "reason": "the configuration lies outside the working directories"}
	}
	return object{"behavior": "passthrough"}
}

func isImmune(verdict object) bool { return verdict["bypass_immune"] == true }

func readOnly(c *call) object {
	if !c.readable() || c.unknown || c.operation != "status" || isImmune(check(c)) {
		return object{"read_only": false}
	}
	return object{"read_only": true, "reason": "status changes nothing"}
}

// match: an unreadable rule or call is never allowed, and always denied.
func match(c *call) []int {
	matched := []int{}
	for i, rule := range c.Rules {
		operation, pattern, both := strings.Cut(rule.Content, " ")
		if !both {
			operation, pattern = c.operation, rule.Content
		}
		stage, service, ok := split(pattern, letters+"*")
		decides := c.Behavior != "allow"
		if ok && slices.Contains(operations, operation) && c.readable() {
			decides = operation == c.operation && glob(stage, c.stage) && glob(service, c.service)
		}
		if decides && (c.Behavior != "allow" || !c.unknown) {
			matched = append(matched, i)
		}
	}
	return matched
}

// glob reports whether "*" as any run of letters makes pattern the text.
func glob(pattern, text string) bool {
	star, from, at, p := -1, 0, 0, 0
	for at < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, at
			p++
		case p < len(pattern) && pattern[p] == text[at]:
			p, at = p+1, at+1
		case star >= 0: // the last star takes one letter more
			from++
			p, at = star+1, from
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}

func suggest(c *call) []object {
	if !c.readable() || c.unknown || isImmune(check(c)) {
		return []object{}
	}
	miss := func(target string) []object { return []object{{"operation": c.operation, "target": target}} }
	return []object{
		{"content": c.operation + " " + c.target, "description": "this operation on this target", "near_misses": miss(c.target + "-2")},
		{"content": c.operation + " " + c.stage + "/*", "description": "this operation on every target of " + c.stage, "near_misses": miss(c.stage + "-2/" + c.service)},
	}
}

func describe(c *call) object {
	d := object{}
	switch {
	case !c.readable():
		d["targets_unknown"] = true
	default:
		title := c.operation + " " + c.target
		d["title"], d["action"] = title, "tool:Deploy:"+title
		if c.dryRun {
			d["action"] = "tool:Deploy:" + title + " --dry-run"
		}
		switch {
		case c.config == nil:
		case isPath(*c.config):
			d["targets"] = []object{{"kind": "path", "value": *c.config, "access": "read"}}
		default:
			d["targets_unknown"] = true
		}
	}
	if c.unknown {
		d["analysed"] = false
	}
	return d
}

func (c *call) isProduction() bool {
	value, given := c.production()
	if !given {
		return c.stage == "prod"
	}
	list, ok := value.([]any)
	for _, item := range list {
		text, isText := item.(string)
		ok = ok && isText && text != c.stage
	}
	return !ok
}

// isPath tells whether a text can be named as a target: the host takes no other.
func isPath(text string) bool {
	isControl := func(r rune) bool { return r < ' ' || r == 0x7f }
	return text != "" && len(text) <= 4096 && !strings.ContainsFunc(text, isControl)
}

func (c *call) isInside() bool {
	for _, t := range c.Context.Targets {
		if t.Kind == "path" && t.Value == *c.config {
			return isPath(t.Value) && t.Error == "" && !t.Claimed && t.Inside != ""
		}
	}
	return false
}
