package card_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// part is a piece of the call on a card, by its name.
func part(t *testing.T, c card.Card, name string) string {
	t.Helper()
	for _, p := range c.Call {
		if p.JSON && p.Name+" (JSON)" == name || !p.JSON && p.Name == name {
			return p.Text
		}
	}
	t.Fatalf("no part %q in %+v", name, c.Call)
	return ""
}

// detail is one of an ask's details.
func detail(t *testing.T, a ask.Ask, name string) string {
	t.Helper()
	for _, f := range card.Details(a) {
		if f.Name == name {
			return f.Value
		}
	}
	t.Fatalf("no detail %q in %+v", name, card.Details(a))
	return ""
}

// lines are the rows of a card at a terminal too wide to divide them.
func lines(c card.Card) string { return card.Terminal(c, 4000, false) }

func TestInputsThatWouldHide(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, input, field, want string }{
		{"escaped letters are plain", `{"command":"\u0072\u006d -rf"}`, "command", "rm -rf"},
		{"escaped letters in a nested value", `{"a":{"\u0072m":["\u0072m"]}}`, "a (JSON)", "{\n  \"rm\": [\n    \"rm\"\n  ]\n}"},
		{"surrogate pair", `{"c":"\ud83d\ude00"}`, "c", "\U0001F600"},
		{"half a surrogate pair", `{"c":"\ud83dx"}`, "(raw)", `{"c":"\ud83dx"}`},
		{"wrong order of surrogates", `{"c":"\ude00\ud83d"}`, "(raw)", `{"c":"\ude00\ud83d"}`},
		{"escaped backslash before u", `{"c":"\\ud83d"}`, "c", `\ud83d`},
		{"not UTF-8", "{\"c\":\"\xff\"}", "(raw)", `{"c":"‹byte FF›"}`},
		{"not an object", `["a"]`, "(raw)", `["a"]`},
		{"two values", `{"a":1} {"b":2}`, "(raw)", `{"a":1} {"b":2}`},
		{"cut off", `{"a":`, "(raw)", `{"a":`},
		{"nothing", `{}`, "", "no parameters"},
		{"empty text", `{"a":""}`, "a", ""},
		{"key like a field", `{"cwd\nx":"y"}`, `"cwd\nx"`, "y"},
		{"key like a label", `{"a (JSON)":"1"}`, `"a (JSON)"`, "1"},
		{"big number keeps its digits", `{"a":12345678901234567890.10}`, "a (JSON)", "12345678901234567890.10"},
		{"null", `{"a":null}`, "a (JSON)", "null"},
		{"quotes in a nested text", `{"a":["\"\\\n"]}`, "a (JSON)", "[\n  \"\\\"\\\\\\n\"\n]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := bash("")
			a.Tool, a.Input = "Deploy", json.RawMessage(tt.input)
			if got := part(t, card.Render(a, noon), tt.field); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Symptom: inputs come sorted by name, so that a card showed the new text of an edit
// before the old one, and a file's content before its path. What is of no known name stays
// in its order.
func TestInputsStandAsTheyAreRead(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"content":"x","file_path":"a"}`:                                     "file_path content",
		`{"all":true,"file_path":"a","new_string":"n","old_string":"o"}`:      "file_path all old_string new_string",
		`{"cell":1,"new_source":"x","notebook_path":"a","z":1}`:               "notebook_path cell z new_source",
		`{"path":"a","pattern":"p","command":"ls","b":1,"a":1,"command":"x"}`: "command command path pattern b a",
	} {
		a := bash("")
		a.Input = json.RawMessage(input)
		var got []string
		for _, p := range card.InputOf(a).Parameters() {
			got = append(got, p.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", input, got, want)
		}
	}
}

func TestDuplicateKeysAreBothShown(t *testing.T) {
	t.Parallel()
	a := bash("")
	a.Input = json.RawMessage(`{"command":"ls","command":"rm"}`)
	text := card.Terminal(card.Render(a, noon), 80, false)
	if !strings.Contains(text, "\n  command: ls  command: rm\n") {
		t.Errorf("one of two equal keys is missing:\n%s", text)
	}
}

// Several short parameters share a line; no text can look like the next one.
func TestShortParametersShareALine(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"a":"x","b":"y z","c":"1","d":"2"}`:                  "\n  a: x\n  b: y z\n  c: 1  d: 2\n",
		`{"a":"x","b":"y  c: evil","c":"ok"}`:                  "\n  a: x\n  b: y  c: evil\n  c: ok\n",
		`{"a":"x","b":"y","c":3}`:                              "\n  a: x  b: y\n  c (JSON): 3\n",
		`{"a":"` + strings.Repeat("w", 70) + `","b":"longer"}`: "\n  a: " + strings.Repeat("w", 70) + "\n  b: longer\n",
	} {
		a := bash("")
		a.Tool, a.Input = "Deploy", json.RawMessage(input)
		if text := card.Terminal(card.Render(a, noon), 80, false); !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", input, want, text)
		}
	}
}

