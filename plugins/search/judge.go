package search

import (
	"path"
	"strings"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

// judge is what one tool searches.
type judge[In input] struct {
	// action is the tool's name in action strings.
	action string
	// walks tells that the pattern is a glob over paths, which itself may lead
	// somewhere.
	walks bool
}

// subject finds the directory that is searched.
func (j judge[In]) subject(c *tool.Call[In]) (query, paths.Place, error) {
	q := c.Input.query()
	start, err := q.start(j.walks)
	if err != nil {
		return q, paths.Place{}, err
	}
	place, err := paths.Locate(c.Context, start)
	place.Directory = true
	return q, place, err
}

func policy[In input](c *tool.Call[In]) *paths.Policy { return paths.NewPolicy(c.Config, c.Context) }

func (j judge[In]) check(c *tool.Call[In]) tool.Verdict {
	if _, _, err := j.subject(c); err != nil {
		return tool.Verdict{Behavior: tool.Ask, BypassImmune: true, Reason: "cannot tell what is searched: " + err.Error()}
	}
	return tool.Verdict{}
}

func (j judge[In]) readOnly(c *tool.Call[In]) tool.ReadOnly {
	q, place, err := j.subject(c)
	switch {
	case err != nil:
		return tool.ReadOnly{Reason: err.Error()}
	case policy(c).Secret(place) || policy(c).SeeksSecret(q.files) || j.action == "grep" && q.everything() && policy(c).SecretBelow(place, true):
		return tool.ReadOnly{Reason: "the search reaches secrets"}
	}
	return tool.ReadOnly{ReadOnly: true}
}

func (j judge[In]) match(c *tool.Call[In], behavior tool.Behavior, rules []tool.Rule) []int {
	q, place, err := j.subject(c)
	unsure := err != nil || paths.Hidden(c.Unknown, c.Raw)
	return tool.Indices(rules, func(rule tool.Rule) bool {
		if unsure {
			return behavior != tool.Allow
		}
		if q.pattern != "" && rule.Content == q.pattern {
			return true
		}
		content, limited := strings.CutPrefix(rule.Content, "path:")
		if !limited && !looksLikePath(content) {
			return false
		}
		rule.Content = content
		wide := place
		wide.Tree = behavior != tool.Allow
		return paths.Matches(behavior, rule, c.Context, wide)
	})
}

// looksLikePath tells a path glob from the text of a pattern.
func looksLikePath(content string) bool {
	return strings.HasPrefix(content, "/") || strings.HasPrefix(content, "~/") || strings.HasPrefix(content, "./") || strings.HasSuffix(content, "/**")
}

func (j judge[In]) suggest(c *tool.Call[In]) []tool.Suggestion {
	q, place, err := j.subject(c)
	if err != nil {
		return nil
	}
	var list []tool.Suggestion
	if dir, ok := paths.SuggestDirectory(c.Context, place); ok {
		list = append(list, tool.Propose("path:"+dir, "any search below "+place.Lexical))
	}
	// As a rule such a pattern would mean a directory as well.
	where := looksLikePath(q.pattern) || strings.HasPrefix(q.pattern, "path:")
	if q.pattern != "" && q.pattern != "*" && !where && len(q.pattern) <= 400 && !paths.HasControl(q.pattern) {
		list = append(list, tool.Propose(q.pattern, "exactly this pattern, in any directory"))
	}
	return list
}

func (j judge[In]) describe(c *tool.Call[In]) tool.Description {
	q := c.Input.query()
	detail := q.pattern
	if j.action == "view" {
		detail = paths.Shown(c.Context, path.Clean("./"+q.dir))
		if path.IsAbs(q.dir) || strings.HasPrefix(q.dir, "~") {
			detail = paths.Shown(c.Context, q.dir)
		}
	}
	d := tool.Description{Action: "tool:" + j.action + ":" + detail, Title: c.Tool + " " + detail, Effects: []tool.Effect{}}
	start, err := q.start(j.walks)
	target, ok := paths.Target(start, tool.Read)
	if err != nil || !ok {
		d.TargetsUnknown = true
		return d
	}
	d.Targets, d.TargetsUnknown = []tool.Target{target}, paths.Hidden(c.Unknown, c.Raw)
	says := paths.OfProject(c.Context, start)
	if j.action == "grep" {
		d.Marks = []tool.Mark{{Kind: tool.Tree, Value: q.reach(target.Value), Access: tool.Read}}
		d.Effects = append(d.Effects, tool.Effect{Kind: tool.Shows, Value: target.Value}) // lines of files below it
	}
	named, err := q.named()
	if err != nil {
		d.TargetsUnknown = true
	}
	for _, value := range named {
		if target, ok := paths.Target(value, tool.Read); ok && path.Clean(value) != path.Clean(start) {
			d.Targets = append(d.Targets, target)
			says = says && paths.OfProject(c.Context, value)
		}
	}
	if j.action != "view" { // the action names what is looked for, and not where
		says = says && !d.TargetsUnknown
		d.Analysed = &says
	}
	return d
}
