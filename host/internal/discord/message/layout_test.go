package message_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/asktest"
)

func post(a ask.Ask) message.Shown { return message.Card(a, message.View{Instance: "i1"}) }

// fences are the code blocks of a content, as they are drawn.
func fences(content string) []string {
	var list []string
	for i, part := range strings.Split(content, "```") {
		if i%2 == 1 {
			list = append(list, draw("```" + part + "```")[0].text)
		}
	}
	return list
}

var gapLine = regexp.MustCompile(`\n⚠ \*\*(\d+) characters? (?:is|are) not shown here\*\*\n`)

// addUp checks that a card shows a command whole, or that its two ends and what it says
// is missing add up to it.
func addUp(t interface {
	Helper()
	Fatalf(string, ...any)
}, a ask.Ask, command string) (whole bool) {
	t.Helper()
	shown := post(a)
	blocks := fences(shown.Content)
	if len(blocks) == 0 { // it stands in the headline
		list, _ := codes(shown.Content)
		blocks = list[:1]
	}
	head, ok := reveal(blocks[0])
	if !ok {
		t.Fatalf("%q cannot be read back", blocks[0])
	}
	if len(blocks) == 1 {
		if head != command {
			t.Fatalf("%+q is shown for %+q", head, command)
		}
		return shown.Whole
	}
	tail, ok := reveal(blocks[1])
	gap := gapLine.FindStringSubmatch(shown.Content)
	if !ok || gap == nil || len(blocks) != 2 {
		t.Fatalf("the ends cannot be read: %s", shown.Content)
	}
	missing, _ := strconv.Atoi(gap[1])
	if !strings.HasPrefix(command, head) || !strings.HasSuffix(command, tail) ||
		utf8.RuneCountInString(head)+missing+utf8.RuneCountInString(tail) != utf8.RuneCountInString(command) {
		t.Fatalf("%d + %d + %d of %d characters:\n%s", utf8.RuneCountInString(head), missing, utf8.RuneCountInString(tail), utf8.RuneCountInString(command), shown.Content)
	}
	if shown.Whole || message.Units(head) == 0 || message.Units(tail) == 0 {
		t.Fatalf("a cut command is whole, or an end of it is missing:\n%s", shown.Content)
	}
	return false
}

func TestNothingIsSilentlyCut(t *testing.T) {
	alone(t)
	rapid.Check(t, func(t *rapid.T) {
		command := strings.ToValidUTF8(strings.Repeat(hostile().Draw(t, "text"), rapid.IntRange(1, 5).Draw(t, "times")), "?")
		if command != "" {
			addUp(t, bash(command), command)
		}
	})
	most := 0
	for n := 1; n < 3000; n += 13 {
		command := strings.Repeat("x", n)
		if addUp(t, bash(command), command) {
			most = n
		}
	}
	if most < 1100 {
		t.Errorf("a command of more than %d characters is not shown whole", most)
	}
	for _, command := range []string{strings.Repeat("\t", 900), strings.Repeat("\t ", 900), strings.Repeat("é\n", 90_000), strings.Repeat("`", 70_000), strings.Repeat("\u202e", 70_000), strings.Repeat("😀", 70_000), strings.Repeat("\n", 120_000) + "x"} {
		addUp(t, bash(command), command)
	}
}