func TestLongInputIsNeverSilentlyCut(t *testing.T) {
	t.Parallel()
	inputs := map[string]string{
		"100 kB":         "start " + strings.Repeat("x", 100_000) + " end",
		"many lines":     "start\n" + strings.Repeat("\n", 200) + "end",
		"one wide line":  "start" + strings.Repeat("é", 5000) + "end",
		"control bytes":  "start" + strings.Repeat("\x00", 5000) + "end",
		"short but tall": strings.Repeat("a\n", 100),
	}
	for name, command := range inputs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := bash(command)
			c := card.Render(a, noon)
			if c.Confirm == "" {
				t.Error("an approval needs no confirmation")
			}
			if !strings.Contains(lines(c), "are not shown here") || detail(t, a, "digest") != a.Digest {
				t.Errorf("got %+v", c.Call)
			}
			for _, choice := range c.Choices {
				if choice.Rules != nil || choice.Answer.WholeTool || len(choice.Answer.Sets) > 0 {
					t.Errorf("choice %s offers a rule for what is not shown", choice.Key)
				}
			}
			if text := card.Terminal(c, 80, false); len(text) > 40_000 {
				t.Errorf("the card has %d bytes", len(text))
			}
			full := strings.ReplaceAll(reveal(t, card.Full(a)), "\n  ", "\n")
			if !strings.Contains(full, command) {
				t.Error("Full does not have the whole input")
			}
			checkSums(t, c, command)
		})
	}
}

// checkSums adds up what a long card says it shows and leaves out.
func checkSums(t *testing.T, c card.Card, command string) {
	t.Helper()
	var total, gap, feeds int
	if len(c.Call) != 3 || !c.Call[1].Gap {
		t.Fatalf("got %+v", c.Call)
	}
	if _, err := fmt.Sscanf(c.Call[1].Text, "%d bytes with %d line feeds are not shown here, of %d bytes", &gap, &feeds, &total); err != nil {
		t.Error(err)
	}
	size := func(i int) int { return len(reveal(t, strings.ReplaceAll(c.Call[i].Text, "‹cut›", ""))) }
	head, tail := size(0), size(2)
	if head+gap+tail != total || total < len(command) || head == 0 || tail == 0 {
		t.Errorf("%d + %d + %d is not %d (command: %d)", head, gap, tail, total, len(command))
	}
}

func TestManyTargets(t *testing.T) {
	t.Parallel()
	a := bash("rm *")
	for i := range 256 {
		a.Targets = append(a.Targets, engine.Target{Kind: "path", Access: "write", Value: fmt.Sprint("f", i), Resolved: fmt.Sprint("/w/f", i), Exists: true, Inside: "/w"})
	}
	c := card.Render(a, noon)
	if !strings.Contains(lines(c), "\n! not shown here 236 more targets\n") {
		t.Errorf("the card does not say how many targets it leaves out:\n%s", lines(c))
	}
	if c.Confirm == "" || !strings.Contains(card.Full(a), "changes: /w/f255\n") {
		t.Error("the rest of the targets can be overlooked")
	}
	if !strings.Contains(lines(c), "\nRun? rm *\n") {
		t.Errorf("a short input is not shown whole beside many targets:\n%s", lines(c))
	}
}

