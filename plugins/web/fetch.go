package web

import (
	"errors"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

type fetchInput struct {
	URL     string `json:"url"`
	Prompt  string `json:"prompt"`
	Format  any    `json:"format"`
	Timeout any    `json:"timeout"`
}

// config is what the operator may set for WebFetch.
type config struct {
	// ReadOnlyHosts are the hosts, in a rule's syntax, that may be fetched as if
	// that changed nothing.
	ReadOnlyHosts []string `json:"read_only_hosts"`
}

var errHidden = errors.New("the address is somewhere in the prompt")

// destination finds where a call leads; nil without an error when nowhere.
func destination(in fetchInput) (*address, error) {
	if in.URL == "" {
		if strings.Contains(in.Prompt, "://") { // clients exist that fetch what the prompt names
			return nil, errHidden
		}
		return nil, nil
	}
	a, err := parse(in.URL)
	if err != nil {
		return nil, err
	}
	return &a, nil
}

func checkFetch(c *tool.Call[fetchInput]) tool.Verdict {
	a, err := destination(c.Input)
	switch {
	case errors.Is(err, errScheme):
		return tool.Verdict{Behavior: tool.Deny, Reason: err.Error(), Message: "WebFetch fetches http and https addresses only."}
	case err != nil:
		return tool.Verdict{Behavior: tool.Ask, BypassImmune: true, Reason: "cannot tell where the call leads: " + err.Error()}
	case a == nil:
		return tool.Verdict{}
	}
	if why := private(*a); why != "" {
		return tool.Verdict{
			Behavior: tool.Ask, BypassImmune: true,
			Reason:  a.host + " is " + why,
			Message: a.host + " is " + why + "; a person has to approve each call to it.",
		}
	}
	return tool.Verdict{}
}

func readOnlyFetch(c *tool.Call[fetchInput]) tool.ReadOnly {
	a, err := destination(c.Input)
	if err != nil || a == nil || !a.plain {
		return tool.ReadOnly{}
	}
	var cfg config
	if len(c.Config) > 0 {
		if err := jsonv2.Unmarshal(c.Config, &cfg); err != nil {
			return tool.ReadOnly{Reason: "the operator's configuration of WebFetch cannot be read"}
		}
	}
	for _, content := range cfg.ReadOnlyHosts {
		if p, err := parsePattern(content); err == nil && p.names(*a) {
			return tool.ReadOnly{ReadOnly: true, Reason: "the operator listed " + content}
		}
	}
	return tool.ReadOnly{}
}

func matchFetch(c *tool.Call[fetchInput], behavior tool.Behavior, rules []tool.Rule) []int {
	a, err := destination(c.Input)
	return tool.Indices(rules, func(rule tool.Rule) bool {
		switch {
		case errors.Is(err, errScheme): // denied by the tool itself, and no host is reached
			return false
		case err != nil || paths.Hidden(c.Unknown, c.Raw):
			return behavior != tool.Allow
		case a == nil:
			return false
		}
		p, err := parsePattern(rule.Content)
		if behavior == tool.Allow {
			return err == nil && a.plain && p.names(*a)
		}
		return err != nil || p.names(*a)
	})
}

func suggestFetch(c *tool.Call[fetchInput]) []tool.Suggestion {
	a, err := destination(c.Input)
	if err != nil || a == nil || !a.plain || private(*a) != "" {
		return nil
	}
	return []tool.Suggestion{tool.Propose(a.host, "every address of "+a.host)}
}

func describeFetch(c *tool.Call[fetchInput]) tool.Description {
	d := tool.Description{Action: "tool:web_fetch:" + c.Input.URL, Title: "fetch " + c.Input.URL, Preview: clip(c.Input.Prompt), TargetsUnknown: paths.Hidden(c.Unknown, c.Raw)}
	a, err := destination(c.Input)
	switch {
	case errors.Is(err, errScheme) || err == nil && a == nil:
	case err != nil:
		d.TargetsUnknown = true
	default:
		d.Targets = []tool.Target{{Kind: tool.Host, Value: bracketed(a.host), Access: tool.Read}}
		d.Marks = []tool.Mark{{Kind: tool.Endpoint, Value: a.host + " " + a.port, Access: tool.Write}}
	}
	return d
}

// clip bounds a preview; the host shows the input whole.
func clip(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "\n[cut]"
}

func fetchExample(content string, behavior tool.Behavior, url string, match bool) tool.RuleExample {
	in, err := jsonv2.Marshal(map[string]string{"url": url})
	if err != nil {
		panic("web: a map of strings is JSON: " + err.Error())
	}
	return tool.RuleExample{Content: content, Behavior: behavior, Input: in, Match: match}
}
