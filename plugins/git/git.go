// Package git judges the calls of an agent's own git tools, as opposed to git
// on a command line, which is package bash's.
//
// A rule's content is what follows the verb in the call's action string, with
// "*" for any text: "origin feature/*" for git_push. None of the tools is
// read-only. Source: docs/seeds.md, "Action Strings by Tool".
package git

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/plugins/web"
	"github.com/callgate/callgate/sdk/go/tool"
)

// placed is what a tool gets that acts on files, which its action string leaves out.
type placed interface {
	// paths are the files that it names; ok is false when they cannot be told.
	paths() (list []string, ok bool)
	// access is what it does to them.
	access() string
}

// input is what a tool gets that acts on a named thing.
type input interface {
	// detail names what the call does, as in the action string.
	detail() string
	// beyond tells that the call does more than its detail says: then no allow
	// rule covers it but one for the whole tool.
	beyond() bool
	// unclear tells that the detail does not say what the call does at all: then
	// every deny and ask rule covers it, too.
	unclear() bool
}

type initInput struct {
	Path string `json:"path"`
}

// paths: where git makes a repository.
func (in initInput) paths() ([]string, bool) {
	if in.Path == "" {
		return nil, true
	}
	return []string{in.Path}, true
}

func (initInput) access() string { return tool.Write }

type commitInput struct {
	Message string `json:"message"`
	Files   any    `json:"files"`
}

// paths: what git takes into the commit.
func (in commitInput) paths() (list []string, ok bool) {
	switch files := in.Files.(type) {
	case nil:
		return nil, true
	case string:
		return []string{files}, true
	case []any:
		for _, file := range files {
			text, ok := file.(string)
			if !ok {
				return nil, false
			}
			list = append(list, text)
		}
		return list, true
	}
	return nil, false
}

func (commitInput) access() string { return tool.Read }

type pushInput struct {
	Remote string `json:"remote"`
	Branch string `json:"branch"`
	Force  any    `json:"force"`
}

func (in pushInput) detail() string { return in.Remote + " " + in.Branch }

// beyond: a forced push rewrites what others have.
func (in pushInput) beyond() bool { return in.Force != nil && in.Force != false }

// unclear: without a name, or with HEAD, git chooses; a flag or a refspec
// ("+main", "a:main", "heads/main") says something else than it seems to.
func (in pushInput) unclear() bool {
	return !plainName(in.Remote) || !plainName(in.Branch) || strings.HasPrefix(in.Branch, "refs/") || strings.HasPrefix(in.Branch, "heads/") ||
		in.Branch == "HEAD" || in.Branch == "@"
}

// targets: a remote may be an address or a path in place of a name. unknown tells
// that it leads somewhere that cannot be told.
func (in pushInput) targets() (list []tool.Target, unknown bool) {
	switch {
	case strings.Contains(in.Remote, ":"):
		rest := in.Remote
		if _, after, ok := strings.Cut(rest, "://"); ok {
			rest = after
		} else { // user@host:path
			rest, _, _ = strings.Cut(rest, ":")
		}
		authority, _, _ := strings.Cut(rest, "/")
		host, err := web.Host("https://" + authority[strings.LastIndexByte(authority, '@')+1:])
		if err != nil {
			return nil, true
		}
		return []tool.Target{{Kind: tool.Host, Value: host, Access: tool.Read}}, false
	case strings.HasPrefix(in.Remote, "/"), strings.HasPrefix(in.Remote, "."), strings.HasPrefix(in.Remote, "~"):
		target, ok := paths.Target(in.Remote, tool.Write)
		if !ok {
			return nil, true
		}
		return []tool.Target{target}, false
	}
	return nil, false
}

// effects are those of a push: it sends to the remote, and others see it.
func (in pushInput) effects() []tool.Effect {
	how := ""
	if in.beyond() || strings.ContainsAny(in.Branch, "+:") {
		how = tool.Force
	}
	return []tool.Effect{
		{Kind: tool.Reaches, Value: cmp.Or(in.Remote, "origin"), How: tool.Send, Certain: true},
		{Kind: tool.Publishes, Value: strings.TrimSpace(cmp.Or(in.Remote, "origin") + " " + in.Branch), How: how, Certain: true},
	}
}