func TestChoicesHandInWhatTheySay(t *testing.T) {
	t.Parallel()
	c := card.Render(bash("npm run build"), noon)
	var keys []string
	for _, choice := range c.Choices {
		keys = append(keys, choice.Key)
	}
	if got, want := strings.Join(keys, ""), "ys12wnrd"; got != want {
		t.Errorf("keys: got %s, want %s", got, want)
	}
	if got, want := c.Choices[1].Answer.Sets, c.Choices[2].Answer.Sets; !slices.Equal(got, want) {
		t.Errorf("for this session: got sets %v, want the first, %v", got, want)
	}
	for _, choice := range c.Choices {
		if denial := choice.Answer.Verdict == ask.Deny && !choice.ShowsFull; denial != strings.HasPrefix(choice.Label, "deny") {
			t.Errorf("%s: label %q with verdict %s", choice.Key, choice.Label, choice.Answer.Verdict)
		}
		if len(choice.Rules) > 0 != (len(choice.Answer.Sets) > 0 || choice.Answer.WholeTool) {
			t.Errorf("%s: rules %q shown, answer %+v", choice.Key, choice.Rules, choice.Answer)
		}
	}
}

func TestSubAgentStandsBesideItsAgent(t *testing.T) {
	t.Parallel()
	a := bash("ls")
	if text := lines(card.Render(a, noon)); !strings.Contains(text, "\nagent coder · ") {
		t.Errorf("without a sub-agent: got\n%s", text)
	}
	a.SubAgent = "Explore (a1\u202e)"
	if text := lines(card.Render(a, noon)); !strings.Contains(text, "\nagent coder / \"Explore (a1‹U+202E›)\" · ") {
		t.Errorf("got\n%s", text)
	}
}