func TestLongCall(t *testing.T) {
	t.Parallel()
	a := bash("echo start\n" + strings.Repeat("# padding\n", 2000) + "rm -rf ~\n")
	a.User, a.Changed = "ann", []string{"the target is a link now"}
	shown := post(a)
	if shown.Whole || len(message.Offers(a)) > 0 {
		t.Error("a call that is not shown whole offers rules")
	}
	if _, ok := message.SessionChoice(a); ok {
		t.Error("a call that is not shown whole can be allowed for the session")
	}
	if got, want := strings.Join(labels(shown.Message), ","), "Deny,Allow once: type k3m9qd…,Deny with words, details…,Deny with words…,,Details,"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(shown.Files) != 2 || shown.Files[0].Name != "call.txt" || shown.Files[1].Name != "call.json" {
		t.Fatalf("got %d files", len(shown.Files))
	}
	sum := sha256.Sum256(shown.Files[0].Data)
	for _, want := range []string{"SHA-256 `" + hex.EncodeToString(sum[:]) + "`", "digest `" + a.Digest + "`"} {
		if !strings.Contains(shown.Content, want) {
			t.Errorf("the card lacks %q:\n%s", want, shown.Content)
		}
	}
	if string(shown.Files[1].Data) != string(a.Input) {
		t.Error("call.json is not the input as it came")
	}
	for _, want := range []string{"user: ann\n", "changed since you approved: the target is a link now\n", "rm -rf ~"} {
		if !strings.Contains(string(shown.Files[0].Data), want) {
			t.Errorf("call.txt lacks %q", want)
		}
	}
	a.Input = encoded(map[string]string{"command": strings.Repeat("echo \u202e\n", 2000)})
	if files := post(a).Files; len(files) != 1 {
		t.Errorf("an input that reorders text is attached raw: %d files", len(files))
	}
}

// TestLongCallSaysWhyItAsks: the words of the tool with which it asks are not left to what
// is attached.
func TestLongCallSaysWhyItAsks(t *testing.T) {
	t.Parallel()
	a := bash(strings.Repeat("x", 50_000))
	for i := range 40 {
		a.Changed = append(a.Changed, strings.Repeat("y", 300))
		a.Targets = append(a.Targets, engine.Target{Kind: "path", Value: strings.Repeat("z", 300) + fmt.Sprint(i)})
	}
	a.Decision = engine.Decision{Stage: engine.StageToolCheck, Code: engine.CodeSafety, BypassImmune: true, Reason: "the command cannot be analysed"}
	for _, words := range []string{"the command cannot be analysed", strings.Repeat("w", 5000)} {
		a.Decision.Reason = words
		shown := post(a)
		sound(t, shown.Message)
		for _, want := range []string{"⚠ **Careful: safety check.** The tool says `" + words[:12], "xxx", "\ncall.txt has it whole"} {
			if !strings.Contains(shown.Content, want) {
				t.Errorf("the card lacks %q:\n%s", want, shown.Content)
			}
		}
		if n := strings.Count(shown.Content, "x"); n < 60 {
			t.Errorf("only %d characters of the command are shown:\n%s", n, shown.Content)
		}
	}
}

func TestCallThatIsTooLargeToAttach(t *testing.T) {
	alone(t)
	for _, command := range []string{strings.Repeat("x", message.MaxFile+1), strings.Repeat("\u202e", message.MaxFile/4)} {
		shown := post(bash(command))
		sound(t, shown.Message)
		if len(shown.Files) > 0 || !strings.Contains(shown.Content, "too large to attach: see it with `callgate asks show k3m9qd`") {
			t.Errorf("%d files:\n%s", len(shown.Files), shown.Content)
		}
	}
}

func TestManyTargetsBesideAShortCommand(t *testing.T) {
	t.Parallel()
	a := bash("rm *")
	for i := range 256 {
		a.Targets = append(a.Targets, engine.Target{Kind: "path", Access: "write", Value: fmt.Sprint("f", i), Resolved: fmt.Sprint("/w/f", i), Exists: true, Inside: "/w"})
	}
	shown := post(a)
	sound(t, shown.Message)
	if shown.Whole || !strings.Contains(shown.Content, "`rm *`") && !strings.Contains(shown.Content, "```\nrm *\n```") || !strings.Contains(shown.Content, "not shown here") || !strings.Contains(string(shown.Files[0].Data), "/w/f255") {
		t.Errorf("got %s", shown.Content)
	}
}

