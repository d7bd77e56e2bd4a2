package conformance_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/toolkit/conformance"
	"github.com/callgate/callgate/sdk/go/tool"
)

// wrong is a module that breaks one rule.
type wrong struct {
	rule string
	// change makes another tool, twist other answers; twist is made anew for each
	// module, and may keep state. fresh is the twist of a fresh instance; nil is twist.
	change func(*tool.Spec[note])
	twist  func() twist
	fresh  twist
	fuel   func(input []byte) int64
	// lines is what each call logs, if not as much as nobody minds.
	lines int
}

// stateless is a twist without state.
func stateless(t twist) func() twist { return func() twist { return t } }

// on is a twist of one verb.
func on(verb string, t twist) func() twist {
	return stateless(func(v string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
		if v == verb {
			return t(v, input, right)
		}
		return right(input)
	})
}

// reads is a twist of what check_read_only, or another verb, takes for its input.
func reads(verb string, edit func([]byte) []byte) func() twist {
	return on(verb, func(_ string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
		return right(edit(input))
	})
}

// plain is an input as the host would write it, its names sorted; what is no JSON
// stays as it is.
func plain(input []byte) []byte {
	if text, err := tool.Canonical(input); err == nil {
		return []byte(text)
	}
	return input
}

// saying is a twist that answers a text where input is so, and gets an answer at all.
func saying(verb, answer string, so func(input []byte) bool) func() twist {
	return on(verb, func(_ string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
		out, err := right(input)
		if err == nil && so(plain(input)) {
			return []byte(answer), nil
		}
		return out, err
	})
}

func has(text string) func([]byte) bool {
	return func(in []byte) bool { return bytes.Contains(in, []byte(text)) }
}

// failing is a twist that fails where input is so.
func failing(verb string, err error, so func([]byte) bool) func() twist {
	return on(verb, func(_ string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
		if so(plain(input)) {
			return nil, err
		}
		return right(input)
	})
}

// limits is a twist of check_permissions that knows of an operator's limit, or of none.
func limits(limited bool) twist {
	return func(verb string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
		if limited && verb == sandbox.CheckPermissions {
			return []byte(`{"behavior":"deny","message":"above the limit"}`), nil
		}
		return right(input)
	}
}

// asked is what match_rule reads.
type asked struct {
	Behavior string                     `json:"behavior"`
	Input    map[string]json.RawMessage `json:"input"`
	Rules    []struct {
		Content string  `json:"content"`
		Root    *string `json:"root"`
	} `json:"rules"`
}

// matching is a twist of the indices that match_rule answers.
func matching(edit func(a asked, right []int) []int) func() twist {
	return on(sandbox.MatchRule, func(_ string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
		out, err := right(input)
		var a asked
		if err != nil || json.Unmarshal(plain(input), &a) != nil {
			return out, err
		}
		var m struct {
			Matched []int `json:"matched"`
		}
		if err := json.Unmarshal(out, &m); err != nil {
			return nil, err
		}
		m.Matched = append([]int{}, edit(a, m.Matched)...)
		return json.Marshal(m)
	})
}

func (a asked) holds(content string) bool {
	for _, r := range a.Rules {
		if r.Content == content {
			return true
		}
	}
	return false
}

// titled reports whether the call can be read.
func (a asked) titled() bool { return strings.HasPrefix(string(a.Input["title"]), `"`) }

func noTitle(in []byte) bool {
	return !has(`"title"`)(in) && !has(`"Title"`)(in) && has(`"input":{`)(in)
}

func replaced(old, new string) func([]byte) []byte {
	return func(in []byte) []byte { return bytes.ReplaceAll(in, []byte(old), []byte(new)) }
}

const readOnly = `{"read_only":true}`

var (
	errRefused = errors.New("refused")
	errFuel    = &sandbox.Error{Module: "fake", Kind: sandbox.KindFuel, Limit: "fuel", Message: "more than 600000000"}
	errStack   = &sandbox.Error{Module: "fake", Kind: sandbox.KindStack, Limit: "stack_kib", Message: "too deep"}
)

