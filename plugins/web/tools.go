package web

import (
	"encoding/json"

	"github.com/callgate/callgate/sdk/go/tool"
)

type searchInput struct {
	Query          string `json:"query"`
	AllowedDomains any    `json:"allowed_domains"`
	BlockedDomains any    `json:"blocked_domains"`
	NumResults     any    `json:"numResults"`
}

// Tools returns WebFetch and WebSearch.
func Tools() []tool.Tool {
	return []tool.Tool{
		tool.Define(tool.Spec[fetchInput]{
			Name: "WebFetch", Aliases: []string{"web_fetch", "webfetch", "fetch"},
			InputSchema: `{"type":"object","properties":{"url":{"type":"string"},"prompt":{"type":"string"}},"required":["url"]}`,
			RuleHelp:    "A host, exactly (github.com is not api.github.com), or *.npmjs.com for its subdomains; domain:github.com is the same as github.com. Hosts listed by the operator as read_only_hosts, in the same form, count as read-only.",
			RuleExamples: []tool.RuleExample{
				fetchExample("github.com", tool.Allow, "https://github.com/a/b", true),
				fetchExample("github.com", tool.Allow, "https://api.github.com/", false),
				fetchExample("*.npmjs.com", tool.Allow, "https://registry.npmjs.com/x", true),
				fetchExample("*.npmjs.com", tool.Allow, "https://npmjs.com/", false),
				fetchExample("domain:github.com", tool.Deny, "HTTPS://GitHub.com./", true),
			},
			Check: checkFetch, ReadOnly: readOnlyFetch, Match: matchFetch, Suggest: suggestFetch, Describe: describeFetch,
		}),
		tool.Define(tool.Spec[searchInput]{
			Name: "WebSearch", Aliases: []string{"web_search", "websearch", "google_web_search"},
			InputSchema: `{"type":"object","properties":{"query":{"type":"string"},"allowed_domains":{"type":"array","items":{"type":"string"}},"blocked_domains":{"type":"array","items":{"type":"string"}}},"required":["query"]}`,
			RuleHelp:    "The query, exactly.",
			RuleExamples: []tool.RuleExample{
				{Content: "go 1.26 release notes", Behavior: tool.Allow, Input: json.RawMessage(`{"query":"go 1.26 release notes"}`), Match: true},
				{Content: "go 1.26", Behavior: tool.Allow, Input: json.RawMessage(`{"query":"go 1.26 release notes"}`), Match: false},
			},
			Match: func(c *tool.Call[searchInput], _ tool.Behavior, rules []tool.Rule) []int {
				return tool.Indices(rules, func(r tool.Rule) bool { return r.Content == c.Input.Query })
			},
			Suggest: func(c *tool.Call[searchInput]) []tool.Suggestion {
				if c.Input.Query == "" || c.Input.Query == "*" || len(c.Input.Query) > 400 {
					return []tool.Suggestion{tool.ProposeTool("every search")}
				}
				return []tool.Suggestion{tool.Propose(c.Input.Query, "exactly this query"), tool.ProposeTool("every search")}
			},
			Describe: func(c *tool.Call[searchInput]) tool.Description {
				return tool.Description{Action: "tool:web_search:" + c.Input.Query, Title: "search " + clip(c.Input.Query)}
			},
		}),
	}
}