// TestLongPartsMakeACardThatIsNotWhole goes through what a person has to know.
func TestLongPartsMakeACardThatIsNotWhole(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 300)
	for name, change := range map[string]func(*ask.Ask){
		"agent":   func(a *ask.Ask) { a.Agent = long },
		"sub":     func(a *ask.Ask) { a.SubAgent = long },
		"tool":    func(a *ask.Ask) { a.Tool = long },
		"cwd":     func(a *ask.Ask) { a.CWD = long },
		"changed": func(a *ask.Ask) { a.Changed = []string{long} },
		"target":  func(a *ask.Ask) { a.Targets = []engine.Target{{Kind: "path", Resolved: long}} },
		"why": func(a *ask.Ask) {
			a.Decision = engine.Decision{Stage: engine.StageAskRule, Rule: &engine.Rule{Tool: "Bash", Content: &long}}
		},
	} {
		a := bash("ls")
		change(&a)
		if shown := post(a); shown.Whole || len(shown.Files) == 0 || !strings.Contains(string(shown.Files[0].Data), "long long") {
			t.Errorf("%s: it counts as whole, or is nowhere:\n%s", name, shown.Content)
		}
	}
	for name, change := range map[string]func(*ask.Ask){
		"session": func(a *ask.Ask) { a.Session = long },
		"user":    func(a *ask.Ask) { a.User = long },
		"action":  func(a *ask.Ask) { a.Action = long },
		"note":    func(a *ask.Ask) { a.Decision.SuggestionsNote = long },
	} {
		a := bash("ls")
		change(&a)
		if shown := post(a); !shown.Whole || !strings.Contains(string(message.Everything(a).Files[0].Data), "long long") {
			t.Errorf("%s: it should stand in the details:\n%s", name, shown.Content)
		}
	}
}

// TestNobodyMayApprove: where the requester may not and is not known, a card has nothing
// that approves, and says why.
func TestNobodyMayApprove(t *testing.T) {
	t.Parallel()
	const says = "\n⚠ **No one may approve this:** "
	for _, command := range []string{"ls", strings.Repeat("x", 5000)} {
		a := bash(command)
		a.Approvers = approvers.Policy{{Quorum: 2, ExcludeRequester: true}}
		if shown := post(a); strings.Contains(shown.Content, says) || !strings.Contains(shown.Content, "0 of 2 approved") || !strings.Contains(strings.Join(labels(shown.Message), ","), "Allow once") {
			t.Errorf("somebody may approve it:\n%s", shown.Content)
		}
		a.User = ""
		shown := post(a)
		sound(t, shown.Message)
		if got := strings.Join(labels(shown.Message), ","); got != "Deny,Deny with words, details…,Deny with words…,,Details," || !strings.Contains(shown.Content, says) || strings.Contains(shown.Content, "0 of 2") {
			t.Errorf("got %s:\n%s", got, shown.Content)
		}
		if _, ok := message.SessionChoice(a); ok || len(message.Offers(a)) > 0 {
			t.Error("rules are offered")
		}
	}
}

// TestLongSessions: the card has the beginning of a long session, the details all of it,
// and no other session looks like one that is shortened.
func TestLongSessions(t *testing.T) {
	t.Parallel()
	const uuid = "9c1e7f3a-2b4d-4e6f-8a90-1b2c3d4e5f60"
	for session, want := range map[string]string{
		uuid: "9c1e7f3a…", "s1": "s1", "sixteen-letters-": "sixteen-letters-", "9c1e7f3a…": "9c1e7f3a‹U+2026›",
		"\xff…345678901234567": "‹byte FF›‹U+2026›345678…", "a`2345678901234567": "a‹U+0060›234567…",
	} {
		a := bash("ls")
		a.Session = session
		shown := post(a)
		if !strings.Contains(shown.Content, " · session `"+want+"`\n") && !strings.HasSuffix(shown.Content, " · session `"+want+"`") || !shown.Whole {
			t.Errorf("%q, want %q in\n%s", session, want, shown.Content)
		}
		if session == uuid && !shownSomewhere(message.Everything(a).Content, uuid) {
			t.Errorf("the details lack the session:\n%s", message.Everything(a).Content)
		}
	}
}

