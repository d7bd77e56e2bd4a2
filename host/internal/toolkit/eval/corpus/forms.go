package corpus

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
)

// The defaults of a line. Neutral paths: nothing of them is on the disk.
const (
	defaultCWD  = "/my/project"
	defaultHome = "/home/dev"
	shellTool   = "Bash"
)

// object is a JSON object on its way to or from the evaluator.
type object = map[string]any

// subject is the common part of all kinds of lines but requests: the call, and its reason for
// being in the corpus.
type subject struct {
	Why    string `json:"why"`
	Source string `json:"source"`

	Command  *string        `json:"command"`
	Tool     string         `json:"tool"`
	Input    jsontext.Value `json:"input"`
	RawInput *string        `json:"raw_input"`

	CWD                *string           `json:"cwd"`
	Home               *string           `json:"home"`
	WorkingDirectories *[]string         `json:"working_directories"`
	Links              map[string]string `json:"links"`
	Config             jsontext.Value    `json:"config"`
	Annotations        jsontext.Value    `json:"annotations"`
}

// request starts a request about the call.
func (s *subject) request(op string) (object, error) {
	switch {
	case strings.TrimSpace(s.Why) == "":
		return nil, errors.New("why: missing: say the reason")
	case strings.TrimSpace(s.Source) == "":
		return nil, errors.New("source: missing: say where the case comes from")
	case s.Command != nil && (s.Tool != "" || s.Input != nil || s.RawInput != nil):
		return nil, errors.New("command: it is short for tool Bash and its input: give it alone")
	case s.Command == nil && s.Tool == "":
		return nil, errors.New("give command, or tool with input or raw_input")
	case s.Command == nil && (s.Input == nil) == (s.RawInput == nil):
		return nil, errors.New("give one of input and raw_input")
	}
	r := object{"op": op, "tool": s.toolName(), "context": s.context()}
	switch {
	case s.Command != nil:
		r["input"] = object{"command": *s.Command}
	case s.RawInput != nil:
		r["raw_input"] = *s.RawInput
	default:
		r["input"] = s.Input
	}
	if s.Config != nil {
		r["config"] = s.Config
	}
	if s.Annotations != nil {
		r["annotations"] = s.Annotations
	}
	return r, nil
}

func (s *subject) toolName() string {
	if s.Command != nil {
		return shellTool
	}
	return s.Tool
}

func (s *subject) context() object {
	c := object{"cwd": defaultCWD, "home": defaultHome, "working_directories": []string{defaultCWD}}
	if s.CWD != nil {
		c["cwd"] = *s.CWD
	}
	if s.Home != nil {
		c["home"] = *s.Home
	}
	if s.WorkingDirectories != nil {
		c["working_directories"] = *s.WorkingDirectories
	}
	if s.Links != nil {
		c["links"] = s.Links
	}
	return c
}

func (s *subject) text() string {
	switch {
	case s.Command != nil:
		return *s.Command
	case s.RawInput != nil:
		return s.Tool + " " + *s.RawInput
	}
	return s.Tool + " " + string(s.Input)
}

// rules are the rules of a line: of any tool in text form, or the contents of
// rules of the call's own tool.
type rules struct {
	Rules []string `json:"rules"`
	Allow []string `json:"allow"`
	Deny  []string `json:"deny"`
	Ask   []string `json:"ask"`
}

func (r *rules) list(tool string) ([]object, error) {
	var all []object
	for i, text := range r.Rules {
		word, rest, _ := strings.Cut(text, " ")
		behavior, err := engine.ParseBehavior(word)
		if err != nil || behavior == engine.Passthrough {
			return nil, fmt.Errorf("rules.%d: %q: want allow, deny or ask, a blank, and the rule", i, text)
		}
		rule, err := engine.ParseRule(rest)
		if err != nil {
			return nil, fmt.Errorf("rules.%d: %w", i, err)
		}
		all = append(all, object{"tool": rule.Tool, "content": rule.Content, "behavior": word})
	}
	for _, of := range []struct {
		behavior string
		contents []string
	}{{"allow", r.Allow}, {"deny", r.Deny}, {"ask", r.Ask}} {
		for _, content := range of.contents {
			all = append(all, object{"tool": tool, "content": content, "behavior": of.behavior})
		}
	}
	return all, nil
}

func (r *rules) empty() bool { return len(r.Rules)+len(r.Allow)+len(r.Deny)+len(r.Ask) == 0 }

// tightening reports that there are rules and none allows.
func (r *rules) tightening() bool {
	for _, text := range r.Rules {
		if strings.HasPrefix(text, "allow ") {
			return false
		}
	}
	return !r.empty() && len(r.Allow) == 0
}

