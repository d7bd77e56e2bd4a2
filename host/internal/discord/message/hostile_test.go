package message_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/bwmarrin/discordgo"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/approvers"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// ownLines are all lines that a card of ours has outside code, ▮ standing for a code.
var ownLines = func() []*regexp.Regexp {
	const why = `(the rule ▮ says ask|a rule says ask|the rule for ▮ in the project's file says ask|the agent's profile says ask|asked every time|` +
		`the tool wants a person to look|the decision is ask \(▮\))`
	const title = `( [0-9a-z]{1,24}\*\*|\*\* ▮)`
	const who = `(▮|<@\d{17,20}>( \(▮\))?)`
	const people = who + `(, ` + who + `)*`
	const surface = `(▮|Discord|the terminal|the command line|the web page)`
	const may = `(` + people + `( or (the role ▮|one of the roles ▮(, ▮)*))?|the role ▮|one of the roles ▮(, ▮)*|\d+ have to approve|not the person who triggered the call)`
	const where = `(this session|project ▮|agent ▮)`
	const note = `-# ([A-Za-z0-9 ,.;:'()/-]+|▮)`
	const says = `▮( JSON)?: ▮`
	const odd = `(outside the working directories|through a link: written as ▮|does not exist|only the tool says so|its repository sets ▮)`
	const touches = `(reaches|sends to|reads|creates|changes|runs|touches)`
	const effect = `(shows?|(shows|read|sends?) the secret|rewrites? what others see at|publish(es)? to( everyone at)?|deletes?(, with everything below,| all files of the pattern)?|` +
		`fetch(es)? from|sends? to|reach(es)?|changes? settings that run programs:|changes? the permissions of|installs?|overwrites?|` +
		`runs? code that Callgate cannot read|runs? code of the project:|takes? in text by strangers from|runs? the tests|has an unknown effect on|have an unknown effect on)`
	var list []*regexp.Regexp
	for _, text := range []string{
		`(⚠ )?\*\*(may )?` + effect + `\*\*( ▮(, ▮)*)?(, (not )?recoverable)?`, `⚠ \*\*Careful:\*\* it (shows|may send) the secret ▮, outside the project`,
		`-# agent ▮( / ▮)?( · ▮( in ▮)?| · in ▮)?( · server ▮)?( · (interactive fork|background|▮))?( · ` + why + `)?`,
		`-# (ends <t:-?\d+:R> · |queued · )?▮ · session ▮`,
		`\*\*(Allowed|Denied|Expired|Cancelled|Ended)` + title + `( by ` + people + `( in ` + surface + `)?(, with a rule accepted on another card)?|: [a-z ]+(, and ` + surface + `( and ` + surface + `)* could not be reached to show the question)?)( at <t:-?\d+:f>)?` +
			`( · stored ▮( for this session| in project ▮| for agent ▮| everywhere)?( until <t:-?\d+:f>)?)*( · stored \d+ more: see callgate rules list)?( · reason: ▮)?( · ⚠ its client is not connected: the approval counts if the same call comes back in time)?` +
			`( · take back: [A-Za-z,/ ]+)?( · (▮|[A-Za-z0-9 ,.;:'()/-]*))*`,
		`\*\*(Run\?|Read|Edit|Write|Create|Overwrite|Find|Search for|List|Fetch|Search the web for)\*\*( ▮)?( ‹\d+ characters not shown›)?( ▮)? · agent ▮( · call\.txt has it whole)?`,
		`\*\*Call\*\* ▮(: ▮)?( ▮)?( ‹\d+ characters not shown›)?( ▮)? · agent ▮( · call\.txt has it whole)?`, `-# the call is in the audit`, note,
		`\*\*(Run\?|Read|Edit|Write|Create|Overwrite|Find|Search for|List|Fetch|Search the web for)\*\*( ▮)?`, `\*\*Call\*\* ▮(: ▮)?( ▮)?`, `\*\*Call\*\*`,
		`⚠ \*\*Careful: safety check\.\*\*( The tool says ▮)?`,
		`▮`, `▮ JSON`, `(-# )?` + says + `( · ` + says + `)*`, `-# (no parameters|the input is no longer kept)`, `the whole input`,
		`⚠ \*\*changed since you approved:\*\* ▮`, `⚠ (1 character is invisible, reorders text or looks like others|\d+ characters are invisible, reorder text or look like others): shown as ‹U\+…›`,
		`⚠ (the input has|a name has|the input and a name have) [A-Z][a-z]+( and [A-Z][a-z]+)* letters, some of which look like Latin ones`,
		`⚠ \d+ more lines? of this (is|are) not shown here`, `⚠ \*\*\d+ characters? (is|are) not shown here\*\*`, `⚠ \*\*not shown here\*\* \d+ more targets`,
		`⚠ the whole call is too large to attach: see it with ▮`, `call\.txt has it whole, SHA-256 ▮`, `-# digest ▮`,
		`⚠ asks because: ▮`, `⚠ the check failed, so nothing about this call is verified`, `-# module note, unverified: ▮`, `-# reason of the rule: ▮`,
		`(⚠ )?\*\*` + touches + `\*\* (host )?▮ \((cannot be resolved: ▮|` + odd + `(; ` + odd + `)*)\)`, `(-# )?\*\*` + touches + `\*\* (host )?▮(, (host )?▮)*`,
		`(<@&\d+> ?)+`, `\*\*Trust the project folder\?\*\* ▮`, `-# Trust (reading|editing): the agent may [a-z ,;.]+`, `-# holds until taken back with /folders`,
		`⚠ \*\*No one may approve this:\*\* the person who triggered the call may not, and that person is unknown \(set user for the agent\)`,
		`\*\*\d+ of \d+ approved\*\*(: ` + people + `)?`, `-# \d+ more waits? behind (this one|these)`, `⚠ its client is not connected: the answer counts if it asks again in time`,
		`(⚠ )?\*\*\d/\d+\*\* (\*\*Careful:\*\* )?\*\*(Run\?|Read|Edit|Write|Create|Overwrite|Find|Search for|List|Fetch|Search the web for|Call)\*\*( ▮(: ▮)?)?( ▮)?( ‹\d+ characters not shown›)?( ▮)?( · ▮: ▮)*( \(no parameters\))?( · ▮)?`,
		`-# ▮( · \*\*on its own card:\*\* [a-z ,:;]+)`, `-# ▮( · (⚠ )?(\*\*(may )?` + effect + `\*\*( ▮(, ▮)*)?(, (not )?recoverable)?|\*\*` + touches + `\*\* (host )?▮(, (host )?▮)*( \((cannot be resolved: ▮|` + odd + `(; ` + odd + `)*)\))?))*`,
		`-# ((Allowed|Denied) by ` + people + `|[a-z: ]+) · (\*\*Careful:\*\* )?\*\*(Run\?|Read|Edit|Write|Create|Overwrite|Find|Search for|List|Fetch|Search the web for|Call)\*\*( ▮(: ▮)?)?( ▮)?( ‹\d+ characters not shown›)?( ▮)?( · ▮: ▮)*( \(no parameters\))?`,
		`-# \d+ more asks? of the list (was|were) answered: see the audit`, `-# approvers: ` + may + `(; ` + may + `)*`,
		`\*\*stored:\*\* ▮( · (this session|everywhere|(project|agent) ▮))? · (until <t:-?\d+:f>|until the session is cleared|no expiry)`,
		`\*\*stored:\*\* \d+ more rules?, (its text is|their texts are) in ▮`,
		`\*\*Allow` + title + ` and store (this rule|these rules)\?`, `for ` + where + `, (no expiry|until the session is cleared)`,
		`You can take that back until <t:-?\d+:t>\.`, `\*\*Details of` + title, `-# [a-zA-Z', -]+: ▮`,
		`The rule is too long to be shown here, so it cannot be stored from Discord\. Allow once, or answer with ▮`,
	} {
		list = append(list, regexp.MustCompile("^"+text+"$"))
	}
	return list
}()

