package modules

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/sandbox"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/wire"
	sdk "github.com/callgate/callgate/sdk/go/tool"
)

// abiPage is the page for authors of modules.
func abiPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(repo.File("docs/abi.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// after is the text behind the words up to the end of the block.
func after(t *testing.T, words, end string) string {
	t.Helper()
	_, rest, found := strings.Cut(abiPage(t), words)
	if !found {
		t.Fatalf("docs/abi.md does not say %q", words)
	}
	text, _, _ := strings.Cut(rest, end)
	return text
}

// tags are the JSON names of a struct's members.
func tags(of any) (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(of)) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestABI_envelope: the page's example of an envelope has the host's members, except those of
// some verbs or targets only.
func TestABI_envelope(t *testing.T) {
	t.Parallel()
	type object = map[string]json.RawMessage
	read := func(raw []byte) object {
		var members object
		if err := json.Unmarshal(raw, &members); err != nil {
			t.Fatalf("docs/abi.md: %s: %v", raw, err)
		}
		return members
	}
	whole := read([]byte(after(t, "### Envelope\n```json\n", "```")))
	context := read(whole["context"])
	var targets []object
	if err := json.Unmarshal(context["targets"], &targets); err != nil || len(targets) != 1 {
		t.Fatalf("docs/abi.md: targets: %v", err)
	}
	for _, tc := range []struct {
		what    string
		example object
		besides []string // told in words
		want    []string
	}{
		{"envelope", whole, []string{"behavior", "rules"}, tags(envelope{})},
		{"context", context, nil, tags(wireContext{})},
		{"targets", targets[0], []string{"claimed", "error"}, tags(engine.Target{})},
		{"repo", read(targets[0]["repo"]), nil, tags(engine.Repo{})},
	} {
		got := slices.Sorted(maps.Keys(tc.example))
		for _, name := range tc.besides {
			if !strings.Contains(abiPage(t), "`"+name+"`") {
				t.Errorf("docs/abi.md does not name %s", name)
			}
			got = append(got, name)
		}
		if slices.Sort(got); !slices.Equal(got, tc.want) {
			t.Errorf("%s: docs/abi.md has %q, the host writes %q", tc.what, got, tc.want)
		}
	}
	rule := after(t, "`rules` is `[{", "]`")
	if got := sortedMembers(rule); !slices.Equal(got, tags(engine.RuleText{})) {
		t.Errorf("rules: docs/abi.md has %q, the host writes %q", got, tags(engine.RuleText{}))
	}
}

var quoted = regexp.MustCompile(`"([a-z_]+)"(?:\??:|,)`)

// sortedMembers are the quoted names of members in a text.
func sortedMembers(text string) (names []string) {
	for _, found := range regexp.MustCompile(`"([a-z_]+)":`).FindAllStringSubmatch(text, -1) {
		names = append(names, found[1])
	}
	slices.Sort(names)
	return names
}

// parsed are the members decoded by each function of a file: the JSON names of its struct, read
// off its source.
func parsed(t *testing.T, file string) map[string][]string {
	t.Helper()
	source, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	members := map[string][]string{}
	tag := regexp.MustCompile(`json:"([a-z_]+)`)
	for _, declared := range source.Decls {
		function, ok := declared.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(function, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && field.Tag != nil {
				if found := tag.FindStringSubmatch(field.Tag.Value); found != nil {
					members[function.Name.Name] = append(members[function.Name.Name], found[1])
				}
			}
			return true
		})
		slices.Sort(members[function.Name.Name])
	}
	return members
}

// TestABI_answers: the page's members of answers are those read by the host; any other is
// refused.
func TestABI_answers(t *testing.T) {
	t.Parallel()
	reads := parsed(t, "answer.go")
	parsers := map[string]string{
		sandbox.CheckPermissions: "parseVerdict", sandbox.CheckReadOnly: "parseReadOnly", sandbox.MatchRule: "parseMatched",
		sandbox.GenerateSuggestions: "parseSuggestions", sandbox.DescribeCall: "parseDescribed",
	}
	member := regexp.MustCompile(`[a-z_]+`)
	for line := range strings.Lines(after(t, "| export | required | input | output |\n", "\n\n")) {
		cells := strings.Split(line, "|")
		verb := strings.Trim(cells[1], " `")
		if parsers[verb] == "" {
			continue
		}
		output := strings.Trim(cells[4], " `{}")
		if inner, rest, ok := strings.Cut(output, ": ["); ok { // the members of listed objects are given apart
			if verb == sandbox.GenerateSuggestions {
				if got := slices.Sorted(slices.Values(member.FindAllString(rest, -1))); !slices.Equal(got, tags(engine.SuggestedRule{})) {
					t.Errorf("%s: docs/abi.md has %q, the host reads %q", verb, got, tags(engine.SuggestedRule{}))
				}
			}
			output = inner
		}
		if got := slices.Sorted(slices.Values(member.FindAllString(output, -1))); !slices.Equal(got, reads[parsers[verb]]) {
			t.Errorf("%s: docs/abi.md has %q, the host reads %q", verb, got, reads[parsers[verb]])
		}
		if err := CheckAnswer(verb, []byte(`{"later":1}`), 1); err == nil {
			t.Errorf("%s: an unknown member is not refused", verb)
		}
		delete(parsers, verb)
	}
	if len(parsers) > 0 {
		t.Errorf("docs/abi.md has no row for %v", parsers)
	}
}

// TestABI_describe: the page's example of a description is valid, and has every possible
// member.
func TestABI_describe(t *testing.T) {
	t.Parallel()
	text := after(t, "### `describe`\n```json\n", "```")
	d, err := ParseDescription([]byte(text))
	if err != nil {
		t.Fatalf("docs/abi.md: %v", err)
	}
	if d.ABI != abiVersion || !strings.Contains(abiPage(t), fmt.Sprintf("# The Callgate tool ABI, version %d\n", abiVersion)) {
		t.Errorf("docs/abi.md is not of version %d", abiVersion)
	}
	said := abiPage(t)
	for _, name := range slices.Concat(tags(Described{}), tags(ToolDescription{}), tags(wire.RuleExample{})) {
		if !strings.Contains(text, `"`+name+`"`) && !strings.Contains(said, "`"+name+"`") {
			t.Errorf("docs/abi.md does not name the member %s", name)
		}
	}
	known := slices.Concat(tags(Described{}), tags(ToolDescription{}), tags(wire.RuleExample{}))
	for _, found := range quoted.FindAllStringSubmatch(text, -1) {
		if name := found[1]; strings.Contains(text, `"`+name+`":`) && !slices.Contains(known, name) && name != "type" && name != "target" {
			t.Errorf("docs/abi.md: the host knows no member %s", name)
		}
	}
}

// TestABI_caps: the page's table of caps matches the code.
func TestABI_caps(t *testing.T) {
	t.Parallel()
	size := func(n int) string { return fmt.Sprintf("%d KiB", n>>10) }
	want := []string{
		fmt.Sprintf("tools of a module | %d", maxTools),
		fmt.Sprintf("aliases of a tool | %d", maxAliases),
		fmt.Sprintf("rule examples of a tool | %d", maxExamples),
		fmt.Sprintf("fuel of all rule examples of a module, in calls | %d", exampleFuelFactor),
		"`input_schema` | " + size(maxSchema),
		"text for people | " + size(maxText),
		fmt.Sprintf("suggested rules | %d", maxSuggestions),
		"`content` of a suggested rule, and each near miss | " + size(maxContent),
		fmt.Sprintf("near misses of a suggested rule | %d", maxMisses),
		fmt.Sprintf("`actions` | %d", maxActions),
		"`preview` | " + size(maxPreview),
		fmt.Sprintf("`targets` | %d", maxTargets),
		fmt.Sprintf("`marks` | %d", maxMarks),
		fmt.Sprintf("`effects` | %d", maxEffects),
		fmt.Sprintf("`rule_words` | %d", maxRuleWords),
		"`value` of a target, a mark or an effect | " + size(maxTarget),
		fmt.Sprintf("units of work for the host in `targets`, `marks`, `effects` and actions | %d", maxWork),
	}
	var got []string
	for line := range strings.Lines(after(t, "| what | at most |\n|---|---|\n", "\n\n")) {
		got = append(got, strings.Trim(strings.TrimSpace(line), "| "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/abi.md: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, part := range ShellParts {
		if !strings.Contains(abiPage(t), "`"+part+"`") {
			t.Errorf("docs/abi.md does not name the shell's %s", part)
		}
	}
}

// TestABI_example: the world of a rule example is the page's.
func TestABI_example(t *testing.T) {
	t.Parallel()
	for _, place := range []string{exampleCWD, exampleHome} {
		if !strings.Contains(abiPage(t), "`"+place+"`") {
			t.Errorf("docs/abi.md does not name %s", place)
		}
	}
}

// TestFirstWord: the host finds the first word of a rule's content where modules find it.
func TestFirstWord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.OneOf(rapid.String(), rapid.StringMatching("[ \t\na-cA-C:*/.%+,@^_=é-]{0,12}")).Draw(t, "content")
		if got, want := engine.FirstWord(content), sdk.FirstWord(content); got != want {
			t.Fatalf("%q: the host finds %q, the SDK %q", content, got, want)
		}
	})
}
