package command_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin/command"
)

// known are tools as the catalogue has them; Bash cannot read ":*", and of two
// rules with a content the longer text is a call of both when it begins like the
// shorter one.
var known = command.Known{
	Tools: []command.Tool{
		{Name: "Bash", Aliases: []string{"shell", "run_shell_command"}}, {Name: "Read", Aliases: []string{"view"}}, {Name: "Write"}, {Name: "Edit"}, {Name: "Glob"},
		{Name: "Grep"}, {Name: "WebFetch"}, {Name: "WebSearch"}, {Name: "Skill"}, {Name: "mcp__*"},
	},
	Try: func(r engine.Rule) error {
		if r.Content != nil && *r.Content == ":*" {
			return errors.New("Bash cannot read this content: words:* are every command that begins with these words")
		}
		return nil
	},
	Overlap: func(a, b engine.Rule) (string, bool) {
		words := func(r engine.Rule) string {
			if r.Content == nil {
				return ""
			}
			return strings.TrimSuffix(*r.Content, ":*")
		}
		x, y := words(a), words(b)
		if len(x) < len(y) {
			x, y = y, x
		}
		return x, strings.HasPrefix(x, y)
	},
}

func TestRun(t *testing.T) {
	t.Parallel()
	state := func(allow, ask, deny string) command.State {
		return command.State{Allow: strings.Fields(allow), Ask: strings.Fields(ask), Deny: strings.Fields(deny)}
	}
	cases := []struct {
		text          string
		before, after command.State
		ok            bool
		says          string
	}{
		{"/ask", state("", "", ""), state("", "", ""), true, "the ask list is empty"},
		{"/deny", state("", "", "Bash Read"), state("", "", "Bash Read"), true, "the deny list: Bash, Read"},
		{"/allow Bash", state("", "", ""), state("Bash", "", ""), true, "added Bash to the allow list"},
		{"  /allow   Bash  ", state("", "", ""), state("Bash", "", ""), true, "added Bash"},
		{"/allow Bash", state("Bash", "", ""), state("Bash", "", ""), true, "on the allow list already"},
		{"/allow bash(GIT:*)", state("", "", ""), state("Bash(GIT:*)", "", ""), true, "Bash(GIT:*)"},
		{"/deny read(SRC/**/*.TS)", state("", "", ""), state("", "", "Read(SRC/**/*.TS)"), true, "Read(SRC/**/*.TS)"},
		{"/ask WEBFETCH", state("", "", ""), state("", "WebFetch", ""), true, "WebFetch"},
		{"/ask Bash(*)", state("", "", ""), state("", "Bash", ""), true, "added Bash to"},
		{"/ask mcp__github__*", state("", "", ""), state("", "mcp__github__*", ""), true, "mcp__github__*"},
		{"/allow -Bash", state("Bash Bash(git:*)", "", ""), state("Bash(git:*)", "", ""), true, "removed Bash from the allow list"},
		{"/allow -bash", state("Bash(git:*)", "", ""), state("Bash(git:*)", "", ""), true, "Bash was not on the allow list"},
		{"/ask -Gone", state("", "Gone", ""), state("", "", ""), true, "removed Gone"},
		{"/deny -Bsah", state("", "", "Bash"), state("", "", "Bash"), false, "did you mean Bash?"},
		{"/deny -Nope", state("", "", "Bash"), state("", "", "Bash"), false, "want one of Bash, Read"},
		{"/deny -Bash(rm", state("", "", "Bash(rm:*)"), state("", "", "Bash(rm:*)"), false, "the tools are Bash"},
		{"/ask baſh", state("", "", ""), state("", "", ""), false, "want one of Bash, Read"},
		{"/allow Bash", state("", "Bash", ""), state("Bash", "Bash", ""), true, "still asks because of the ask list: Bash"},
		{"/allow Bash", state("", "Bash(npm:*) Read", "Bash(rm:*)"), state("Bash", "Bash(npm:*) Read", "Bash(rm:*)"), true, "still denied because of the deny list: Bash(rm:*) (such as for rm); still asks because of the ask list: Bash(npm:*) (such as for npm)"},
		{"/ask Bash", state("Bash", "", ""), state("Bash", "Bash", ""), true, "asks although the allow list has Bash"},
		{"/deny Bash", state("Bash", "Bash", ""), state("Bash", "Bash", "Bash"), true, "denies although the ask list has Bash; denies although the allow list has Bash"},
		{"/allow shell(ls)", state("", "", ""), state("Bash(ls)", "", ""), true, "added Bash(ls)"},
		{"/allow Bash(git:*)", state("", "Bash(gi:*)", ""), state("Bash(git:*)", "Bash(gi:*)", ""), true, "still asks because of the ask list: Bash(gi:*) (such as for git)"},
		{"/allow Read({a,b}.ts)", state("", "", ""), state("Read({a,b}.ts)", "", ""), true, "added Read({a,b}.ts)"},
		{"/allow Bash(npm:*)", state("", "Bash(git:*)", ""), state("Bash(npm:*)", "Bash(git:*)", ""), true, "added Bash(npm:*) to the allow list"},
		{"/allow Bash(ls)", state("Bash", "", ""), state("Bash Bash(ls)", "", ""), true, "it changes nothing: Bash is on the list already"},
		{"/allow bash", state("shell", "", ""), state("shell", "", ""), true, "on the allow list already"},
		{"/allow -Bash", state("Bash Read Bash", "", ""), state("Read", "", ""), true, "where it stood 2 times"},
		{"/allow - Bash", state("Bash", "", ""), state("", "", ""), true, "removed Bash"},
		{"/allow -Bash", state("Bash Bash(git:*)", "", ""), state("Bash(git:*)", "", ""), true, "the list still has Bash(git:*)"},
		{"/permissions", state("Bash", "", "Read"), state("Bash", "", "Read"), true, "the deny list: Read\nthe ask list is empty\nthe allow list: Bash\nthe mode is default\nthe profile is none"},
		{"/help", state("", "", ""), state("", "", ""), true, "/allow Bash(git commit:*)"},

		{"/allow Bash(:*)", state("", "", ""), state("", "", ""), false, "words:* are every command"},
		{"/ask Bahs", state("", "", ""), state("", "", ""), false, "did you mean Bash?"},
		{"/ask run_shel_command(x)", state("", "", ""), state("", "", ""), false, "did you mean run_shell_command?"},
		{"/ask Bash, Read", state("", "", ""), state("", "", ""), false, "give one rule a command"},
		{"/ask mcp__", state("", "", ""), state("", "", ""), false, "unknown tool"},
		{"/ask mcp__*", state("", "", ""), state("", "mcp__*", ""), true, "added mcp__*"},
		{"/ask MCP__github__x", state("", "", ""), state("", "", ""), false, "unknown tool"},
		{"/alow Bash", state("", "", ""), state("", "", ""), false, "did you mean /allow?"},
		{"/permissions Bash", state("", "", ""), state("", "", ""), false, "takes nothing"},

		{"/ask Nope", state("", "", ""), state("", "", ""), false, "want one of Bash, Read"},
		{"/ask Nope", state("", "", ""), state("", "", ""), false, "when the tool has exactly this name: /ask exactly Nope"},
		{"/deny deploy_prod", state("", "", ""), state("", "", "deploy_prod"), true, "no known tool has the name deploy_prod: the rule holds for a tool of exactly this name"},
		{"/ask sendMail(to:*)", state("", "", ""), state("", "sendMail(to:*)", ""), true, "no known tool has the name sendMail"},
		{"/ask deploy_*", state("", "", ""), state("", "deploy_*", ""), true, "no known tool has the name deploy_*"},
		{"/deny -deploy_prod", state("", "", "deploy_prod"), state("", "", ""), true, "removed deploy_prod"},
		{"/deny deploy_prod", state("", "", "deploy_prod"), state("", "", "deploy_prod"), true, "on the deny list already"},
		{"/allow deploy_prod", state("", "", ""), state("", "", ""), false, "when the tool has exactly this name: /allow exactly deploy_prod"},
		{"/allow exactly deploy_prod", state("", "", ""), state("deploy_prod", "", ""), true, "no known tool has the name deploy_prod"},
		{"/allow exactly deploy_prod", state("", "", "deploy_prod"), state("deploy_prod", "", "deploy_prod"), true, "still denied because of the deny list: deploy_prod"},
		{"/deny exactly Nope", state("", "", ""), state("", "", "Nope"), true, "no known tool has the name Nope: the rule"},
		{"/deny exactly Bahs", state("", "", ""), state("", "", "Bahs"), true, "no known tool has the name Bahs, did you mean Bash?: the rule"},
		{"/deny exactly bash", state("", "", ""), state("", "", "Bash"), true, "added Bash to"},
		{"/deny exactly baſh", state("", "", ""), state("", "", ""), false, "unknown tool"},
		{"/deny exactly MCP__x__y", state("", "", ""), state("", "", ""), false, "unknown tool"},
		{"/deny exactly", state("", "", ""), state("", "", ""), false, "unknown tool"},
		{"/deny exactly *", state("", "", ""), state("", "", ""), false, "unknown tool"},
		{"/deny web_fetch", state("", "", ""), state("", "", ""), false, "did you mean WebFetch?"},
		{"/deny run-shell-command", state("", "", ""), state("", "", ""), false, "did you mean run_shell_command?"},
		{"/deny exactly deploy_prod Bash", state("", "", ""), state("", "", ""), false, "give one rule a command"},
		{"/ask Nope(x)", state("", "", ""), state("", "", ""), false, "want one of Bash"},
		{"/ask Bash()", state("", "", ""), state("", "", ""), false, "the tools are Bash"},
		{"/ask Bash(npm", state("", "", ""), state("", "", ""), false, "the tools are Bash"},
		{"/ask Bashnpm)", state("", "", ""), state("", "", ""), false, "the tools are Bash"},
		{"/ask Bash Read", state("", "", ""), state("", "", ""), false, "the tools are Bash"},
		{"/ask *", state("", "", ""), state("", "", ""), false, "unknown tool"},
		{"/ask ?*", state("", "", ""), state("", "", ""), false, "unknown tool"},
		{"/ask -", state("", "", ""), state("", "", ""), false, "name what to remove"},
		{"/ask Bash(a\nb)", state("", "", ""), state("", "", ""), false, "one line"},
		{"/forget Bash", state("", "", ""), state("", "", ""), false, "unknown command"},
		{"", state("", "", ""), state("", "", ""), false, "unknown command"},
	}
	for _, c := range cases {
		t.Run(c.text, func(t *testing.T) {
			t.Parallel()
			a := command.Run(c.before, c.text, known)
			after, ok, message := a.State, a.OK, a.Text()
			if ok != c.ok || !strings.Contains(message, c.says) {
				t.Errorf("got %t, %q; want %t, saying %q", ok, message, c.ok, c.says)
			}
			for _, l := range [][2][]string{{after.Allow, c.after.Allow}, {after.Ask, c.after.Ask}, {after.Deny, c.after.Deny}} {
				if !slices.Equal(l[0], l[1]) {
					t.Errorf("got list %q, want %q", l[0], l[1])
				}
			}
		})
	}
}