// sound checks what holds of every message: it is within the limits, nobody is pinged
// but the roles that were asked for, and nothing but our words stands outside code.
func sound(t interface {
	Helper()
	Fatalf(string, ...any)
}, m message.Message) {
	t.Helper()
	if err := m.Check(); err != nil {
		t.Fatalf("%v: %q", err, m.Content)
	}
	if m.Content != strings.TrimSpace(m.Content) {
		t.Fatalf("blanks at the ends, which Discord takes off: %q", m.Content)
	}
	if m.Flags&discordgo.MessageFlagsSuppressEmbeds == 0 {
		t.Fatalf("embeds are not suppressed")
	}
	if i := strings.IndexFunc(m.Content, forbidden); i >= 0 {
		t.Fatalf("%+q is not visible in %q", m.Content[i:min(i+8, len(m.Content))], m.Content)
	}
	list, outside := codes(m.Content)
	for l := range strings.SplitSeq(outside, "\n") {
		if !slices.ContainsFunc(ownLines, func(r *regexp.Regexp) bool { return r.MatchString(l) }) {
			t.Fatalf("a line that is none of ours: %q in\n%s", l, m.Content)
		}
	}
	for _, code := range list {
		if strings.Contains(code, "```") {
			t.Fatalf("a fence in the code %q", code)
		}
	}
	for _, label := range labels(m) {
		if i := strings.IndexFunc(label, forbidden); i >= 0 || strings.Contains(label, "\n") {
			t.Fatalf("%q is not one visible line", label)
		}
	}
}

