package bash

import (
	"cmp"
	"strings"

	"github.com/callgate/callgate/sdk/go/tool"
)

// Module is the wasm module with the Bash tool.
var Module = tool.Module{
	Name: "bash", Version: "1.0.0",
	Summary: "Shell command lines, understood part by part.",
	Tools:   []tool.Tool{tool.Define(Spec)},
}

// Spec is the Bash tool. RATIONALE.md, "Why is Monitor a name of Bash?".
var Spec = tool.Spec[Input]{
	Name: "Bash", Aliases: []string{"bash", "shell", "run_shell_command", "exec_command", "shell_command", "local_shell", "run_in_terminal", "run_terminal_cmd", "Monitor"},
	InputSchema:  inputSchema,
	RuleHelp:     ruleHelp,
	RuleExamples: ruleExamples,
	Check:        steadyCheck,
	ReadOnly:     steadyReadOnly,
	Match:        steadyMatch,
	Suggest:      suggest,
	Describe:     describe,
}

const inputSchema = `{"type":"object","properties":{` +
	`"command":{"type":"string","description":"the command line"},` +
	`"description":{"type":"string"},"timeout":{"type":"number"},"run_in_background":{"type":"boolean"},` +
	`"directory":{"type":"string","description":"where the command runs"},` +
	`"dangerouslyDisableSandbox":{"type":"boolean"}},"required":["command"]}`

const ruleHelp = "Plain text is one command: as an allow rule exactly that command (or exactly the whole line); as a deny or ask rule its words stand together, in order, in any command of the line. " +
	"`words:*` and `words *` are every command that begins with these words, and the bare words; `words:-*` leaves room for options only. `words:* without -f --delete` is an allow rule for those that have none of these options in any spelling, and only options that are known; deny and ask rules leave nothing out. {a,b} in such a rule is one of these words. `curl GET https://example.com/*` are requests of that method to that host, without files. `files: edit` are edits of plain files inside the working directories. Another * stands for any text inside one command; \\* is a star. " +
	"An allow needs every command of the line covered, by some rule or because it only reads; a deny or ask holds when any command is hit, however it is wrapped, quoted or spelt."

func example(content string, behavior tool.Behavior, command string, matches bool) tool.RuleExample {
	return tool.RuleExample{Content: content, Behavior: behavior, Input: quoteCommand(command), Match: matches}
}

var ruleExamples = []tool.RuleExample{
	example("npm run:*", tool.Allow, "npm run build", true),
	example("npm run:*", tool.Allow, "npm run build && curl https://example.com", false),
	example("npm run:*", tool.Allow, "npm install", false),
	example("git push origin:* without --force", tool.Allow, "git push -u origin main", true),
	example("git push origin:* without --force", tool.Allow, "git push origin +main", false),
	example("npm run {build,test}:*", tool.Allow, "npm run deploy", false),
	example("curl GET https://example.com/*", tool.Allow, "curl -s https://example.com/a | head", true),
	example("curl GET https://example.com/*", tool.Allow, "curl -d @f https://example.com/a", false),
	example("files: edit", tool.Allow, "npm test > out.log", false),
	example("make test:-*", tool.Allow, "make test deploy", false),
	example("git commit:*", tool.Allow, "git add . && git commit -m x", false),
	example("npm test", tool.Allow, "npm test", true),
	example("npm test", tool.Allow, "npm test -- -u", false),
	example("rm:*", tool.Deny, "cd a && sudo -u root /bin/rm x", true),
	example("rm:*", tool.Deny, "echo rm", false),
	example("rm -rf", tool.Deny, "rm -r -f x", true),
}

// check gives the tool's own opinion of a call.
func check(tc *tool.Call[Input]) tool.Verdict {
	if tc.Input.WS != nil {
		return tool.Verdict{Behavior: tool.Ask, Reason: "it listens to a web socket, whose messages the agent reads"}
	}
	if strings.TrimSpace(tc.Input.text()) == "" {
		return tool.Verdict{Behavior: tool.Passthrough, Reason: "there is no command"}
	}
	c := open(tc)
	if !c.set.Dialect.analysed() {
		return tool.Verdict{Behavior: tool.Ask, Reason: "commands of this shell cannot be analysed: only rules with the exact text allow them"}
	}
	if reason := c.danger(); reason != "" {
		return immune(reason)
	}
	switch {
	case c.line.Shut() && c.line.Opaque != "":
		return immune("the command cannot be analysed: " + c.line.Opaque)
	case c.line.Shut():
		return immune("the command uses " + c.line.Hidden + ", so what it runs is not all in plain sight")
	}
	if c.in.escalates() {
		return tool.Verdict{Behavior: tool.Ask, Reason: "the call asks to run outside the client's sandbox"}
	}
	if ok, reason := c.line.readsOnly(c); ok {
		return tool.Verdict{Behavior: tool.Allow, Reason: reason}
	}
	if c.mode == tool.ModeAcceptEdits && c.editsOnly() {
		return tool.Verdict{Behavior: tool.Allow, Reason: "it edits files inside the working directories only"}
	}
	if what := cmp.Or(c.line.Opaque, c.line.Hidden); what != "" {
		return tool.Verdict{Behavior: tool.Passthrough, Reason: "it uses " + what + ": only rules with the exact text allow it"}
	}
	return tool.Verdict{Behavior: tool.Passthrough}
}

func immune(reason string) tool.Verdict {
	return tool.Verdict{
		Behavior: tool.Ask, BypassImmune: true, Reason: reason,
		Message: "A person has to look at this command: " + reason + ".",
	}
}

func readOnly(tc *tool.Call[Input]) tool.ReadOnly {
	if tc.Input.WS != nil {
		return tool.ReadOnly{Reason: "it opens a web socket"}
	}
	c := open(tc)
	if c.in.escalates() {
		return tool.ReadOnly{Reason: "the call asks to run outside the client's sandbox"}
	}
	ok, reason := c.line.readsOnly(c)
	return tool.ReadOnly{ReadOnly: ok, Reason: reason}
}

func match(tc *tool.Call[Input], behavior tool.Behavior, given []tool.Rule) []int {
	c := open(tc)
	contents := make([]string, len(given))
	for i, r := range given {
		contents[i] = r.Content
	}
	if behavior == tool.Allow {
		if c.in.escalates() || c.in.WS != nil || strings.TrimSpace(c.in.text()) == "" {
			return nil
		}
		return c.line.rulesFor(contents, true).coveredBy(c.line, c, c.cdInside)
	}
	return c.line.rulesFor(contents, false).hit(c.line)
}

func suggest(tc *tool.Call[Input]) []tool.Suggestion {
	if strings.TrimSpace(tc.Input.text()) == "" || tc.Input.WS != nil {
		return nil
	}
	c := open(tc)
	if !c.set.Dialect.analysed() {
		return []tool.Suggestion{tool.Propose(escapeRule(strings.TrimSpace(c.in.text())), "exactly this command line")}
	}
	var out []tool.Suggestion
	for _, s := range c.suggestions() {
		p := tool.Propose(s.content, s.description)
		p.Covers, p.NearMisses = s.covers, c.nearMisses(s.content)
		out = append(out, p)
	}
	return out
}

func describe(tc *tool.Call[Input]) tool.Description {
	c := open(tc)
	d := c.describe()
	if tc.Effects {
		d.Effects = c.effects()
	}
	if tc.RuleWords {
		d.RuleWords = c.line.ruleWords()
	}
	return d
}