// TestParametersStandAsTheyAreRead: no long content stands between a person and the path,
// and of an edit the old text stands before the new one. Inputs come sorted by name.
func TestParametersStandAsTheyAreRead(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		`{"content":"a\nb","file_path":"x","n":1,"z":"c\nd"}`: "**Call** `Deploy`\n`file_path`: `x` · `n` JSON: `1`\n`z`\n```\nc\nd\n```\n`content`\n```\na\nb\n```",
		`{"prompt":"why?","url":"https://example.com/x"}`:     "**Call** `Deploy`\n`url`: `https://example.com/x` · `prompt`: `why?`",
		`{"title":"Upgrade","body":"a\nb"}`:                   "**Call** `Deploy` `Upgrade`\n`body`\n```\na\nb\n```",
		`{"title":"a","title":"b"}`:                           "**Call** `Deploy`\n`title`: `a` · `title`: `b`",
	} {
		a := bash("")
		a.Tool, a.Input = "Deploy", json.RawMessage(input)
		if body, _, _ := strings.Cut(post(a).Content, "\n-# agent `"); body != want {
			t.Errorf("%s: got\n%s\nwant\n%s", input, body, want)
		}
	}
}

// rule is a suggestion of a set of its own.
func suggest(texts ...string) []engine.Suggestion {
	var list []engine.Suggestion
	for i, text := range texts {
		list = append(list, engine.Suggestion{Tool: "Bash", Content: &text, Behavior: engine.Allow, Set: i})
	}
	return list
}

func TestRulesAreStoredAsTheyAreRead(t *testing.T) {
	t.Parallel()
	a := bash("npm run build")
	offers := message.Offers(a)
	if c, ok := message.SessionChoice(a); !ok || !c.Answer.ForSession || c.Rules[0] != "allow Bash(npm run:*)" || len(offers) != 3 || !offers[0].Exact || offers[2].Exact {
		t.Errorf("got %+v, %v, %+v", c, ok, offers)
	}
	// The text has no room in an option: nothing is stored with one tap.
	a.Decision.Suggestions = suggest(strings.Repeat("y", 1900), "npm run build")
	offers = message.Offers(a)
	if _, ok := message.SessionChoice(a); ok || offers[1].Exact || !offers[2].Exact {
		t.Errorf("got %v, %+v", ok, offers)
	}
	if first := offers[0]; first.Value != "s" || first.Exact || !first.Choice.Answer.ForSession {
		t.Errorf("the session's choice is not in the menu: %+v", first)
	}
	// A rule that allows every call of a tool is shown first, and has no button.
	a.Decision.Suggestions = []engine.Suggestion{{Tool: "Bash", Behavior: engine.Allow}}
	if _, ok := message.SessionChoice(a); ok || slices.ContainsFunc(message.Offers(a), func(o message.Offer) bool { return o.Exact }) {
		t.Errorf("one tap allows every call: %v, %+v", ok, message.Offers(a))
	}
	a.Decision.Suggestions = suggest(strings.Repeat("y", 1900), "npm run build")
	m := message.ConfirmRule(a, offers[1], "i1")
	sound(t, m)
	if !strings.Contains(m.Content, offers[1].Choice.Rules[0]) || len(labels(m)) != 1 {
		t.Errorf("the exact text is not shown before it is stored: %s", m.Content)
	}
	a.Decision.Suggestions = suggest(strings.Repeat("y", 1990))
	if m := message.ConfirmRule(a, message.Offers(a)[0], "i1"); len(labels(m)) != 0 {
		t.Errorf("a rule that cannot be shown can be stored: %s", m.Content)
	}
	a.Decision.BypassImmune = true
	if _, ok := message.SessionChoice(a); ok || len(message.Offers(a)) > 0 {
		t.Error("a safety check offers rules")
	}
}

func TestOddCharactersAreCounted(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"ls\t-l\n\n\n\n\n  x" + strings.Repeat(" ", 99): "",
		"echo \u202ehi":                  "⚠ 1 character is invisible, reorders text or looks like others:",
		"r\u200bm \xe2\x80\xa8 c\u0430t": "⚠ 3 characters are invisible, reorder text or look like others:",
		"привет":                         "letters, some of which look like Latin ones",
	} {
		content := post(bash(command)).Content
		if want == "" && strings.Contains(content, "⚠") || !strings.Contains(content, want) {
			t.Errorf("%+q: want %q in\n%s", command, want, content)
		}
	}
	a := bash("touch \u200bx")
	a.Action = "tool:bash:touch \u200bx and more"
	a.Targets = []engine.Target{{Kind: "path", Value: "\u200bx", Resolved: "/w/\u200bx", Access: "write", Exists: true, Inside: "/w"}}
	if content := post(a).Content; !strings.Contains(content, "⚠ 1 character is invisible") {
		t.Errorf("what targets and the action repeat is counted again:\n%s", content)
	}
	a = bash("ls")
	a.Targets = []engine.Target{{Kind: "path", Value: "x", Resolved: "/w/\u200bx", Access: "write", Exists: true, Inside: "/w"}}
	if content := post(a).Content; !strings.Contains(content, "⚠ 1 character is invisible") {
		t.Errorf("what a link leads to is not counted:\n%s", content)
	}
	a = bash("ls")
	a.User = "an\u202en"
	if content := post(a).Content; !strings.Contains(content, "⚠ 1 character is invisible") {
		t.Errorf("an odd name is not counted:\n%s", content)
	}
}