// labels are the texts of the components.
func labels(m message.Message) []string {
	var list []string
	for _, r := range m.Components {
		for _, c := range r.(discordgo.ActionsRow).Components {
			switch c := c.(type) {
			case discordgo.Button:
				list = append(list, c.Label)
			case discordgo.SelectMenu:
				list = append(list, c.Placeholder)
				for _, o := range c.Options {
					list = append(list, o.Label, o.Description)
				}
			}
		}
	}
	return list
}

// hostileAsk has drawn texts in every field that somebody else controls.
func hostileAsk(t *rapid.T, s func(string) string) ask.Ask {
	pick := func(name string, n int) int { return rapid.IntRange(0, n).Draw(t, name) }
	a := ask.Ask{
		ID: rapid.SampledFrom([]string{"k3m9qd", "a`b", ""}).Draw(t, "id"), Agent: s("agent"), SubAgent: s("sub-agent"), Session: s("session"), User: s("user"), CallID: s("call"),
		Tool: s("tool"), CWD: s("cwd"), Action: s("action"), Digest: s("digest"), ProjectRoot: s("root"),
		Kind:      rapid.SampledFrom([]engine.Kind{"", engine.Main, engine.InteractiveFork, engine.Background, engine.Kind(s("kind"))}).Draw(t, "kind"),
		State:     ask.Shown,
		CreatedAt: noon, ShownAt: noon, Deadline: noon.Add(time.Minute),
	}
	a.Input = hostileInput(t, s)
	for range pick("changed", 3) {
		a.Changed = append(a.Changed, s("change"))
	}
	for i := range pick("targets", 24) {
		target := engine.Target{
			Kind: rapid.SampledFrom([]string{"path", "host", s("target kind")}).Draw(t, "kind of target"), Value: s("value"),
			Access: rapid.SampledFrom([]string{"read", "write", "run", s("access")}).Draw(t, "access"), Exists: i%2 == 0, Claimed: i%3 == 0,
		}
		if i%4 == 1 {
			target.Error = s("error")
		} else {
			target.Resolved, target.Lexical, target.Inside = s("resolved"), s("lexical"), s("inside")
		}
		if i%5 == 0 {
			target.Repo = &engine.Repo{Dirty: []string{s("dirty")}}
		}
		a.Targets = append(a.Targets, target)
	}
	for range pick("effects", 4) {
		a.Effects = append(a.Effects, engine.Effect{
			Kind: rapid.SampledFrom(engine.EffectKinds).Draw(t, "kind of effect"), Value: s("effect"), Resolved: s("where"), Certain: pick("certain", 1) == 0,
			How: rapid.SampledFrom([]string{"", "send", "force", "tree"}).Draw(t, "how"), Recoverable: rapid.SampledFrom([]engine.Recoverable{"", engine.RecoverableYes, engine.RecoverableNo}).Draw(t, "recoverable"),
		})
	}
	content := s("content")
	a.Decision = engine.Decision{
		Behavior: engine.Ask, Reason: s("reason"), SuggestionsNote: s("note"), Server: s("server"), BypassImmune: pick("immune", 5) == 0,
		Stage: rapid.SampledFrom([]engine.Stage{engine.StageAskRule, engine.StageProfile, engine.StageMode, engine.StageToolCheck, engine.StageError, engine.Stage(s("stage"))}).Draw(t, "stage"),
		Code:  rapid.SampledFrom([]string{engine.CodeServer, engine.CodeModeAsk, s("code")}).Draw(t, "code"),
		Rule:  &engine.Rule{ID: s("rule id"), Tool: s("rule tool"), Content: &content, Scope: engine.Scope(s("scope")), ScopeKey: s("key"), CreatedBy: s("by"), Reason: s("rule reason"), Source: rapid.SampledFrom([]string{"", engine.SourceProjectFile, s("source")}).Draw(t, "source")},
	}
	for i := range pick("suggestions", 12) {
		text := s("suggestion")
		a.Decision.Suggestions = append(a.Decision.Suggestions, engine.Suggestion{Tool: s("suggested tool"), Content: &text, Behavior: engine.Allow, Description: s("description"), Set: i / 2})
	}
	if pick("policy", 2) == 0 {
		a.Approvers = approvers.Policy{{Users: []string{s("approver")}, Roles: []string{s("role")}, Quorum: pick("quorum", 3), ExcludeRequester: true}}
		for range pick("votes", 3) {
			a.Votes = append(a.Votes, ask.Answer{Verdict: ask.Approve, By: s("voter")})
		}
	}
	return a
}

