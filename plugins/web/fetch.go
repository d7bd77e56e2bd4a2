package web

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/plugins/internal/option"
	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

// fetchInput has the members of the clients' tools: url and prompt are Claude
// Code's, format and timeout OpenCode's, those from max_length on the MCP fetch
// server's. Gemini CLI names the addresses in the prompt alone.
type fetchInput struct {
	URL        string       `json:"url"`
	URLs       []string     `json:"urls"`
	Prompt     string       `json:"prompt"`
	Format     option.Value `json:"format"`
	Timeout    option.Value `json:"timeout"`
	MaxLength  option.Value `json:"max_length"`
	StartIndex option.Value `json:"start_index"`
	Raw        option.Value `json:"raw"`
	// Query is what VS Code looks for in the page.
	Query string       `json:"query"`
	Wait  option.Value `json:"wait_for_previous"`
}

// config is what the operator may set for WebFetch.
type config struct {
	// ReadOnlyHosts are the hosts, in a rule's syntax, that may be fetched as if
	// that changed nothing.
	ReadOnlyHosts []string `json:"read_only_hosts"`
}

// errHidden: a prompt that names addresses may name more of them in words.
var errHidden = errors.New("the prompt may name another address")

// maxAddresses bounds how many addresses one call fetches.
const maxAddresses = 64

// destinations are all addresses a call leads to; none without an error when it
// leads nowhere. With errScheme, it leads to those and to something that is not
// fetched.
func destinations(in fetchInput) (list []address, err error) {
	texts, err := in.texts()
	if err != nil {
		return nil, err
	}
	var scheme error
	for _, text := range texts {
		a, err := parse(text)
		switch {
		case errors.Is(err, errScheme):
			scheme = err
		case err != nil:
			return nil, err
		default:
			list = append(list, a)
		}
	}
	return list, scheme
}

// texts are the addresses of a call as they are written.
func (in fetchInput) texts() ([]string, error) {
	texts := in.URLs
	if in.URL != "" {
		texts = append([]string{in.URL}, texts...)
	}
	if len(texts) > maxAddresses {
		return nil, fmt.Errorf("the call names more than %d addresses", maxAddresses)
	}
	if len(texts) > 0 {
		return texts, nil
	}
	return promptURLs(in.Prompt)
}

// promptURLs are the addresses in a prompt, found as Gemini CLI finds them: the
// words that hold "://". Beside an address no other word may look like a host,
// because the client has a model read the prompt.
func promptURLs(prompt string) ([]string, error) {
	if !strings.Contains(prompt, "://") {
		return nil, nil
	}
	var urls []string
	for _, word := range strings.Fields(prompt) {
		switch {
		case strings.Contains(word, "://"):
			urls = append(urls, word)
		case strings.Contains(strings.TrimRight(word, ".,:;!?"), ".") || strings.ContainsAny(word, "[@%"):
			return nil, errHidden
		}
	}
	if len(urls) > maxAddresses {
		return nil, fmt.Errorf("the prompt names more than %d addresses", maxAddresses)
	}
	return urls, nil
}

func checkFetch(c *tool.Call[fetchInput]) tool.Verdict {
	list, err := destinations(c.Input)
	switch {
	case errors.Is(err, errScheme):
		return tool.Verdict{Behavior: tool.Deny, Reason: err.Error(), Message: "WebFetch fetches http and https addresses only."}
	case err != nil:
		return tool.Verdict{Behavior: tool.Ask, BypassImmune: true, Reason: "cannot tell where the call leads: " + err.Error()}
	}
	for _, a := range list {
		if why := private(a); why != "" {
			return tool.Verdict{
				Behavior: tool.Ask, BypassImmune: true,
				Reason:  a.host + " is " + why,
				Message: a.host + " is " + why + "; a person has to approve each call to it.",
			}
		}
	}
	for _, a := range list {
		if why := lookAlike(a.host); why != "" {
			return tool.Verdict{Behavior: tool.Ask, Reason: "the host may pass for another: " + why}
		}
	}
	return tool.Verdict{}
}

func readOnlyFetch(c *tool.Call[fetchInput]) tool.ReadOnly {
	list, err := destinations(c.Input)
	if err != nil || len(list) == 0 {
		return tool.ReadOnly{}
	}
	var cfg config
	if len(c.Config) > 0 {
		if err := jsonv2.Unmarshal(c.Config, &cfg); err != nil {
			return tool.ReadOnly{Reason: "the operator's configuration of WebFetch cannot be read"}
		}
	}
	for _, a := range list {
		if !slices.ContainsFunc(cfg.ReadOnlyHosts, a.allowedBy) {
			return tool.ReadOnly{}
		}
	}
	return tool.ReadOnly{ReadOnly: true, Reason: "the operator listed " + strings.Join(cfg.ReadOnlyHosts, ", ")}
}