// readModes reads one mode or a list; absent means the given ones.
func readModes(v jsontext.Value, absent ...string) ([]string, error) {
	var one string
	var many []string
	switch {
	case v == nil:
		return absent, nil
	case json.Unmarshal(v, &one) == nil:
		many = []string{one}
	case json.Unmarshal(v, &many) != nil || len(many) == 0:
		return nil, errors.New("mode: want a mode or a list of modes")
	}
	for _, m := range many {
		if _, err := engine.ParseMode(m); err != nil {
			return nil, fmt.Errorf("mode: %w", err)
		}
	}
	return many, nil
}

// decideForm is a line of must-not-allow and must-allow.
type decideForm struct {
	subject
	rules
	Mode    jsontext.Value `json:"mode"`
	Profile jsontext.Value `json:"profile"`
	// Want narrows the alternative to an allow: to deny or to ask.
	Want    string `json:"want"`
	allowed bool
}

func (f *decideForm) read() (Case, error) {
	c := Case{Text: f.text(), Why: f.Why}
	modes, err := readModes(f.Mode, f.modes()...)
	if err != nil {
		return c, err
	}
	list, err := f.list(f.toolName())
	if err != nil {
		return c, err
	}
	want := "allow"
	if !f.allowed {
		want = "not allow"
	}
	switch {
	case f.Want == "":
	case f.allowed || f.Want != "deny" && f.Want != "ask":
		return c, errors.New("want: only deny or ask, and only of what must not be allowed")
	default:
		want = f.Want
	}
	for _, mode := range modes {
		r, err := f.request("decide")
		if err != nil {
			return c, err
		}
		r["mode"] = mode
		if len(list) > 0 {
			r["rules"] = list
		}
		if f.Profile != nil {
			r["profile"] = f.Profile
		}
		c.probes = append(c.probes, probe{about: "mode " + mode, request: r, judge: wantBehavior(want)})
	}
	return c, nil
}

// modes are the most telling ones for a line: a call without rules is read-only, in default and
// explore alike; one held back only by deny and ask rules is tried where nothing else would.
func (f *decideForm) modes() []string {
	switch {
	case f.empty() && f.Profile == nil:
		return []string{"default", "explore"}
	case !f.allowed && f.tightening():
		return []string{"bypass"}
	}
	return []string{"default"}
}

// suggestForm is a line of suggestions: a call that asks, the rules on offer, and their
// coverage once they are stored.
type suggestForm struct {
	subject
	rules
	Mode jsontext.Value `json:"mode"`
	// Offer is the wanted contents, in order; None requires an empty list.
	Offer []string `json:"offer"`
	None  bool     `json:"none"`
	// Accept chooses the stored ones, by content; absent is the whole offer.
	Accept []string `json:"accept"`
	// Also must be allowed then, Near must still not be. Strings are commands,
	// objects inputs of the same tool.
	Also []jsontext.Value `json:"also"`
	Near []jsontext.Value `json:"near"`
}

func (f *suggestForm) read() (Case, error) {
	c := Case{Text: f.text(), Why: f.Why}
	if f.None && (f.Offer != nil || f.Accept != nil || f.Also != nil || f.Near != nil) {
		return c, errors.New("none: where nothing is offered there is no offer, accept, also or near")
	}
	modes, err := readModes(f.Mode, "default")
	if err != nil {
		return c, err
	}
	list, err := f.list(f.toolName())
	if err != nil {
		return c, err
	}
	for _, mode := range modes {
		r, err := f.request("decide")
		if err != nil {
			return c, err
		}
		r["mode"], r["rules"] = mode, list
		var later []probe
		for _, of := range []struct {
			about, want string
			calls       []jsontext.Value
		}{
			{"once stored, the same call", "allow", []jsontext.Value{nil}},
			{"once stored", "allow", f.Also},
			{"near miss", "not allow", f.Near},
		} {
			for _, call := range of.calls {
				p, err := f.variant(r, call)
				if err != nil {
					return c, err
				}
				p.about, p.judge = of.about+p.about, wantBehavior(of.want)
				later = append(later, p)
			}
		}
		c.probes = append(c.probes, probe{
			about: "mode " + mode, request: r, judge: f.judgeOffer,
			next: func(got object) []probe { return f.store(list, later, got) },
		})
	}
	return c, nil
}

// variant is a request like r about another call; nil is the same one.
func (f *suggestForm) variant(r object, call jsontext.Value) (probe, error) {
	other := object{}
	for k, v := range r {
		other[k] = v
	}
	if call == nil {
		return probe{request: other}, nil
	}
	delete(other, "raw_input")
	var command string
	switch {
	case call.Kind() == '{':
		other["input"] = call
	case json.Unmarshal(call, &command) == nil:
		other["input"] = object{"command": command}
	default:
		return probe{}, fmt.Errorf("also, near: %s: want a command or an input", call)
	}
	return probe{about: " " + string(call), request: other}, nil
}