func hostileInput(t *rapid.T, s func(string) string) json.RawMessage {
	switch rapid.IntRange(0, 5).Draw(t, "input") {
	case 0:
		return nil
	case 1:
		return json.RawMessage(s("raw input"))
	case 2:
		return encoded(map[string]any{s("name"): s("text"), s("other"): []string{s("in a list")}, "n": 1, "command": s("command")})
	}
	return encoded(map[string]any{"command": s("command")})
}

func encoded(v any) json.RawMessage {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}

// everyMessage makes all messages of an ask.
func everyMessage(a ask.Ask, v message.View, s func(string) string, use func(message.Message)) {
	shown := message.Card(a, v)
	use(shown.Message)
	use(message.Everything(a))
	rules := []engine.Rule{}
	for _, o := range message.Offers(a) {
		use(message.ConfirmRule(a, o, v.Instance))
	}
	for i, sug := range a.Decision.Suggestions {
		scope := []engine.Scope{engine.Session, engine.Project, engine.Agent, engine.Global, ""}[i%5]
		rules = append(rules, engine.Rule{Tool: sug.Tool, Content: sug.Content, Behavior: engine.Allow, Scope: scope, ScopeKey: s("key"), Server: s("server")})
	}
	use(message.Undo(a.ID, rules, noon, v.Instance))
	a.Input, a.EndedAt = nil, noon
	states := []ask.State{ask.Approved, ask.Denied, ask.TimedOut, ask.Cancelled, ""}
	if len(a.Agent) > 10_000 {
		states = states[:1]
	}
	for _, state := range states {
		a.State, a.Cause, a.Answer = state, ask.CauseTimeout, nil
		use(message.Ended(a, message.End{Call: shown.Call}))
		a.Cause, a.Answer = ask.CauseAnswered, &ask.Answer{By: s("by"), Surface: s("surface"), Reason: s("reason")}
		use(message.Ended(a, message.End{Call: shown.Call, Rules: rules, Notes: []string{s("note"), s("note"), s("note"), s("note")}}))
	}
}