// most bounds the targets of one call, below the host's own bound.
const most = 200

// plainName reports whether s is one name and nothing else to git.
func plainName(s string) bool {
	return s != "" && s[0] != '-' && !strings.ContainsAny(s, "+: ") && !paths.HasControl(s)
}

type branchInput struct {
	Name   string `json:"name"`
	Branch string `json:"branch"`
}

func (in branchInput) detail() string { return in.Name + in.Branch }
func (in branchInput) beyond() bool   { return false }
func (in branchInput) unclear() bool {
	return in.Name != "" && in.Branch != "" || !plainName(in.detail())
}

type mergeInput struct {
	Target      string `json:"target"`
	Source      string `json:"source"`
	Title       string `json:"title"`
	Description string `json:"description"`
}

func (in mergeInput) detail() string { return in.Target }
func (mergeInput) beyond() bool      { return false }
func (in mergeInput) unclear() bool {
	return !plainName(in.Target) || in.Source != "" && !plainName(in.Source)
}

// Tools returns the five tools.
func Tools() []tool.Tool {
	return []tool.Tool{
		plain[initInput]("git_init", "init", `{"type":"object","properties":{"path":{"type":"string"}}}`, []tool.RuleExample{
			{Content: "{}", Behavior: tool.Allow, Input: json.RawMessage(`{}`), Match: true},
			{Content: "{}", Behavior: tool.Allow, Input: json.RawMessage(`{"path":"/etc"}`), Match: false},
		}),
		plain[commitInput]("git_commit", "commit", `{"type":"object","properties":{"message":{"type":"string"}},"required":["message"]}`, []tool.RuleExample{
			{Content: "message:docs: *", Behavior: tool.Allow, Input: json.RawMessage(`{"message":"docs: say more"}`), Match: true},
			{Content: "message:docs: *", Behavior: tool.Allow, Input: json.RawMessage(`{"message":"remove it"}`), Match: false},
			{Content: "message:docs: *", Behavior: tool.Allow, Input: json.RawMessage(`{"message":"docs: say more","files":["/etc/shadow"]}`), Match: false},
		}),
		define[pushInput]("git_push", "push", `{"type":"object","properties":{"remote":{"type":"string"},"branch":{"type":"string"},"force":{"type":"boolean"}},"required":["remote","branch"]}`, []tool.RuleExample{
			{Content: "origin feature/*", Behavior: tool.Allow, Input: json.RawMessage(`{"remote":"origin","branch":"feature/auth"}`), Match: true},
			{Content: "origin feature/*", Behavior: tool.Allow, Input: json.RawMessage(`{"remote":"origin","branch":"main"}`), Match: false},
			{Content: "origin feature/*", Behavior: tool.Allow, Input: json.RawMessage(`{"remote":"origin","branch":"feature/auth","force":true}`), Match: false},
			{Content: "* main", Behavior: tool.Deny, Input: json.RawMessage(`{"remote":"origin","branch":"main","force":true}`), Match: true},
		}),
		define[branchInput]("git_branch", "branch", `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`, []tool.RuleExample{
			{Content: "feature/*", Behavior: tool.Allow, Input: json.RawMessage(`{"name":"feature/auth"}`), Match: true},
			{Content: "feature/*", Behavior: tool.Allow, Input: json.RawMessage(`{"name":"main"}`), Match: false},
		}),
		define[mergeInput]("git_merge_request", "merge_request", `{"type":"object","properties":{"target":{"type":"string"},"title":{"type":"string"}},"required":["target"]}`, []tool.RuleExample{
			{Content: "main", Behavior: tool.Ask, Input: json.RawMessage(`{"target":"main","title":"t"}`), Match: true},
			{Content: "main", Behavior: tool.Ask, Input: json.RawMessage(`{"target":"dev","title":"t"}`), Match: false},
		}),
	}
}