func (f *suggestForm) judgeOffer(got object) *miss {
	if m := wantBehavior("ask")(got); m != nil {
		return m
	}
	contents := offered(got)
	switch {
	case f.None && len(contents) > 0:
		return &miss{want: "no suggestion", got: strings.Join(contents, ", ")}
	case !f.None && len(contents) == 0:
		return &miss{want: "a suggestion", got: "none"}
	case f.Offer != nil && !reflect.DeepEqual(f.Offer, contents):
		return &miss{want: "the suggestions " + strings.Join(f.Offer, ", "), got: strings.Join(contents, ", ")}
	}
	for _, content := range f.Accept {
		if !contains(contents, content) {
			return &miss{want: "the suggestion " + content, got: strings.Join(contents, ", ")}
		}
	}
	return nil
}

// store adds the accepted suggestions of an answer to the later requests.
func (f *suggestForm) store(list []object, later []probe, got object) []probe {
	if f.None || got["behavior"] != "ask" {
		return nil
	}
	stored := append([]object{}, list...)
	all, _ := got["suggestions"].([]any)
	for _, s := range all {
		rule, _ := s.(object)
		content, _ := rule["content"].(string)
		if f.Accept == nil || contains(f.Accept, content) {
			stored = append(stored, rule)
		}
	}
	probes := make([]probe, len(later))
	for i, p := range later {
		request := object{}
		for k, v := range p.request {
			request[k] = v
		}
		request["rules"] = stored
		p.request = request
		probes[i] = p
	}
	return probes
}

// offered lists the contents of an answer's suggestions; a whole tool is "*".
func offered(got object) []string {
	all, _ := got["suggestions"].([]any)
	contents := make([]string, len(all))
	for i, s := range all {
		rule, _ := s.(object)
		contents[i] = "*"
		if content, ok := rule["content"].(string); ok {
			contents[i] = content
		}
	}
	return contents
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

// matchForm is a line of match: one rule's content, and whether it matches as an
// allow rule and as a deny or ask rule.
type matchForm struct {
	subject
	Rule  *string `json:"rule"`
	Allow *bool   `json:"allow"`
	Deny  *bool   `json:"deny"`
}

func (f *matchForm) read() (Case, error) {
	c := Case{Text: f.text(), Why: f.Why}
	if f.Rule == nil || f.Allow == nil && f.Deny == nil {
		return c, errors.New("want rule, the content, and allow or deny or both, true or false")
	}
	c.Text = *f.Rule + " for " + c.Text
	for _, of := range []struct {
		behavior string
		want     *bool
	}{{"allow", f.Allow}, {"deny", f.Deny}, {"ask", f.Deny}} {
		if of.want == nil {
			continue
		}
		r, err := f.request("match")
		if err != nil {
			return c, err
		}
		r["content"], r["behavior"] = *f.Rule, of.behavior
		c.probes = append(c.probes, probe{about: "as " + of.behavior + " rule", request: r, judge: wantMatch(*of.want)})
	}
	return c, nil
}

// actionForm is a line of actions: a call, and its action strings for profiles.
type actionForm struct {
	subject
	Actions []string `json:"actions"`
}

func (f *actionForm) read() (Case, error) {
	c := Case{Text: f.text(), Why: f.Why}
	if len(f.Actions) == 0 {
		return c, errors.New("want actions, the action strings of the call, in order")
	}
	r, err := f.request("action")
	c.probes = []probe{{request: r, judge: func(got object) *miss {
		if failure, failed := got["error"]; failed {
			return &miss{want: compact(f.Actions), got: fmt.Sprintf("error: %v", failure)}
		}
		if have := compact(got["actions"]); have != compact(f.Actions) {
			return &miss{want: compact(f.Actions), got: have}
		}
		return nil
	}}}
	return c, err
}

// requestForm is a line of any other kind.
type requestForm struct {
	Name    string `json:"name"`
	Request object `json:"request"`
	Want    object `json:"want"`
}

func (f *requestForm) read() (Case, error) {
	if f.Name == "" || f.Request == nil || len(f.Want) == 0 {
		return Case{}, fmt.Errorf("want name, request and want; a directory called %s has lines of its own form", strings.Join(kinds, ", "))
	}
	return Case{Text: f.Name, probes: []probe{{request: f.Request, judge: f.judge}}}, nil
}

// judge compares the wanted parts; a wanted "error" is a part of the answer's text.
func (f *requestForm) judge(got object) *miss {
	failure, failed := got["error"].(string)
	if want, ok := f.Want["error"].(string); ok || failed {
		if !failed || !ok || !strings.Contains(failure, want) {
			return &miss{want: fmt.Sprintf("error: %v", f.Want["error"]), got: fmt.Sprintf("error: %v", got["error"])}
		}
		return nil
	}
	for key, want := range f.Want {
		if !reflect.DeepEqual(got[key], want) {
			return &miss{want: key + ": " + compact(want), got: key + ": " + compact(got[key])}
		}
	}
	return nil
}

func compact(v any) string {
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}
