package named

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/sdk/go/tool"
)

// maxExact bounds the bytes of a suggested input: people do not read a longer one.
const maxExact = 2000

// Suggest proposes rules for a call of an unknown tool. The tool comes before the exact input,
// because the same input hardly ever comes again; after it where the tool's name suggests
// destroying, publishing or reaching people. For a tool with a member naming its action, the calls
// with the same action come first. For code, a command or a query to run only the exact input is
// offered. RATIONALE.md, "Why is the most useful suggestion first, not the narrowest?".
func Suggest(name string, raw json.RawMessage) []tool.Suggestion {
	var exact []tool.Suggestion
	if text, err := tool.Canonical(raw); err == nil && len(text) <= maxExact {
		exact = append(exact, tool.Propose(text, "exactly this input"))
	}
	kind := tool.ProposeTool("every call of " + name + ", whatever its input says")
	words := parts(name)
	if member, does := does(jsontext.Value(raw)); member != "" {
		words = append(words, parts(does)...)
		kind = tool.Propose(member+":"+does, "every call of "+name+" with the "+member+" "+does)
	}
	switch {
	case says(words, runningVerbs), runs(jsontext.Value(raw), says(words, written), 0):
		return exact
	case says(words, lastingVerbs) && !slices.Contains(ownTools, name):
		return append(exact, kind)
	}
	return append([]tool.Suggestion{kind}, exact...)
}

func says(words, list []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
}

// ownTools send messages to the agents of the session itself.
var ownTools = []string{"SendMessage", "send_input", "followup_task"}

// doingMembers are names of members for a tool's action.
var doingMembers = []string{"action", "operation", "op", "method", "verb"}

// does returns the member with a call's action, and the action; empty without one, or without a
// possible rule.
func does(value jsontext.Value) (member, what string) {
	var members map[string]jsontext.Value
	if jsonv2.Unmarshal(value, &members) != nil {
		return "", ""
	}
	for _, name := range doingMembers {
		if jsonv2.Unmarshal(members[name], &what) == nil && what != "" && !strings.ContainsAny(what, "*\\") && len(what) < 80 {
			return name, what
		}
	}
	return "", ""
}

// runningVerbs are words in names of tools for running their input.
var runningVerbs = []string{"exec", "execute", "run", "eval", "evaluate", "shell", "bash", "terminal", "command", "cmd", "powershell", "sql", "script", "code", "stdin", "invoke", "call", "proxy", "rpc", "batch"}

// lastingVerbs are words in names of tools with an irreversible effect, or an effect on others than
// the approver.
var lastingVerbs = []string{
	"delete", "del", "remove", "rm", "drop", "destroy", "purge", "wipe", "erase", "clear", "reset", "truncate", "prune", "kill", "terminate", "stop", "shutdown", "revert", "rollback", "overwrite", "force", "archive", "cancel", "close", "revoke", "disable", "unlink",
	"deploy", "publish", "release", "merge", "push", "promote", "submit", "send", "post", "reply", "email", "mail", "message", "notify", "invite", "share", "upload", "transfer", "pay", "charge", "refund", "buy", "order", "purchase", "subscribe", "book", "trade", "sign", "approve", "grant", "rotate", "apply", "migrate", "import", "install", "uninstall", "restore", "move", "rename", "secret", "secrets", "password", "token", "credential", "credentials", "key", "permission", "permissions", "role", "admin",
}

// runningMembers are names of members with code to run.
var runningMembers = []string{"command", "commands", "cmd", "cmds", "script", "scripts", "code", "sql", "shell", "expression", "function", "program", "args", "argv", "statement", "statements", "cypher", "graphql", "mutation", "body", "javascript", "python"}

// written are words in names of tools for texts with a title and a body.
var written = []string{"comment", "issue", "pull", "discussion", "note", "page", "document", "ticket", "draft"}

// runs reports whether some member of an input, at any depth, holds code to run, or an action that
// runs code. Of prose the body is a text.
func runs(value jsontext.Value, prose bool, depth int) bool {
	if depth > deepest {
		return true
	}
	switch value.Kind() {
	case '{':
		var members map[string]jsontext.Value
		if jsonv2.Unmarshal(value, &members) != nil {
			return true
		}
		for name, member := range members {
			all := parts(name)
			if prose && name == "body" && member.Kind() == '"' {
				continue
			}
			if len(all) > 0 && slices.Contains(runningMembers, all[len(all)-1]) || runs(member, prose, depth+1) {
				return true
			}
		}
	case '[':
		var items []jsontext.Value
		if jsonv2.Unmarshal(value, &items) != nil {
			return true
		}
		return slices.ContainsFunc(items, func(item jsontext.Value) bool { return runs(item, prose, depth+1) })
	}
	return false
}

// parts are the words of a name, in small letters: "mcp__db__runQuery" is mcp, db,
// run, query.
func parts(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if unicode.IsUpper(r) && small {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r) || unicode.IsDigit(r)
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(unicode.ToLower(r))
		} else {
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}
