package web

import (
	"encoding/json"

	"github.com/callgate/callgate/sdk/go/tool"
)

// Tools returns WebFetch and WebSearch.
func Tools() []tool.Tool {
	return []tool.Tool{
		tool.Define(tool.Spec[fetchInput]{
			Name: "WebFetch", Aliases: []string{"web_fetch", "webfetch", "fetch", "fetch_webpage"},
			InputSchema: `{"type":"object","properties":{"url":{"type":"string"},"prompt":{"type":"string"}},"required":["url"]}`,
			RuleHelp:    "A host, exactly (github.com is not api.github.com), or *.npmjs.com for its subdomains; domain:github.com is the same as github.com. After it a port (localhost:3000; without one an allow rule means the scheme's own, a deny rule every one) and a path (github.com/org/* is what is below /org/, docs.python.org/3 is /3 and what is below it). Where a page redirects to is not judged. Hosts listed by the operator as read_only_hosts, in the same form, count as read-only.",
			RuleExamples: []tool.RuleExample{
				fetchExample("github.com", tool.Allow, "https://github.com/a/b", true),
				fetchExample("github.com", tool.Allow, "https://api.github.com/", false),
				fetchExample("*.npmjs.com", tool.Allow, "https://registry.npmjs.com/x", true),
				fetchExample("*.npmjs.com", tool.Allow, "https://npmjs.com/", false),
				fetchExample("github.com/org/*", tool.Allow, "https://github.com/org/site", true),
				fetchExample("github.com/org/*", tool.Allow, "https://github.com/org/../evil", false),
				fetchExample("github.com/org/*", tool.Deny, "https://github.com//%6Frg/x", true),
				fetchExample("domain:github.com", tool.Deny, "HTTPS://GitHub.com./", true),
			},
			Check: checkFetch, ReadOnly: readOnlyFetch, Match: matchFetch, Suggest: suggestFetch, Describe: describeFetch,
		}),
		tool.Define(tool.Spec[searchInput]{
			Name: "WebSearch", Aliases: []string{"web_search", "websearch", "google_web_search", "codesearch"},
			InputSchema: `{"type":"object","properties":{"query":{"type":"string"},"allowed_domains":{"type":"array","items":{"type":"string"}},"blocked_domains":{"type":"array","items":{"type":"string"}}},"required":["query"]}`,
			RuleHelp:    "The query, exactly; or domain:github.com (domain:*.npmjs.com), which allows a search that names no other domains as its allowed_domains, and denies one that names it.",
			RuleExamples: []tool.RuleExample{
				{Content: "go 1.26 release notes", Behavior: tool.Allow, Input: json.RawMessage(`{"query":"go 1.26 release notes"}`), Match: true},
				{Content: "go 1.26", Behavior: tool.Allow, Input: json.RawMessage(`{"query":"go 1.26 release notes"}`), Match: false},
				{Content: "domain:go.dev", Behavior: tool.Allow, Input: json.RawMessage(`{"query":"maps","allowed_domains":["go.dev"]}`), Match: true},
				{Content: "domain:go.dev", Behavior: tool.Allow, Input: json.RawMessage(`{"query":"maps","allowed_domains":["go.dev","example.org"]}`), Match: false},
			},
			Match: matchSearch, Suggest: suggestSearch, Describe: describeSearch,
		}),
	}
}