func TestManyStoredRules(t *testing.T) {
	t.Parallel()
	a := bash("x")
	a.Input = encoded(map[string]string{"command": strings.Repeat("x", 1100)})
	call := post(a).Call
	a.State, a.Cause, a.Answer = ask.Approved, ask.CauseAnswered, &ask.Answer{By: strings.Repeat("b", 200), Surface: "discord", Reason: strings.Repeat("because ", 200)}
	var rules []engine.Rule
	for i := range 40 {
		rules = append(rules, engine.Rule{Tool: "Bash", Content: text(fmt.Sprint(strings.Repeat("y", 50), i)), Behavior: engine.Allow, Scope: engine.Session})
	}
	m := message.Ended(a, message.End{Call: call, Rules: rules, Notes: []string{"a note"}})
	sound(t, m)
	for _, want := range []string{" · stored 37 more: see callgate rules list · ", "take back: Undo", " · a note\n", "990 characters not shown", "agent `coder`"} {
		if !strings.Contains(m.Content, want) {
			t.Errorf("no %q in %s", want, m.Content)
		}
	}
	if strings.Count(m.Content, "\n") != 1 || !strings.HasSuffix(m.Content, "\n"+call) {
		t.Errorf("want two lines, got %s", m.Content)
	}
	for _, call := range []string{strings.Repeat("x", 1990), "xxx\nxxx", ""} {
		if m := message.Ended(a, message.End{Call: call, Rules: rules}); m.Check() != nil || strings.Contains(m.Content, "xxx") || !strings.HasSuffix(m.Content, "\n-# the call is in the audit") {
			t.Errorf("a row that is no card's stays: %s", m.Content)
		}
	}
}

// TestEndedListHasRoom: however long the first two lines are, the asks of the list are counted.
func TestEndedListHasRoom(t *testing.T) {
	t.Parallel()
	a := bash(strings.Repeat("x", 1100))
	call := post(a).Call
	a.State, a.Cause, a.EndedAt, a.Answer = ask.Approved, ask.CauseAnswered, noon, &ask.Answer{By: strings.Repeat("a", 100), Surface: "discord"}
	for n := range 200 {
		var rules []engine.Rule
		for range 3 {
			rules = append(rules, engine.Rule{Tool: "Bash", Content: text(strings.Repeat("y", n)), Behavior: engine.Allow, Scope: engine.Agent, ScopeKey: strings.Repeat("k", 200)})
		}
		a.Answer.Reason = strings.Repeat("b", 200)
		m := message.Ended(a, message.End{Call: call, Rules: rules, Notes: []string{strings.Repeat("n", 160), strings.Repeat("m", 150), strings.Repeat("o", n)}, Done: []string{"-# one " + strings.Repeat("d", 99), "-# two"}})
		if err := m.Check(); err != nil || !strings.HasSuffix(m.Content, "\n-# two") && !strings.HasSuffix(m.Content, " answered: see the audit") {
			t.Fatalf("%d: %v, %s", n, err, m.Content)
		}
	}
}

