package modules

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// The caps of answers.
const (
	maxSuggestions = 32
	maxContent     = 4 << 10
	maxMisses      = 4
	maxTargets     = 256
	maxTarget      = 4 << 10
	maxMarks       = 2048
	maxEffects     = 256
	maxActions     = 4096
	maxRuleWords   = 4096
	maxPreview     = 8 << 10
)

// CheckAnswer reads the answer of an export as strictly as the host does, and describes a mistake
// in it. rules is the number of rules in a match_rule call.
func CheckAnswer(export string, answer []byte, rules int) (err error) {
	switch export {
	case sandbox.Describe:
		_, err = ParseDescription(answer)
	case sandbox.CheckPermissions:
		_, err = parseVerdict(answer)
	case sandbox.CheckReadOnly:
		_, err = parseReadOnly(answer)
	case sandbox.MatchRule:
		_, err = parseMatched(answer, rules)
	case sandbox.GenerateSuggestions:
		_, err = parseSuggestions(answer)
	case sandbox.DescribeCall:
		_, err = parseDescribed(answer)
	default:
		err = fmt.Errorf("%q is not an export of tool modules", export)
	}
	return err
}

func parseVerdict(data []byte) (engine.Verdict, error) {
	var a struct {
		Behavior     string `json:"behavior"`
		Message      string `json:"message"`
		Reason       string `json:"reason"`
		BypassImmune bool   `json:"bypass_immune"`
	}
	if err := decode(data, &a); err != nil {
		return engine.Verdict{}, err
	}
	b, err := engine.ParseBehavior(a.Behavior)
	if err != nil {
		return engine.Verdict{}, fmt.Errorf("behavior: %q: want allow, deny, ask or passthrough", clean(a.Behavior))
	}
	if a.BypassImmune && b != engine.Ask {
		return engine.Verdict{}, fmt.Errorf("bypass_immune: only valid with ask, got %s", b)
	}
	return engine.Verdict{Behavior: b, Message: clean(a.Message), Reason: clean(a.Reason), BypassImmune: a.BypassImmune}, nil
}

func parseReadOnly(data []byte) (engine.ReadOnly, error) {
	var a struct {
		ReadOnly *bool  `json:"read_only"`
		Reason   string `json:"reason"`
	}
	if err := decode(data, &a); err != nil {
		return engine.ReadOnly{}, err
	}
	if a.ReadOnly == nil {
		return engine.ReadOnly{}, errors.New("read_only: missing")
	}
	return engine.ReadOnly{ReadOnly: *a.ReadOnly, Reason: clean(a.Reason)}, nil
}

// parseMatched reads the indices of the deciding rules, of n.
func parseMatched(data []byte, n int) ([]int, error) {
	var a struct {
		Matched []int `json:"matched"`
	}
	if err := decode(data, &a); err != nil {
		return nil, err
	}
	if a.Matched == nil {
		return nil, errors.New("matched: missing")
	}
	last := -1
	for _, i := range a.Matched {
		if i <= last || i >= n {
			return nil, fmt.Errorf("matched: index %d after %d: want ascending indexes below %d without duplicates", i, last, n)
		}
		last = i
	}
	return a.Matched, nil
}

func parseSuggestions(data []byte) ([]engine.SuggestedRule, error) {
	var a struct {
		Rules []engine.SuggestedRule `json:"rules"`
	}
	if err := decode(data, &a); err != nil {
		return nil, err
	}
	if a.Rules == nil {
		return nil, errors.New("rules: missing")
	}
	if len(a.Rules) > maxSuggestions {
		return nil, fmt.Errorf("rules: %d: at most %d", len(a.Rules), maxSuggestions)
	}
	for i := range a.Rules {
		r := &a.Rules[i]
		if r.Content != nil && len(*r.Content) > maxContent {
			return nil, fmt.Errorf("rules[%d].content: %d bytes: at most %d", i, len(*r.Content), maxContent)
		}
		r.Description, r.Covers = clean(r.Description), cleanLines(r.Covers, maxContent)
		if err := checkMisses(r.NearMisses); err != nil {
			return nil, fmt.Errorf("rules[%d].near_misses%w", i, err)
		}
	}
	return a.Rules, nil
}

// checkMisses refuses invalid near misses, too many and too long ones.
func checkMisses(misses []json.RawMessage) error {
	if len(misses) > maxMisses {
		return fmt.Errorf(": %d: at most %d", len(misses), maxMisses)
	}
	for i, miss := range misses {
		if jsontext.Value(miss).Kind() != '{' || len(miss) > maxContent {
			return fmt.Errorf("[%d]: want an object of at most %d bytes", i, maxContent)
		}
	}
	return nil
}

type wireTarget struct {
	Kind   string `json:"kind"`
	Value  string `json:"value"`
	Access string `json:"access"`
}