func (a address) allowedBy(content string) bool {
	p, err := parsePattern(content)
	return err == nil && p.allows(a)
}

func (a address) caughtBy(content string) bool {
	p, err := parsePattern(content)
	return err != nil || p.catches(a)
}

func matchFetch(c *tool.Call[fetchInput], behavior tool.Behavior, rules []tool.Rule) []int {
	list, err := destinations(c.Input)
	if behavior == tool.Allow {
		if err != nil {
			return nil
		}
		return covering(list, rules)
	}
	unclear := err != nil && !errors.Is(err, errScheme) || paths.Hidden(c.Unknown, c.Raw)
	return tool.Indices(rules, func(rule tool.Rule) bool {
		return unclear || slices.ContainsFunc(list, func(a address) bool { return a.caughtBy(rule.Content) })
	})
}

// covering are the rules that together allow every address; none when one is
// left over.
func covering(list []address, rules []tool.Rule) []int {
	used := make([]bool, len(rules))
	for _, a := range list {
		covered := false
		for i, rule := range rules {
			if a.allowedBy(rule.Content) {
				used[i], covered = true, true
			}
		}
		if !covered {
			return nil
		}
	}
	var indices []int
	for i := range rules {
		if used[i] {
			indices = append(indices, i)
		}
	}
	return indices
}

func suggestFetch(c *tool.Call[fetchInput]) []tool.Suggestion {
	list, err := destinations(c.Input)
	if err != nil {
		return nil
	}
	var out []tool.Suggestion
	for _, a := range list {
		if !a.plain || private(a) != "" {
			return nil
		}
		content := a.host
		if !a.ownPort {
			content = bracketed(a.host) + ":" + a.port
		}
		if !slices.ContainsFunc(out, func(s tool.Suggestion) bool { return *s.Content == content }) {
			out = append(out, tool.Propose(content, "every address of "+content+"; where it redirects to is not judged"))
		}
	}
	return out
}

func describeFetch(c *tool.Call[fetchInput]) tool.Description {
	list, err := destinations(c.Input)
	subject, actions := fetched(c)
	d := tool.Description{
		Action: actions[0], Title: "fetch " + clip(subject), Preview: clip(c.Input.Prompt),
		TargetsUnknown: paths.Hidden(c.Unknown, c.Raw) || err != nil && !errors.Is(err, errScheme),
	}
	if len(actions) > 1 {
		d.Actions = actions
	}
	d.Effects = visits(list, true)
	if err != nil && !errors.Is(err, errScheme) {
		d.Effects = append(d.Effects, tool.Effect{Kind: tool.Runs, Value: tool.Unreadable})
	}
	for _, a := range list {
		d.Targets = append(d.Targets, tool.Target{Kind: tool.Host, Value: bracketed(a.host), Access: tool.Read})
		d.Marks = append(d.Marks, tool.Mark{Kind: tool.Endpoint, Value: a.host + " " + a.port, Access: tool.Write})
	}
	return d
}

// visits are the effects of reading pages of hosts. What a machine of one's own says is
// no text by strangers.
func visits(list []address, certain bool) []tool.Effect {
	out := []tool.Effect{}
	for _, a := range list {
		host := bracketed(a.host)
		if slices.ContainsFunc(out, func(e tool.Effect) bool { return e.Value == host }) {
			continue
		}
		out = append(out, tool.Effect{Kind: tool.Reaches, Value: host, How: tool.Get, Certain: certain})
		if private(a) == "" {
			out = append(out, tool.Effect{Kind: tool.Takes, Value: host, Certain: certain})
		}
	}
	return out
}

// fetched is what a call fetches, in words and as one action string for each
// address, and another one for its canonical spelling where that differs: the
// strictest answer of a profile counts. Where a prompt hides addresses, the whole input is the detail: no
// pattern for an address means it.
func fetched(c *tool.Call[fetchInput]) (subject string, actions []string) {
	texts, err := c.Input.texts()
	if err != nil {
		subject, _ = tool.Canonical(c.Raw) // empty for what is no JSON, and then never asked
		texts = []string{subject}
	}
	if len(texts) == 0 {
		texts = []string{""}
	}
	for _, text := range texts {
		actions = append(actions, "tool:web_fetch:"+text)
		if a, err := parse(text); err == nil && a.canonical != text && a.canonical != text+"/" {
			actions = append(actions, "tool:web_fetch:"+a.canonical)
		}
	}
	return strings.Join(texts, " "), actions
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
