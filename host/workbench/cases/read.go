package cases

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/strictyaml"
	"github.com/callgate/callgate/host/workbench"
)

// MaxFile is the largest file of cases, in bytes.
const MaxFile = 16 << 20

// Parse reads the cases of a file; file is its name in errors, which name line and
// member and are told all at once.
func Parse(file string, data []byte) ([]Case, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%s: %d bytes: at most %d", file, len(data), MaxFile)
	}
	var forms []form
	places, err := strictyaml.Decode(file, data, &forms)
	if err != nil {
		return nil, err
	}
	r := reader{List: strictyaml.List{File: file}, places: places}
	cases := make([]Case, len(forms))
	seen := map[string]int{}
	for i := range forms {
		r.at = fmt.Sprintf("[%d]", i)
		cases[i] = r.read(&forms[i])
		cases[i].File, cases[i].Line = file, places.Of(r.at).Line
		if first, twice := seen[forms[i].Name]; twice {
			r.wrong("name", "%q is the name of the case on line %d as well: every case needs its own", forms[i].Name, first)
		}
		seen[forms[i].Name] = cases[i].Line
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return cases, nil
}

// reader reads one case after the other and gathers what is wrong.
type reader struct {
	strictyaml.List
	places strictyaml.Places
	at     string // the case's own place
}

func (r *reader) wrong(field, format string, args ...any) {
	field = r.at + "." + field
	r.Add(r.places.Of(field), field, format, args...)
}

func (r *reader) read(f *form) Case {
	c := Case{Name: f.Name, mustFail: f.Error, Call: workbench.Call{
		Tool: f.Tool, CWD: r.absolute("cwd", f.CWD), Home: r.absolute("home", f.Home),
		Mode: f.Mode, Config: f.Config, Links: f.Links, TargetsUnknown: f.TargetsUnknown,
	}}
	if f.Name == "" {
		r.wrong("name", "missing: say in some words what the case shows")
	}
	if f.WorkingDirectories != nil {
		c.Call.WorkingDirectories = []string{}
		for _, dir := range *f.WorkingDirectories {
			c.Call.WorkingDirectories = append(c.Call.WorkingDirectories, r.absolute("working_directories", dir))
		}
	}
	if _, err := engine.ParseMode(f.Mode); err != nil && f.Mode != "" {
		r.wrong("mode", "%v", err)
	}
	for at := range f.Links {
		r.absolute("links", at)
	}
	r.input(f, &c)
	r.targets(f, &c)
	r.wants(f, &c)
	return c
}

func (r *reader) absolute(field, dir string) string {
	if dir != "" && !path.IsAbs(dir) {
		r.wrong(field, "%q is not an absolute path", dir)
	}
	return dir
}

// input reads the one of the three ways to write it that a case has.
func (r *reader) input(f *form, c *Case) {
	given := 0
	if f.Input != nil {
		given++
		if !strings.HasPrefix(string(f.Input), "{") {
			r.wrong("input", "want a mapping: a tool's input is an object (raw_input takes any text)")
		}
		c.Call.Input = f.Input
	}
	if f.RawInput != nil {
		given++
		c.Call.Raw = append([]byte{}, *f.RawInput...)
	}
	if f.RawBase64 != nil {
		given++
		raw, err := base64.StdEncoding.DecodeString(*f.RawBase64)
		if err != nil {
			r.wrong("raw_input_base64", "not base64: %v", err)
		}
		c.Call.Raw = append([]byte{}, raw...)
	}
	if given != 1 {
		r.wrong("input", "want one of input (a mapping), raw_input (text) and raw_input_base64 (bytes), got %d of them", given)
	}
}

func (r *reader) targets(f *form, c *Case) {
	if f.Targets == nil {
		return
	}
	c.Call.Targets = []engine.Target{}
	if err := jsonv2.Unmarshal(f.Targets, &c.Call.Targets, jsonv2.RejectUnknownMembers(true)); err != nil || c.Call.Targets == nil {
		r.wrong("targets", "want a list of targets as in context.targets: %v", err)
	}
}

// The members that the answers of the exports may have. Source: docs/abi.md.
var (
	checkMembers    = []string{"behavior", "message", "reason", "bypass_immune"}
	readOnlyMembers = []string{"read_only", "reason"}
	suggestMembers  = []string{"content", "description", "near_misses"}
	describeMembers = []string{"action", "actions", "title", "preview", "language", "targets", "targets_unknown", "analysed", "moves", "changes_shell", "marks"}
)

