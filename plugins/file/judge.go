package file

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callgate/callgate/plugins/internal/paths"
	"github.com/callgate/callgate/sdk/go/tool"
)

// maxPreview bounds the bytes of a preview; the host shows the input whole.
const maxPreview = 4000

// judge is what one tool does to its files.
type judge[In input] struct {
	// action is the tool's name in action strings.
	action string
	// access is tool.Read or tool.Write.
	access string
	// globs tells that the tool takes wildcards in paths for such.
	globs bool
}

// wide returns a path of the call that stands for files nobody has seen: "" for
// none. No allow rule names it, because links among them may lead anywhere.
func (j judge[In]) wide(c *tool.Call[In]) string {
	files, err := c.Input.files()
	if err != nil || !j.globs {
		return ""
	}
	if i := slices.IndexFunc(files, func(f string) bool { return strings.ContainsAny(f, "*?[{") }); i >= 0 {
		return files[i]
	}
	return ""
}

// subject finds the files of a call. No path at all is no error: such a call
// touches nothing.
func subject[In input](c *tool.Call[In]) ([]paths.Place, error) {
	files, err := c.Input.files()
	if err != nil {
		return nil, err
	}
	var places []paths.Place
	for _, file := range files {
		place, err := paths.Locate(c.Context, file)
		if err != nil {
			return nil, err
		}
		places = append(places, place)
	}
	return places, nil
}

// files are the paths of a call of which subject found each.
func files[In input](c *tool.Call[In]) []string {
	list, _ := c.Input.files() // subject has seen its error
	return list
}

func policy[In input](c *tool.Call[In]) *paths.Policy { return paths.NewPolicy(c.Config, c.Context) }

func (j judge[In]) check(c *tool.Call[In]) tool.Verdict {
	places, err := subject(c)
	switch {
	case err != nil:
		return tool.Verdict{Behavior: tool.Ask, BypassImmune: true, Reason: "cannot tell which file: " + err.Error()}
	case j.access != tool.Write || len(places) == 0:
		return tool.Verdict{}
	}
	pol := policy(c)
	for _, place := range places {
		if why := pol.Protected(place); why != "" {
			return tool.Verdict{
				Behavior: tool.Ask, BypassImmune: true,
				Reason:  place.Resolved + " is " + why,
				Message: place.Resolved + " is " + why + "; a person has to approve each change of it.",
			}
		}
	}
	if c.Context.Mode == tool.ModeAcceptEdits && !slices.ContainsFunc(places, func(p paths.Place) bool { return p.Inside == "" }) {
		return tool.Verdict{Behavior: tool.Allow, Reason: "inside the working directory " + places[0].Inside}
	}
	return tool.Verdict{}
}

func (j judge[In]) readOnly(c *tool.Call[In]) tool.ReadOnly {
	places, err := subject(c)
	switch {
	case err != nil:
		return tool.ReadOnly{Reason: err.Error()}
	case len(places) == 0 && c.Tool != "Read":
		// A Read that names no file has nothing to read; a tool for several
		// files may have a default.
		return tool.ReadOnly{Reason: "the call names no file"}
	}
	if file := j.wide(c); strings.Trim(path.Base(file), "*?") == "" && file != "" {
		return tool.ReadOnly{Reason: file + " may name secrets as well"}
	}
	pol := policy(c)
	for i, place := range places {
		if pol.Secret(place) || j.globs && (pol.SecretBelow(place, true) || pol.SeeksSecret(files(c)[i])) {
			return tool.ReadOnly{Reason: place.Resolved + " holds secrets"}
		}
	}
	return tool.ReadOnly{ReadOnly: true}
}