func TestMode(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		mode string
		ok   bool
		says string
	}{
		"/permission":                   {"default", true, "the mode is default; it can be default, acceptEdits"},
		"/permission acceptEdits":       {"acceptEdits", true, "now acceptEdits"},
		"/permission bypassPermissions": {"bypassPermissions", true, "bypassPermissions"},
		"/permission plan":              {"plan", true, "plan"},
		"/permission bypass":            {"bypassPermissions", true, "now bypassPermissions"},
		"/permission accept_edits":      {"acceptEdits", true, "now acceptEdits"},
		"/permission acceptedits":       {"default", false, "default, acceptEdits, plan, bypassPermissions"},
		"/permission auto":              {"default", false, "reserved"},
		"/permission  auto ":            {"default", false, "default, acceptEdits, plan, bypassPermissions"},
	} {
		a := command.Run(command.State{Mode: "default"}, text, known)
		after, ok, message := a.State, a.OK, a.Message
		if after.Mode != want.mode || ok != want.ok || !strings.Contains(message, want.says) {
			t.Errorf("%s: got %q, %t, %q; want %q, %t, saying %q", text, after.Mode, ok, message, want.mode, want.ok, want.says)
		}
	}
	if a := command.Run(command.State{}, "/permission", known); !strings.Contains(a.Message, "the mode is default") {
		t.Errorf("without a mode: %q", a.Message)
	}
}