// wrongs are one module for each rule that a module which loads can break.
var wrongs = []wrong{
	{rule: "describe.same", twist: func() twist {
		n := 0
		return func(verb string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
			out, err := right(input)
			if n++; verb == sandbox.Describe && n > 1 {
				out = append(out, ' ')
			}
			return out, err
		}
	}},
	{rule: "describe.examples", change: func(s *tool.Spec[note]) { s.RuleExamples[0].Match = false }},
	{rule: "describe.schema", change: func(s *tool.Spec[note]) { s.InputSchema = `{"type":"objekt"}` }},
	{rule: "describe.both", change: func(s *tool.Spec[note]) { s.RuleExamples = s.RuleExamples[:2] }},
	{rule: "describe.help", change: func(s *tool.Spec[note]) { s.RuleHelp = "" }},

	{rule: "answer.strict", twist: saying(sandbox.GenerateSuggestions, `{"rules":[],"more":1}`, has(`"input":{"title":"show"}`))},
	{rule: "answer.indices", twist: matching(func(a asked, right []int) []int {
		if a.Behavior == "deny" && len(a.Rules) == 1 && a.holds("title:show") {
			return []int{7}
		}
		return right
	})},
	{rule: "answer.immune", twist: saying(sandbox.CheckPermissions, `{"behavior":"passthrough","bypass_immune":true}`, has(`{"title":"show"}`))},
	{rule: "answer.declared", twist: failing(sandbox.CheckPermissions, errRefused, has(`{"title":"show"}`))},
	{rule: "answer.schema", twist: failing(sandbox.CheckPermissions, errRefused, has(`"count"`))},
	{rule: "answer.same", twist: func() twist {
		last := ""
		return on(sandbox.CheckPermissions, func(_ string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
			if again := last == string(input); again && has(`"show"`)(input) {
				return []byte(`{"behavior":"passthrough","reason":"again"}`), nil
			}
			last = string(input)
			return right(input)
		})()
	}, fresh: func(_ string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) { return right(input) }},
	{rule: "answer.fresh", fresh: saying(sandbox.CheckPermissions, `{"behavior":"passthrough","reason":"fresh"}`, func(in []byte) bool { return !has("conformance of")(in) })()},
	{rule: "state.warm", twist: func() twist {
		read, limited := false, false
		return func(verb string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
			if !read && verb != sandbox.Describe { // it keeps what its first call brought
				read, limited = true, has(`"max":1,`)(input)
			}
			return limits(limited)(verb, input, right)
		}
	}, fresh: func(verb string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
		return limits(has(`"max":1,`)(input))(verb, input, right)
	}},
	{rule: "answer.after-others", twist: func() twist {
		n, told, seen := 0, 0, map[string]int{}
		return on(sandbox.CheckPermissions, func(_ string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
			n++
			at, known := seen[string(input)]
			seen[string(input)] = n
			if known && n-at > 15 && told < 3 {
				told++
				return []byte(`{"behavior":"passthrough","reason":"others"}`), nil
			}
			return right(input)
		})()
	}, fresh: func(_ string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) { return right(input) }},
	{rule: "answer.after-failure", twist: func() twist {
		failed := false
		return func(verb string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
			if verb == sandbox.DescribeCall && len(input) == 0 {
				failed = true
			}
			if verb == sandbox.CheckPermissions && failed && len(input) > 1 && len(input) < 1<<19 {
				failed = false
				return []byte(`{"behavior":"passthrough","reason":"failure"}`), nil
			}
			return right(input)
		}
	}},

	{rule: "json.empty", twist: on(sandbox.CheckReadOnly, func(_ string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
		if len(input) == 0 {
			return []byte(readOnly), nil
		}
		return right(input)
	})},
	{rule: "json.invalid", twist: reads(sandbox.CheckReadOnly, func(in []byte) []byte {
		if bytes.HasSuffix(in, []byte(",}")) {
			return append(bytes.Clone(in[:len(in)-2]), '}')
		}
		return in
	})},
	{rule: "json.trailing", twist: reads(sandbox.CheckReadOnly, func(in []byte) []byte { return bytes.TrimSuffix(in, []byte("x")) })},
	{rule: "json.bom", twist: reads(sandbox.CheckReadOnly, func(in []byte) []byte { return bytes.TrimPrefix(in, []byte("\xef\xbb\xbf")) })},
	{rule: "json.duplicate", twist: reads(sandbox.CheckReadOnly, func(in []byte) []byte {
		var v any
		if !utf8.Valid(in) || json.Unmarshal(in, &v) != nil || !bytes.Contains(in, []byte(`"tool":"Note"`)) || bytes.Count(in, []byte(`"tool":`)) < 2 {
			return in
		}
		out, _ := json.Marshal(v)
		return out
	})},
	{rule: "json.utf8", twist: reads(sandbox.CheckReadOnly, func(in []byte) []byte {
		if bytes.HasPrefix(in, []byte("\xff\xfe")) {
			return in
		}
		return bytes.ToValidUTF8(in, nil)
	})},
	{rule: "json.surrogate", twist: reads(sandbox.CheckReadOnly, func(in []byte) []byte {
		return regexp.MustCompile(`\\ud[89a-f]..`).ReplaceAll(in, nil)
	})},
	{rule: "json.names", twist: reads(sandbox.CheckReadOnly, replaced(`"Input":`, `"input":`))},
	{rule: "json.deep", twist: failing(sandbox.DescribeCall, errStack, has(strings.Repeat("[", 10000)))},

	{rule: "envelope.unknown-members", twist: failing(sandbox.DescribeCall, errRefused, has(`"zq_new"`))},
	{rule: "envelope.spelling", twist: on(sandbox.DescribeCall, func(_ string, input []byte, right func([]byte) ([]byte, error)) ([]byte, error) {
		if bytes.HasPrefix(input, []byte(" \n{")) {
			return nil, errRefused
		}
		return right(input)
	})},
	{rule: "envelope.mode", twist: saying(sandbox.CheckReadOnly, `{"read_only":false}`, func(in []byte) bool { return has(`"mode":"bypass"`)(in) && has(`"title":"show"`)(in) })},
	{rule: "envelope.paths", twist: failing(sandbox.CheckPermissions, errRefused, has(`"not_secret"`))},
	{rule: "envelope.shell-changed", twist: saying(sandbox.CheckReadOnly, readOnly, has(`"shell_changed":["directory"]`))},
	{rule: "envelope.wrong-types", twist: saying(sandbox.CheckReadOnly, readOnly, has(`"input":null`))},
	{rule: "envelope.identity", twist: reads(sandbox.CheckReadOnly, func(in []byte) []byte {
		if has(`"agent":"zq-agent"`)(in) {
			return replaced(`"title":"show"`, `"title":"other"`)(in)
		}
		return in
	})},
	{rule: "envelope.tool", twist: reads(sandbox.CheckPermissions, func(in []byte) []byte {
		return regexp.MustCompile(`"tool":"zq[0-9a-f]*zq"`).ReplaceAll(in, []byte(`"tool":"Note"`))
	})},

	{rule: "input.unreadable", twist: saying(sandbox.CheckReadOnly, readOnly, has(`"title":7`))},
	{rule: "input.required", twist: saying(sandbox.CheckReadOnly, readOnly, noTitle)},
	{rule: "input.unreadable-deny", twist: matching(func(a asked, right []int) []int {
		if a.Behavior == "deny" && string(a.Input["title"]) == "7" {
			return nil
		}
		return right
	})},
	{rule: "input.unreadable-targets", twist: saying(sandbox.DescribeCall, `{}`, has(`"title":7`))},
	{rule: "input.case", twist: saying(sandbox.CheckReadOnly, readOnly, has(`"Title"`))},
	{rule: "input.unknown-members", twist: saying(sandbox.CheckReadOnly, readOnly, has(`"__proto__"`))},
	{rule: "input.open-schema", change: func(s *tool.Spec[note]) {
		s.InputSchema, s.AnyField = strings.Replace(noteSchema, `,"additionalProperties":false`, "", 1), true
	}},
	{rule: "input.numbers", twist: reads(sandbox.MatchRule, replaced("9007199254740993", "9007199254740992"))},
	{rule: "input.control", twist: reads(sandbox.MatchRule, replaced(`\u0000zq"`, `"`))},

	{rule: "read-only.consistent", twist: saying(sandbox.CheckReadOnly, readOnly, has(`"input":{"title":"secret"}`))},
	{rule: "read-only.always-changes", change: func(s *tool.Spec[note]) { s.ReadOnly = nil },
		twist: saying(sandbox.CheckReadOnly, readOnly, has(`"input":{"title":"show"}`))},
	{rule: "check.targets", twist: reads(sandbox.CheckPermissions, func(in []byte) []byte {
		return bytes.ReplaceAll(in, []byte(`"claimed":true`), []byte(`"claimed":false`))
	})},

	{rule: "match.monotone", twist: matching(func(a asked, right []int) []int {
		if len(a.Rules) > 2 && a.holds("") && a.titled() {
			return nil
		}
		return right
	})},
	{rule: "match.order", twist: matching(func(a asked, right []int) []int {
		if n := len(a.Rules); n > 1 && a.Rules[n-1].Content == "title:show" && a.titled() {
			return nil
		}
		return right
	})},
	{rule: "match.union", twist: matching(func(a asked, right []int) []int {
		if a.Behavior != "deny" || len(right) == 0 {
			return right
		}
		var every []int
		for i := range a.Rules {
			every = append(every, i)
		}
		return every
	})},
	{rule: "match.decides", twist: matching(func(a asked, right []int) []int {
		if last := len(a.Rules) - 1; a.Behavior == "allow" && len(right) > 0 && !slices.Contains(right, last) {
			return []int{last}
		}
		return right
	})},
	{rule: "match.asymmetric", twist: matching(func(a asked, right []int) []int {
		if a.Behavior == "allow" || !a.titled() {
			return right
		}
		return slices.DeleteFunc(right, func(i int) bool { return a.Rules[i].Content == "title:show" })
	})},
	{rule: "match.unrelated", twist: matching(func(a asked, right []int) []int {
		if a.Behavior == "allow" && len(a.Rules) == 1 && a.Rules[0].Content == " " && string(a.Input["title"]) == `"show"` && len(a.Input) == 1 {
			return []int{0}
		}
		return right
	})},
	{rule: "match.root", twist: matching(func(a asked, right []int) []int {
		if len(a.Rules) > 0 && a.Rules[0].Root != nil && a.titled() {
			return nil
		}
		return right
	})},

	{rule: "suggest.matches", twist: saying(sandbox.GenerateSuggestions, `{"rules":[{"content":"title:zq other"}]}`, has(`"input":{"title":"show"}`))},
	{rule: "suggest.near-misses", twist: saying(sandbox.GenerateSuggestions, `{"rules":[{"content":"title:show","near_misses":[{"title":"show","file":"x"}]}]}`, has(`"input":{"title":"show"}`))},
	{rule: "suggest.immune", twist: saying(sandbox.GenerateSuggestions, `{"rules":[{"content":"title:secret"}]}`, has(`"input":{"title":"secret"}`))},
	{rule: "suggest.many", twist: saying(sandbox.GenerateSuggestions, `{"rules":[{"content":"title:show"},{"content":"title:show"}]}`, has(`"input":{"title":"show"}`))},
	{rule: "suggest.covers", twist: saying(sandbox.GenerateSuggestions, `{"rules":[{"content":"title:show","covers":"show"}]}`, func(in []byte) bool { return has(`"input":{"title":"show"}`)(in) && !has(`"covers":true`)(in) })},
	{rule: "suggest.broad", twist: saying(sandbox.GenerateSuggestions, `{"rules":[{"content":"title:*"}]}`, has(`"input":{"title":"show"}`))},

	{rule: "describe-call.action", twist: saying(sandbox.DescribeCall, `{"action":"tool:Other:show"}`, has(`"input":{"title":"show"}`))},
	{rule: "describe-call.claimed", twist: saying(sandbox.DescribeCall, `{"targets":[{"kind":"path","value":"zq/other","access":"read"}]}`, has(`"input":{"title":"show"}`))},
	{rule: "describe-call.effects", twist: saying(sandbox.DescribeCall, `{"effects":[]}`, func(in []byte) bool { return has(`"input":{"title":"show"}`)(in) && !has(`"effects":true`)(in) })},

	{rule: "work.bounded", twist: failing(sandbox.CheckReadOnly, errFuel, has(strings.Repeat("--", 16000)))},
	{rule: "work.growth", fuel: func(in []byte) int64 { return int64(len(in)) * int64(len(in)) / 100 }},
	{rule: "work.patterns", twist: failing(sandbox.MatchRule, errFuel, has(strings.Repeat("a*", 24)))},
	{rule: "work.huge", twist: saying(sandbox.GenerateSuggestions, `{"rules":[{"content":"`+strings.Repeat("a", 5000)+`"}]}`, func(in []byte) bool { return len(in) > 1<<20 })},
	{rule: "work.headroom", fuel: func([]byte) int64 { return 400_000_000 }},
	{rule: "work.log", lines: 17},
}