func TestProfileIsNamedWithItsPattern(t *testing.T) {
	t.Parallel()
	a := bash("npm test")
	a.Decision = engine.Decision{
		Behavior: engine.Ask, Stage: engine.StageProfile, Code: engine.CodeProfile,
		Reason:          "profile standard: tool:bash:npm test matches (?s)tool:bash:.*",
		SuggestionsNote: "the profile asks every time: change profile standard, whose pattern (?s)tool:bash:.* asks",
	}
	for name, want := range map[string]string{"asks because": "the agent's profile says ask", "profile": "standard: tool:bash:npm test matches (?s)tool:bash:.*"} {
		if got := detail(t, a, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestNoChoicesButWhileShown(t *testing.T) {
	t.Parallel()
	for _, state := range []ask.State{ask.Queued, ask.Approved, ask.Denied, ask.TimedOut, ask.Cancelled, ""} {
		a := bash("ls")
		a.State = state
		if c := card.Render(a, noon); len(c.Choices) != 0 || c.Confirm != "" {
			t.Errorf("state %q: got choices %v", state, c.Choices)
		}
	}
}

func TestEveryEndSaysHow(t *testing.T) {
	t.Parallel()
	for _, cause := range []ask.Cause{
		ask.CauseTimeout, ask.CauseInterrupt, ask.CauseForkExit, ask.CauseClear, ask.CauseCaller,
		ask.CauseNoSurface, ask.CauseCardChanged, ask.CausePaused, ask.CauseFlood, ask.CauseError,
	} {
		a := bash("ls")
		a.State, a.Cause, a.Input, a.EndedAt = ask.Denied, cause, nil, noon
		got := strings.Split(lines(card.Render(a, noon)), "\n")[1]
		if !strings.HasPrefix(got, "Denied k3m9qd: ") || !strings.HasSuffix(got, "12:00:00 UTC") || cause != ask.CauseError && strings.Contains(got, "recorded") {
			t.Errorf("%s: got %q", cause, got)
		}
	}
}

func TestModuleWordsAreMarked(t *testing.T) {
	t.Parallel()
	for _, stage := range []engine.Stage{engine.StageToolCheck, engine.StageMode, engine.StageError, "other"} {
		a := bash("ls")
		a.Decision.Stage, a.Decision.Reason = stage, "trust me"
		if text := lines(card.Render(a, noon)); !strings.Contains(text, "\nmodule note, unverified: trust me\n") && stage != "other" {
			t.Errorf("stage %s: not marked:\n%s", stage, text)
		}
		for _, f := range card.Details(a) {
			if strings.Contains(f.Value, "trust me") && !f.Module {
				t.Errorf("stage %s: %q is not marked", stage, f.Name)
			}
		}
	}
	a := bash("ls")
	a.Decision.Stage, a.Decision.BypassImmune, a.Decision.Reason = engine.StageToolCheck, true, "trust me"
	if text := lines(card.Render(a, noon)); !strings.Contains(text, "\n! Careful: safety check. The tool says \"trust me\"\n") {
		t.Errorf("the reason of a safety check is not the tool's:\n%s", text)
	}
	if text := lines(card.Render(bash("ls"), noon)); strings.Contains(text, "module note") {
		t.Errorf("the engine's own sentence is told as the tool's:\n%s", text)
	}
}

func FuzzShown(f *testing.F) {
	for _, seed := range []string{"", "ls", "a\nb\n", "‹empty›", "\u202E", "  x", strings.Repeat(" ", 99), "\r\n\t"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		a := bash(command)
		if a.LongInput() || !utf8.ValidString(command) {
			t.Skip("shown in part, or replaced by encoding/json")
		}
		c := card.Render(a, noon)
		got := ""
		if pieces := c.Headline.Pieces; len(pieces) == 3 {
			got = pieces[2].Text
		} else {
			got = c.Call[0].Text
		}
		if back := reveal(t, got); back != command {
			t.Errorf("the card shows %+q for %+q", back, command)
		}
	})
}

// verbal reports whether a card has a verb for a tool.
func verbal(tool string) bool {
	a := bash("ls")
	a.Tool = tool
	return card.Render(a, noon).Headline.Pieces[0].Text != "Call"
}

func FuzzTerminal(f *testing.F) {
	f.Add([]byte(`{"command":"ls"}`), "text", 80)
	f.Add([]byte(`{"cwd":"/safe","[y] approve once":{"a":["\u202e"]}}`), "a\n[y] approve once\ncwd:  /safe", 40)
	f.Add([]byte(`{}`), strings.Repeat("cwd: [n] ", 30), 40)
	f.Add([]byte("{\"a\":\"\xff\"}"), "\x1b[2J\u202E", 0)
	f.Add([]byte(`{"a":"\ud800"}`), strings.Repeat("界", 900), -1)
	f.Fuzz(func(t *testing.T, input []byte, s string, columns int) {
		a := bash("")
		a.Input, a.Tool, a.Agent, a.SubAgent, a.Session, a.User, a.CWD, a.Action, a.Digest, a.ProjectRoot = input, s, s, s, s, s, s, s, s, s
		a.Changed = []string{s}
		a.Kind = engine.Kind(s)
		a.Targets = []engine.Target{{Kind: "path", Value: s, Access: s, Resolved: s, Lexical: s + "x", Repo: &engine.Repo{Dirty: []string{s}}}, {Kind: s, Value: s}, {Kind: "path", Value: s, Error: s}}
		a.Decision.Reason, a.Decision.SuggestionsNote = s, s
		a.Decision.Suggestions = []engine.Suggestion{{Tool: s, Content: &s, Behavior: engine.Allow, Description: s}}
		for _, stage := range []engine.Stage{engine.StageMode, engine.StageAskRule, engine.Stage(s)} {
			a.Decision.Stage = stage
			a.Decision.Rule = &engine.Rule{ID: s, Tool: s, Content: &s, Scope: engine.Scope(s), ScopeKey: s, CreatedBy: s, Reason: s}
			text := card.Terminal(card.Render(a, noon), columns%200, false)
			if i := strings.IndexFunc(text, forbidden); i >= 0 {
				t.Fatalf("%+q survives in\n%s", text[i:min(i+8, len(text))], text)
			}
			for own, want := range map[string]int{"[y] ": 1, "[n] ": 0, "agent ": 1, "Call ": 1, "──": 2} {
				if verbal(s) && own == "Call " {
					want = 0
				}
				if got := strings.Count("\n"+text, "\n"+own); got != want {
					t.Fatalf("%d lines begin with %q, want %d:\n%s", got, own, want, text)
				}
			}
		}
		if i := strings.IndexFunc(card.Full(a), forbidden); i >= 0 {
			t.Fatalf("%+q survives in Full", card.Full(a)[i:])
		}
	})
}