func TestHostileAsksStayInCode(t *testing.T) {
	alone(t)
	rapid.Check(t, func(t *rapid.T) {
		s := func(name string) string { return hostile().Draw(t, name) }
		a := hostileAsk(t, s)
		v := message.View{Instance: "i1", Waiting: rapid.IntRange(0, 3).Draw(t, "waiting"), Note: s("note"), MentionRoles: []string{"123456789012345678", s("role id"), "7"}}
		everyMessage(a, v, s, func(m message.Message) { sound(t, m) })
		checkCard(t, a, v)
		checkList(t, a, v, s)
	})
}

// checkList checks a card with other asks on lines: its text is sound, its buttons name only
// lines on it, and an approval of several names none that needs its own card.
func checkList(t *rapid.T, a ask.Ask, v message.View, s func(string) string) {
	asks := map[string]ask.Ask{a.ID: a}
	for i := range rapid.IntRange(0, 9).Draw(t, "behind") {
		other := hostileAsk(t, s)
		other.ID, other.State = fmt.Sprintf("q%dm9qd", i), ask.Queued
		asks[other.ID] = other
		v.Behind = append(v.Behind, other)
		v.Done = append(v.Done, message.Done(other, ask.Ask{State: ask.Denied, Answer: &ask.Answer{By: s("by")}}))
	}
	v.Waiting = len(v.Behind)
	shown := message.Card(a, v)
	sound(t, shown.Message)
	over := message.Ended(a, message.End{Call: shown.Call, Done: v.Done})
	sound(t, over)
	if call, done := message.CallOf(over.Content); call != shown.Call || len(done) > len(v.Done) {
		t.Fatalf("the row about the call of %q is found as %q, want %q", over.Content, call, shown.Call)
	}
	for _, row := range shown.Components {
		for _, c := range row.(discordgo.ActionsRow).Components {
			b, ok := c.(discordgo.Button)
			if !ok {
				continue
			}
			id, err := message.ParseID(b.CustomID)
			if err != nil {
				continue // an id that the broker never makes
			}
			if id.Verb != message.VerbAllowAll && id.Verb != message.VerbDenyAll {
				continue
			}
			for _, one := range message.ListedIDs(id.Arg) {
				other, known := asks[one]
				if !known || !strings.Contains(shown.Content, "`"+one+"`") {
					t.Fatalf("%s names %s, which does not stand on the card:\n%s", id.Verb, one, shown.Content)
				}
				if id.Verb == message.VerbAllowAll && (other.NeedsConfirmation() || one != a.ID && message.OwnCard(other) != "") {
					t.Fatalf("one tap approves %s, which needs its own card:\n%s", one, shown.Content)
				}
			}
		}
	}
}