// but is options for all rules but those, which take long, and one of them.
func but(rule string) conformance.Options {
	o := options()
	for _, r := range conformance.Rules() {
		if r.ID == rule || r.ID != "work.huge" && r.ID != "work.patterns" && r.ID != "work.bounded" {
			o.Only = append(o.Only, r.ID)
		}
	}
	return o
}

func options() conformance.Options {
	return conformance.Options{Seed: 1, Fuel: 600_000_000, LogLines: 64, LogBytes: 16 << 10}
}

// TestRight: a module that keeps every promise has no finding, whatever the seed.
func TestRight(t *testing.T) {
	t.Parallel()
	seeds := []uint64{1, 2}
	if raceflag.Enabled {
		t.Log("one seed instead of two: the race detector")
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		o := options()
		o.Seed = seed
		f := fake{module: noteModule(nil), lines: 16}
		report, err := conformance.Check(t.Context(), f.subject(t, nil), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range report.Findings {
			t.Errorf("seed %d: %s %s: tried %s, came %s, on %s", seed, found.ID, found.Verb, found.Tried, found.Came, found.Input)
		}
		if !report.Conforms() || report.Count(conformance.Passed) < 50 {
			t.Errorf("seed %d: got %d rules passed; want 50 and no finding", seed, report.Count(conformance.Passed))
		}
	}
}

// TestWrong: each wrong module is caught by its own rule, and by no other.
func TestWrong(t *testing.T) {
	t.Parallel()
	if raceflag.Enabled {
		t.Log("only its own rule is tried on each wrong module: the race detector")
	}
	for _, w := range wrongs {
		t.Run(w.rule, func(t *testing.T) {
			t.Parallel()
			f := fake{module: noteModule(w.change), fuel: w.fuel, lines: cmp.Or(w.lines, 16)}
			fresh := w.fresh
			if w.twist != nil {
				f.twist = w.twist()
				if fresh == nil {
					fresh = w.twist()
				}
			}
			o := but(w.rule)
			if raceflag.Enabled {
				o.Only = []string{w.rule}
			}
			report, err := conformance.Check(t.Context(), f.subject(t, fresh), o)
			if err != nil {
				t.Fatal(err)
			}
			caught := false
			for _, found := range report.Findings {
				caught = caught || found.ID == w.rule
				if found.ID != w.rule {
					t.Errorf("got %s %s: tried %s, came %s, on %.500s", found.ID, found.Verb, found.Tried, found.Came, found.Input)
				}
			}
			if !caught {
				t.Errorf("got no finding; want %s", w.rule)
			}
		})
	}
}

// TestEveryRuleIsBroken: no rule is there that no module here breaks.
func TestEveryRuleIsBroken(t *testing.T) {
	t.Parallel()
	for _, rule := range conformance.Rules() {
		one := func(w wrong) bool { return w.rule == rule.ID }
		other := func(b broken) bool { return b.rule == rule.ID }
		if !slices.ContainsFunc(wrongs, one) && !slices.ContainsFunc(brokens, other) {
			t.Errorf("%s: no wrong module breaks it", rule.ID)
		}
		if rule.Title == "" || rule.Mend == "" || rule.Section == "" {
			t.Errorf("%s: got %+v; want a title, a section and how to mend it", rule.ID, rule)
		}
	}
}