// TestRunChangesItsCopyOnly: the caller's value stays as it is.
func TestRunChangesItsCopyOnly(t *testing.T) {
	t.Parallel()
	before := command.State{Allow: append(make([]string, 0, 8), "Bash", "Read")}
	command.Run(before, "/allow -Bash", known)
	command.Run(before, "/allow Write", known)
	if want := []string{"Bash", "Read"}; !reflect.DeepEqual(before.Allow, want) || before.Allow[:3][2] != "" {
		t.Errorf("the caller's list became %q, want %q", before.Allow[:3], want)
	}
}

// FuzzRun: an invalid text changes nothing, and every added entry can be removed by its own
// text.
func FuzzRun(f *testing.F) {
	for _, s := range []string{"/allow Bash", "/ask bash(git:*)", "/deny -Read", "/permission plan", "/allow Bash()", "/ask (", "/deny -"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		before := command.State{Allow: []string{"Read"}, Ask: []string{"Edit(src/**)"}, Deny: []string{"Write"}, Mode: "default"}
		a := command.Run(before, text, known)
		after, ok, message := a.State, a.OK, a.Text()
		if message == "" {
			t.Errorf("%q: no message", text)
		}
		if !ok && !reflect.DeepEqual(after, before) {
			t.Errorf("%q was refused and changed %+v to %+v", text, before, after)
		}
		if len(after.Allow) == 2 {
			again := command.Run(after, "/allow -"+after.Allow[1], known).State
			if !reflect.DeepEqual(again, before) {
				t.Errorf("%q added %q, which cannot be removed: %+v", text, after.Allow[1], again)
			}
		}
	})
}