// ofProject reports whether all files that a call names are plainly the project's.
func ofProject(c tool.Context, in placed) bool {
	list, known := in.paths()
	return known && !slices.ContainsFunc(list, func(value string) bool { return !paths.OfProject(c, value) })
}

// plain defines a tool whose action string names nothing; its rules are those of
// unknown tools. Where it acts on files that are not plainly the project's, only a
// profile's pattern for every such call may match, and no allow rule that names another
// member.
func plain[In placed](name, verb, schema string, examples []tool.RuleExample) tool.Tool {
	return tool.Define(tool.Spec[In]{
		Name: name, InputSchema: schema,
		RuleHelp:     "The whole input as JSON, or param:value with * for any text.",
		RuleExamples: examples,
		Match: func(c *tool.Call[In], behavior tool.Behavior, rules []tool.Rule) []int {
			own := ofProject(c.Context, c.Input)
			return slices.DeleteFunc(tool.MatchParameters(c.Raw, behavior, rules), func(i int) bool {
				return behavior == tool.Allow && !own && !strings.HasPrefix(rules[i].Content, "{")
			})
		},
		Describe: func(c *tool.Call[In]) tool.Description {
			list, known := c.Input.paths()
			whole := ofProject(c.Context, c.Input)
			d := tool.Description{
				Action: "tool:git:" + verb, Title: strings.Join(append([]string{"git", verb}, list...), " "),
				TargetsUnknown: !known || paths.Hidden(c.Unknown, c.Raw), Analysed: &whole, Effects: []tool.Effect{},
			}
			for _, value := range list {
				target, ok := paths.Target(value, c.Input.access())
				if d.TargetsUnknown = d.TargetsUnknown || !ok || len(d.Targets) == most; !d.TargetsUnknown {
					d.Targets = append(d.Targets, target)
				}
			}
			return d
		},
	})
}

// define defines a tool whose action string names what it acts on.
func define[In input](name, verb, schema string, examples []tool.RuleExample) tool.Tool {
	return tool.Define(tool.Spec[In]{
		Name: name, InputSchema: schema,
		RuleHelp:     "What follows git:" + verb + " in the action string, such as origin main for git_push; * stands for any text but a slash. No such rule allows a forced push or a refspec.",
		RuleExamples: examples,
		Match: func(c *tool.Call[In], behavior tool.Behavior, rules []tool.Rule) []int {
			detail := c.Input.detail()
			return tool.Indices(rules, func(rule tool.Rule) bool {
				named, err := path.Match(rule.Content, detail)
				if behavior == tool.Allow {
					return err == nil && named && !c.Input.beyond() && !c.Input.unclear()
				}
				// Hosts and disks exist that do not tell the case of a branch.
				folded, _ := path.Match(paths.Fold(rule.Content), paths.Fold(detail)) // its error is err
				return err != nil || named || folded || c.Input.unclear() || len(c.Unknown) > 0
			})
		},
		Suggest: func(c *tool.Call[In]) []tool.Suggestion {
			detail := c.Input.detail()
			switch {
			case c.Input.beyond() || c.Input.unclear():
				return nil
			case strings.ContainsAny(detail, `*?[\`):
				return nil
			}
			return []tool.Suggestion{tool.Propose(detail, "exactly this"), tool.ProposeTool("every call of " + name)}
		},
		Describe: func(c *tool.Call[In]) tool.Description {
			says := !c.Input.beyond() && !c.Input.unclear()
			d := tool.Description{Action: "tool:git:" + verb + " " + c.Input.detail(), Title: "git " + verb + " " + c.Input.detail(), Analysed: &says}
			d.Effects = []tool.Effect{}
			switch in := any(c.Input).(type) {
			case pushInput:
				d.Targets, d.TargetsUnknown = in.targets()
				d.Effects = in.effects()
			case mergeInput:
				d.Effects = append(d.Effects, tool.Effect{Kind: tool.Publishes, Value: "merge request into " + in.Target, Certain: true})
			}
			return d
		},
	})
}