// TestListHasRoom: what a card says besides its list has its room first, and lines about
// ended asks without room are counted.
func TestListHasRoom(t *testing.T) {
	t.Parallel()
	a := asktest.Kinds()["install"]
	a.Away = true
	v := message.View{Instance: "i1", Waiting: 9, Behind: asktest.Behind(), MentionRoles: []string{"123456789012345678"}, Note: strings.Repeat("n", 150), Limits: []string{"limit " + strings.Repeat("l", 140), "limit two"}}
	for n := range 40 {
		m := message.Card(a, v).Message
		if err := m.Check(); err != nil {
			t.Fatalf("%d ended: %v\n%s", n, err, m.Content)
		}
		for _, want := range []string{"its client is not connected", "<@&123456789012345678>", "nnnn", "llll", "limit two", " behind these"} {
			if !strings.Contains(m.Content, want) {
				t.Fatalf("%d ended: no %q in\n%s", n, want, m.Content)
			}
		}
		shown, counted := strings.Count(m.Content, "\n-# ended number "), 0
		if at := strings.LastIndex(m.Content, "\n-# "); strings.Contains(m.Content[at:], " of the list ") {
			if _, err := fmt.Sscanf(m.Content[at:], "\n-# %d more ask", &counted); err != nil {
				t.Fatal(err)
			}
		}
		if shown+counted != n {
			t.Fatalf("%d ended: %d shown and %d counted in\n%s", n, shown, counted, m.Content)
		}
		v.Done = append(v.Done, fmt.Sprintf("-# ended number %d %s", n, strings.Repeat("d", 40)))
	}
}

func TestForms(t *testing.T) {
	t.Parallel()
	for _, a := range asktest.Kinds() {
		for _, m := range []message.Modal{message.ConfirmModal(a, "i1"), message.ReasonModal(a, "i1")} {
			if err := m.Check(); err != nil {
				t.Error(err)
			}
			id, err := message.ParseID(m.CustomID)
			if err != nil || id.Subject != a.ID || id.Instance != "i1" {
				t.Errorf("got %+v, %v", id, err)
			}
		}
	}
	reason := message.ReasonModal(bash("ls"), "i1").Components[0].(discordgo.ActionsRow).Components[0].(discordgo.TextInput)
	if reason.MaxLength*3 > 2000 {
		t.Errorf("a reason of %d units can have more bytes than the broker takes", reason.MaxLength)
	}
}

func TestThreadNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := message.ThreadName(hostile().Draw(t, "agent"), hostile().Draw(t, "session"))
		if n := message.Units(name); n < 1 || n > message.MaxThreadName || strings.ContainsFunc(name, forbidden) || strings.Contains(name, "\n") {
			t.Fatalf("%+q has %d units", name, n)
		}
	})
	if got := message.ThreadName("coder", "s1"); got != "coder · s1" {
		t.Errorf("got %q", got)
	}
}

func TestDigestIsOfWhatDiscordKeeps(t *testing.T) {
	t.Parallel()
	if message.Digest(" x\n") != message.Digest("x") || message.Digest("x") == message.Digest("y") {
		t.Error("a digest depends on the blanks at the ends, which Discord takes off, or on nothing")
	}
}

func TestOnlyShownAsksHaveButtons(t *testing.T) {
	t.Parallel()
	for _, state := range []ask.State{"", ask.Queued, ask.Approved, ask.Denied, ask.TimedOut, ask.Cancelled} {
		a := bash("ls")
		a.State = state
		if m := post(a).Message; len(m.Components) > 0 {
			t.Errorf("state %q: got %v", state, labels(m))
		}
	}
}

func BenchmarkCard(b *testing.B) {
	for name, command := range map[string]string{"short": "npm run build", "1MB": strings.Repeat("echo привет <b>\n", 50_000)} {
		b.Run(name, func(b *testing.B) {
			a := bash(command)
			b.ReportAllocs()
			for b.Loop() {
				text, err := json.Marshal(post(a).Message)
				if err != nil || len(text) == 0 {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestAttaches: of a card that an earlier version posted, the store has the whole text.
func TestAttaches(t *testing.T) {
	t.Parallel()
	row := message.CallLine(bash("x"), true)
	for call, want := range map[string]bool{
		row: true, message.Detached(row): false, message.CallLine(bash(" · call.txt has it whole"), false): false,
		"**Run?** `x`\ncall.txt has it whole, SHA-256 `00`": true, "**Run?**\n```\nx\n```": false, "": false,
	} {
		if got := message.Attaches(call); got != want {
			t.Errorf("%q: got %v, want %v", call, got, want)
		}
	}
}
