package web

import (
	"errors"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/plugins/internal/option"
	"github.com/callgate/callgate/sdk/go/tool"
)

// searchInput has the members of Claude Code's tool and of OpenCode's.
type searchInput struct {
	Query                string         `json:"query"`
	AllowedDomains       jsontext.Value `json:"allowed_domains"`
	BlockedDomains       []string       `json:"blocked_domains"`
	NumResults           option.Value   `json:"numResults"`
	Livecrawl            option.Value   `json:"livecrawl"`
	Type                 option.Value   `json:"type"`
	ContextMaxCharacters option.Value   `json:"contextMaxCharacters"`
	Tokens               option.Value   `json:"tokensNum"`
	Wait                 option.Value   `json:"wait_for_previous"`
}

// domains are the hosts to which a search is limited, with the port and the path
// of none; empty when it is not limited.
func (in searchInput) domains() ([]address, error) {
	var list []string
	if len(in.AllowedDomains) > 0 {
		if err := jsonv2.Unmarshal(in.AllowedDomains, &list); err != nil {
			return nil, errors.New("allowed_domains is no list of domains")
		}
	}
	var out []address
	for _, domain := range list {
		host, _, _ := strings.Cut(strings.TrimPrefix(domain, "*."), "/")
		a, err := parseHost(bracketed(host))
		if err != nil {
			return nil, err
		}
		a.path, a.ownPort = anyPath, true
		out = append(out, a)
	}
	return out, nil
}

// matchSearch compares the query, and the domains with contents that begin with
// "domain:". A rule for a path allows no search, because a search has none.
func matchSearch(c *tool.Call[searchInput], behavior tool.Behavior, rules []tool.Rule) []int {
	domains, err := c.Input.domains()
	return tool.Indices(rules, func(r tool.Rule) bool {
		switch {
		case r.Content == c.Input.Query:
			return true
		case !strings.HasPrefix(r.Content, "domain:"):
			return false
		case behavior != tool.Allow:
			return err != nil || slices.ContainsFunc(domains, func(a address) bool { return a.caughtBy(r.Content) })
		}
		return err == nil && len(domains) > 0 && !slices.ContainsFunc(domains, func(a address) bool { return !a.allowedBy(r.Content) })
	})
}

func suggestSearch(c *tool.Call[searchInput]) []tool.Suggestion {
	list := []tool.Suggestion{tool.ProposeTool("every search")}
	if query := c.Input.Query; query != "" && query != "*" && len(query) <= 400 && !strings.HasPrefix(query, "domain:") {
		list = append(list, tool.Propose(query, "exactly this query"))
	}
	return list
}

func describeSearch(c *tool.Call[searchInput]) tool.Description {
	d := tool.Description{Action: "tool:web_search:" + c.Input.Query, Title: "search " + clip(c.Input.Query)}
	domains, err := c.Input.domains()
	d.TargetsUnknown = err != nil || len(domains) > maxAddresses
	d.Effects = []tool.Effect{{Kind: tool.Reaches, Value: "web search", How: tool.Send, Certain: true}, {Kind: tool.Takes, Value: "web search", Certain: true}}
	for _, a := range domains[:min(len(domains), maxAddresses)] {
		d.Targets = append(d.Targets, tool.Target{Kind: tool.Host, Value: bracketed(a.host), Access: tool.Read})
	}
	d.Effects = append(d.Effects, visits(domains[:min(len(domains), maxAddresses)], false)...)
	return d
}