func parseDescribed(data []byte) (Description, error) {
	var a struct {
		Action         string            `json:"action"`
		Actions        []string          `json:"actions"`
		Title          string            `json:"title"`
		Preview        string            `json:"preview"`
		Language       string            `json:"language"`
		Targets        []wireTarget      `json:"targets"`
		TargetsUnknown bool              `json:"targets_unknown"`
		Analysed       *bool             `json:"analysed"`
		Moves          bool              `json:"moves"`
		ChangesShell   []string          `json:"changes_shell"`
		Marks          []wireTarget      `json:"marks"`
		Effects        []wireEffect      `json:"effects"`
		RuleWords      *engine.RuleWords `json:"rule_words"`
	}
	if err := decode(data, &a); err != nil {
		return Description{}, err
	}
	d := Description{
		Action: a.Action, Actions: a.Actions, TargetsUnknown: a.TargetsUnknown, Analysed: !a.TargetsUnknown, Moves: a.Moves, ChangesShell: a.ChangesShell,
		Title: clean(a.Title), Preview: cleanLines(a.Preview, maxPreview), Language: sandbox.Clean(a.Language, 32),
	}
	if a.Analysed != nil {
		d.Analysed = *a.Analysed
	}
	if err := checkActions(a.Action, a.Actions); err != nil {
		return Description{}, err
	}
	if err := checkShell(a.ChangesShell); err != nil {
		return Description{}, err
	}
	var err error
	if d.Targets, err = readTargets(a.Targets, maxTargets, "path", "host", "mcp"); err != nil {
		return Description{}, fmt.Errorf("targets%w", err)
	}
	if d.Marks, err = readTargets(a.Marks, maxMarks, "tree", "program", "process", "service", "terminal", "endpoint"); err != nil {
		return Description{}, fmt.Errorf("marks%w", err)
	}
	if d.Effects, err = readEffects(a.Effects); err != nil {
		return Description{}, err
	}
	if d.RuleWords = a.RuleWords; d.RuleWords != nil && len(d.RuleWords.Allow)+len(d.RuleWords.Other) > maxRuleWords {
		return Description{}, fmt.Errorf("rule_words: %d: at most %d; leave the member out", len(d.RuleWords.Allow)+len(d.RuleWords.Other), maxRuleWords)
	}
	if err := d.checkWork(); err != nil {
		return Description{}, err
	}
	return d, nil
}

// wireEffect is an effect in a module's form. The host's own findings are no members.
type wireEffect struct {
	Kind    engine.EffectKind `json:"kind"`
	Value   string            `json:"value"`
	How     string            `json:"how"`
	Certain bool              `json:"certain"`
}

// readEffects accepts effects of the kinds for modules. Nil means the module does not name effects,
// an empty list that there are none.
func readEffects(list []wireEffect) ([]engine.Effect, error) {
	if list == nil {
		return nil, nil
	}
	if len(list) > maxEffects {
		return nil, fmt.Errorf("effects: %d: at most %d", len(list), maxEffects)
	}
	out := make([]engine.Effect, len(list))
	for i, e := range list {
		out[i] = engine.Effect{Kind: e.Kind, Value: e.Value, How: e.How, Certain: e.Certain}
		if err := out[i].Check(); err != nil {
			return nil, fmt.Errorf("effects[%d]: %s", i, clean(err.Error()))
		}
	}
	return out, nil
}

// readTargets takes at most so many targets of some kinds.
func readTargets(list []wireTarget, most int, kinds ...string) (out []engine.Target, err error) {
	if len(list) > most {
		return nil, fmt.Errorf(": %d: at most %d", len(list), most)
	}
	for i, t := range list {
		if err := t.check(kinds); err != nil {
			return nil, fmt.Errorf("[%d]: %w", i, err)
		}
		out = append(out, engine.Target{Kind: t.Kind, Value: t.Value, Access: t.Access})
	}
	return out, nil
}

// checkShell refuses unknown parts of a shell's state, and repeated ones.
func checkShell(parts []string) error {
	for i, part := range parts {
		if !slices.Contains(ShellParts, part) || slices.Contains(parts[:i], part) {
			return fmt.Errorf("changes_shell[%d]: %q: want %s, each once", i, clean(part), strings.Join(ShellParts, " or "))
		}
	}
	return nil
}

// checkActions keeps the action strings as they are, because profiles match
// them letter by letter.
func checkActions(action string, actions []string) error {
	if len(actions) > maxActions {
		return fmt.Errorf("actions: %d: at most %d", len(actions), maxActions)
	}
	if action != "" {
		actions = append([]string{action}, actions...)
	}
	for _, a := range actions {
		rest, ok := strings.CutPrefix(a, "tool:")
		if name, _, more := strings.Cut(rest, ":"); !ok || !more || name == "" {
			return fmt.Errorf("action %q: want tool:<name>:<detail>", sandbox.Clean(a, 80))
		}
	}
	return nil
}

func (t wireTarget) check(kinds []string) error {
	if last := len(kinds) - 1; !slices.Contains(kinds, t.Kind) {
		return fmt.Errorf("kind: %q: want %s or %s", clean(t.Kind), strings.Join(kinds[:last], ", "), kinds[last])
	}
	switch t.Access {
	case "read", "write", "run":
	default:
		return fmt.Errorf("access: %q: want read, write or run", clean(t.Access))
	}
	if t.Value == "" || len(t.Value) > maxTarget || strings.ContainsRune(t.Value, 0) {
		return fmt.Errorf("value: want 1 to %d bytes without NUL, got %d", maxTarget, len(t.Value))
	}
	return nil
}

// cleanLines is clean for text of several lines.
func cleanLines(text string, limit int) string {
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "")
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
			return -1
		}
		return r
	}, text)
}