// checkCard checks what a card promises of its parts.
func checkCard(t *rapid.T, a ask.Ask, v message.View) {
	shown := message.Card(a, v)
	plain := message.Card(a, message.View{Instance: "i1"})
	if plain.Whole != shown.Whole || plain.Call != shown.Call || len(labels(plain.Message)) != len(labels(shown.Message)) {
		t.Fatalf("what is whole or offered depends on the view")
	}
	offers := message.Offers(a)
	if (!shown.Whole || a.NeedsConfirmation()) && len(offers) > 0 {
		t.Fatalf("rules are offered for a call that needs a confirmation")
	}
	if _, ok := message.SessionChoice(a); ok && (!shown.Whole || a.NeedsConfirmation()) {
		t.Fatalf("the session is offered for a call that needs a confirmation")
	}
	list, _ := codes(shown.Content)
	if shown.Whole {
		for _, e := range a.Effects {
			bare := e.Value == engine.Unreadable || e.Value == engine.Environment
			if !bare && !slices.ContainsFunc(list, func(code string) bool {
				got, ok := reveal(code)
				return ok && (got == e.Value || e.Resolved != "" && strings.HasSuffix(e.Resolved, got))
			}) {
				t.Fatalf("the effect %+v is not on a card that says to be whole:\n%s", e, shown.Content)
			}
		}
		for _, text := range []string{a.Agent, a.Session} {
			if text == a.Session && utf8.RuneCountInString(text) > 16 {
				continue // shortened, and says so
			}
			if text != "" && !slices.ContainsFunc(list, func(code string) bool { got, ok := reveal(code); return ok && got == text }) {
				t.Fatalf("%+q is not on a card that says to be whole:\n%s", text, shown.Content)
			}
		}
	}
	m := message.Ended(a, message.End{Call: shown.Call})
	if call, _ := message.CallOf(m.Content); call != shown.Call || strings.Count(m.Content, "\n") != 1 || len(m.Components) > 0 {
		t.Fatalf("an ended card has other lines than the outcome and the call: %q", m.Content)
	}
	if message.Attaches(shown.Call) != (len(shown.Files) > 0) {
		t.Fatalf("whether files are attached is not said: %q", shown.Call)
	}
}

// TestEveryFieldIsEscaped puts one nasty text after the other into all fields.
func TestEveryFieldIsEscaped(t *testing.T) {
	alone(t)
	for i, text := range append(slices.Clone(nasty), strings.Repeat("x` ```\n@everyone \u202e", 5000)) {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			allFields(t, text, encoded(map[string]string{"command": text, text: text}))
			allFields(t, text, json.RawMessage(text))
		})
	}
}

func allFields(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string, input json.RawMessage) {
	t.Helper()
	s := func(string) string { return text }
	stages := []engine.Stage{engine.StageMode, engine.StageAskRule, engine.StageToolCheck, engine.Stage(text)}
	if len(text) > 10_000 {
		stages = stages[:1]
	}
	for _, stage := range stages {
		a := ask.Ask{
			ID: "k3m9qd", Agent: text, SubAgent: text, Session: text, User: text, Tool: text, CWD: text, Action: text, Digest: text, ProjectRoot: text,
			Kind: engine.Kind(text), Input: input, Changed: []string{text}, State: ask.Shown, ShownAt: noon, Deadline: noon.Add(time.Minute),
			Targets: []engine.Target{
				{Kind: "path", Value: text, Access: text, Resolved: text, Lexical: text + "x", Repo: &engine.Repo{Dirty: []string{text}}},
				{Kind: text, Value: text}, {Kind: "path", Value: text, Error: text + "x"},
			},
			Effects:   []engine.Effect{{Kind: engine.Secret, Value: text, Resolved: text, Certain: true}, {Kind: engine.Publishes, Value: text, How: text}, {Kind: engine.Runs, Value: text}},
			Approvers: approvers.Policy{{Users: []string{text}, Quorum: 2}}, Votes: []ask.Answer{{By: text}},
		}
		a.Decision = engine.Decision{
			Behavior: engine.Ask, Stage: stage, Reason: text, SuggestionsNote: text, Server: text, Code: engine.CodeServer,
			Rule:        &engine.Rule{ID: text, Tool: text, Content: &text, Scope: engine.Scope(text), ScopeKey: text, CreatedBy: text, Reason: text},
			Suggestions: []engine.Suggestion{{Tool: text, Content: &text, Behavior: engine.Allow, Description: text}},
		}
		v := message.View{Instance: "i1", Note: text, MentionRoles: []string{text}}
		everyMessage(a, v, s, func(m message.Message) { sound(t, m) })
	}
}

func FuzzCard(f *testing.F) {
	for i, text := range nasty {
		if i%8 == 0 || !raceflag.Enabled {
			f.Add(text, []byte(`{"command":"ls"}`))
			f.Add("x", []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string, input []byte) { allFields(t, text, input) })
}