// Attack: a person mistypes a tool's name, and a useless rule is stored silently. No list takes
// a name one change away from a known one, and no allow rule goes to an unknown tool, unless
// the person says exactly.
func TestRun_aSlipIsNoNewTool(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		tool := rapid.SampledFrom(known.Tools[:9]).Draw(t, "tool").Name
		at := rapid.IntRange(1, len(tool)-1).Draw(t, "at")
		slip := tool[:at] + rapid.SampledFrom([]string{"_", "-", "x", "X", "."}).Draw(t, "change") + tool[at+rapid.IntRange(0, 1).Draw(t, "drop"):]
		list := rapid.SampledFrom([]string{"/allow ", "/ask ", "/deny "}).Draw(t, "list")
		if a := command.Run(command.State{}, list+slip, known); a.OK {
			t.Errorf("%s%s was taken: %s", list, slip, a.Text())
		}
		custom := rapid.StringMatching(`[a-z]{9,12}_[a-z]{9,12}`).Draw(t, "custom")
		if a := command.Run(command.State{}, list+custom, known); a.OK == (list == "/allow ") {
			t.Errorf("%s%s: got %t, %s", list, custom, a.OK, a.Text())
		}
		if a := command.Run(command.State{}, list+"exactly "+custom, known); !a.OK || !strings.Contains(a.Text(), "no known tool has the name "+custom) {
			t.Errorf("%sexactly %s: got %t, %s", list, custom, a.OK, a.Text())
		}
	})
}