func (r *reader) wants(f *form, c *Case) {
	c.check = r.want("check", f.Check, checkMembers)
	c.describe = r.want("describe", f.Describe, describeMembers)
	c.readOnly = r.readOnly(f.ReadOnly)
	c.suggest = r.suggestions(f.Suggestions)
	for i, m := range f.Match {
		r.match(i, m, c)
	}
	if c.mustFail {
		for _, w := range []*want{c.check, c.readOnly, c.suggest, c.describe} {
			if w != nil {
				r.wrong("error", "a case in which every export must fail names no answers: take them out, or write error at single ones (check: error)")
				break
			}
		}
	}
}

// failure reports whether what is written says that the export must fail.
func failure(v json.RawMessage) bool {
	var word string
	return json.Unmarshal(v, &word) == nil && word == "error"
}

// want reads the members that are compared of one answer.
func (r *reader) want(field string, v json.RawMessage, known []string) *want {
	if v == nil {
		return nil
	}
	if failure(v) {
		return &want{failure: true}
	}
	w := &want{}
	if err := json.Unmarshal(v, &w.members); err != nil || w.members == nil {
		r.wrong(field, "want a mapping of members of the answer, or the word error")
		return nil
	}
	for _, name := range known {
		if _, ok := w.members[name]; ok {
			w.names = append(w.names, name)
		}
	}
	for name := range w.members {
		if !slices.Contains(known, name) {
			r.wrong(field+"."+name, "unknown key: an answer has %s", strings.Join(known, ", "))
		}
	}
	if len(w.members) == 0 {
		r.wrong(field, "names no member, so that nothing is compared: name one of %s", strings.Join(known, ", "))
	}
	return w
}

// readOnly reads {read_only: ..., reason: ...}, or the truth value alone.
func (r *reader) readOnly(v json.RawMessage) *want {
	var truth *bool
	if v != nil && json.Unmarshal(v, &truth) == nil && truth != nil {
		return &want{names: readOnlyMembers[:1], members: map[string]json.RawMessage{readOnlyMembers[0]: v}}
	}
	return r.want("read_only", v, readOnlyMembers)
}

// suggestions reads the list of all rules that should be suggested, each a content
// or some members.
func (r *reader) suggestions(v json.RawMessage) *want {
	if v == nil {
		return nil
	}
	if failure(v) {
		return &want{failure: true}
	}
	var items []json.RawMessage
	if err := json.Unmarshal(v, &items); err != nil || items == nil {
		r.wrong("suggestions", "want the list of all suggested rules ([] for none), or the word error")
		return nil
	}
	w := &want{list: true}
	for i, item := range items {
		w.rules = append(w.rules, r.suggestion(fmt.Sprintf("suggestions[%d]", i), item))
	}
	return w
}

func (r *reader) suggestion(field string, v json.RawMessage) suggestion {
	var text *string
	if json.Unmarshal(v, &text) == nil {
		return suggestion{"content": v} // null is the whole tool
	}
	w := r.want(field, v, suggestMembers)
	if w == nil || w.failure {
		return nil
	}
	return w.members
}

// match reads one set of rules and the indices of those that should match.
func (r *reader) match(i int, m matchForm, c *Case) {
	field := fmt.Sprintf("match[%d]", i)
	if b, err := engine.ParseBehavior(m.Behavior); err != nil || b == engine.Passthrough {
		r.wrong(field+".behavior", "%q: want allow, deny or ask", m.Behavior)
	}
	var rules []string
	if m.Rules == nil {
		r.wrong(field+".rules", "missing: want the contents of the rules to try, such as [staging/*]")
	} else {
		rules = *m.Rules
	}
	c.Call.Rules = append(c.Call.Rules, workbench.RuleSet{Behavior: m.Behavior, Contents: rules, Root: r.absolute(field+".root", m.Root)})
	w := &want{names: []string{"matched"}, members: map[string]json.RawMessage{"matched": m.Matched}}
	switch {
	case c.mustFail && m.Matched == nil:
		return
	case failure(m.Matched):
		w = &want{failure: true}
	case !indices(m.Matched, len(rules)):
		r.wrong(field+".matched", "want the indices of the rules that match, ascending, counted from 0 ([] for none), or the word error")
	}
	c.match = append(c.match, w)
}

func indices(v json.RawMessage, n int) bool {
	var list []int
	if json.Unmarshal(v, &list) != nil || list == nil {
		return false
	}
	last := -1
	for _, i := range list {
		if i <= last || i >= n {
			return false
		}
		last = i
	}
	return true
}