// match finds the rules that decide: of allow rules those that together name
// every file, of deny and ask rules each that names one.
func (j judge[In]) match(c *tool.Call[In], behavior tool.Behavior, rules []tool.Rule) []int {
	places, err := subject(c)
	unsure := err != nil || len(places) == 0 && len(c.Unknown) > 0 || paths.Hidden(c.Unknown, c.Raw)
	if unsure || len(places) == 0 {
		return tool.Indices(rules, func(tool.Rule) bool { return unsure && behavior != tool.Allow })
	}
	if behavior == tool.Allow && j.wide(c) != "" {
		return nil
	}
	reads := sync.OnceValue(func() bool { return j.access == tool.Read && j.readOnly(c).ReadOnly })
	var all []int
	for i, place := range places {
		place.Tree = place.Tree || j.globs && behavior != tool.Allow && mayHold(files(c)[i])
		own := tool.Indices(rules, func(rule tool.Rule) bool {
			rule, limited, may := paths.Limited(behavior, rule, reads)
			place := place
			if place.Tree && limited { // what it names, it names with all below it
				place.Tree, place.Directory = false, true
				may = may && !policy(c).SecretBelow(place, true)
			}
			return may && paths.Matches(behavior, rule, c.Context, place)
		})
		if len(own) == 0 && behavior == tool.Allow {
			return nil
		}
		all = append(all, own...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// maxSuggested bounds the files for which rules are proposed one by one.
const maxSuggested = 8

// suggest proposes nothing for protected files, which no rule can allow, only the file itself for a
// secret, and among several files; of several in the project, the widest for each.
func (j judge[In]) suggest(c *tool.Call[In]) []tool.Suggestion {
	places, err := subject(c)
	pol := policy(c)
	if err != nil || len(places) > maxSuggested || j.wide(c) != "" || j.access == tool.Write && slices.ContainsFunc(places, func(p paths.Place) bool { return pol.Protected(p) != "" }) {
		return nil
	}
	var list []tool.Suggestion
	for _, place := range places {
		if place.Tree { // a search: its own tool proposes the rest
			if s, ok := paths.SuggestProject(c.Context, place); ok && j.access == tool.Read {
				list = append(list, s)
			}
			continue
		}
		own := paths.Suggest(c.Context, place, j.access)
		switch {
		case len(own) < 2:
		case j.access == tool.Read && pol.Secret(place):
			own = own[len(own)-1:]
		case len(places) > 1 && (place.Inside != "" || j.access == tool.Write && paths.Scratch(c.Context, place) != ""):
			own = own[:1]
		case len(places) > 1:
			own = own[len(own)-1:]
		}
		for _, s := range own {
			if !slices.ContainsFunc(list, func(had tool.Suggestion) bool { return *had.Content == *s.Content }) { // a file may be named twice
				list = append(list, s)
			}
		}
	}
	return list
}

// effects are what a call does to its files: it shows, replaces or deletes them. An edit
// of a file is none.
func (j judge[In]) effects(c *tool.Call[In], files []string) []tool.Effect {
	list := []tool.Effect{}
	add := func(kind, file, how string, certain bool) {
		if target, ok := paths.Target(file, j.access); ok && len(list) < maxFiles {
			list = append(list, tool.Effect{Kind: kind, Value: target.Value, How: how, Certain: certain})
		}
	}
	for _, file := range files {
		switch {
		case j.access == tool.Read:
			add(tool.Shows, file, "", !j.globs || !strings.ContainsAny(file, "*?[{"))
		case j.action == "create_file":
			add(tool.Overwrites, file, "", true)
		case j.action == "delete_file":
			add(tool.Deletes, file, "", true)
		}
	}
	if patch, ok := any(c.Input).(patchInput); ok {
		for _, file := range patch.deleted() {
			add(tool.Deletes, file, "", true)
		}
	}
	return list
}

func (j judge[In]) describe(c *tool.Call[In]) tool.Description {
	files, err := c.Input.files()
	if err != nil || len(files) == 0 {
		d := tool.Description{Action: "tool:" + j.action + ":", Title: c.Tool, TargetsUnknown: err != nil || len(c.Unknown) > 0, Effects: []tool.Effect{}}
		if err != nil {
			d.Effects = append(d.Effects, tool.Effect{Kind: tool.Runs, Value: tool.Unreadable})
		}
		return d
	}
	preview, language := c.Input.preview()
	if preview != "" && language == "" {
		language = strings.TrimPrefix(path.Ext(files[0]), ".")
	}
	if len(preview) > maxPreview {
		preview = strings.ToValidUTF8(preview[:maxPreview], "") + "\n[cut]"
	}
	d := tool.Description{Preview: preview, Language: language, TargetsUnknown: paths.Hidden(c.Unknown, c.Raw)}
	for _, file := range files {
		d.Actions = append(d.Actions, "tool:"+j.action+":"+paths.Shown(c.Context, file))
		if target, ok := paths.Target(file, j.access); ok {
			d.Targets = append(d.Targets, target)
			if j.globs && mayHold(file) {
				d.Marks = append(d.Marks, tool.Mark{Kind: tool.Tree, Value: file, Access: j.access})
			}
		} else {
			d.TargetsUnknown = true
		}
	}
	d.Effects = j.effects(c, files)
	d.Action, d.Title = d.Actions[0], c.Tool+" "+paths.Shown(c.Context, files[0])
	if len(files) == 1 {
		d.Actions = nil
	} else {
		d.Title += " and " + strconv.Itoa(len(files)-1) + " more"
	}
	return d
}
