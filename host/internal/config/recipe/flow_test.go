package recipe_test

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/config/recipe"
)

// A file in bracket style keeps it, and every existing byte.
func TestMerge_brackets(t *testing.T) {
	t.Parallel()
	const mode, rules = "defaults:\n  mode: plan\n", "rules:\n  - deny: Bash\n    reason: \"a, b\"\n  - ask: \"Read(x)\"\n"
	for name, tt := range map[string]struct{ existing, fragment, want string }{
		"a mapping":                {"defaults: {profile: standard}\n", mode, "defaults: {profile: standard, mode: plan}\n"},
		"blanks inside":            {"defaults: { profile: standard } # mine\n", mode, "defaults: { profile: standard, mode: plan } # mine\n"},
		"an empty mapping":         {"defaults: {}\n", mode, "defaults: {mode: plan}\n"},
		"all of the file":          {"{defaults: {profile: standard}}\n", mode + rules, "{defaults: {profile: standard, mode: plan}, rules: [{deny: Bash, reason: \"a, b\"}, {ask: \"Read(x)\"}]}\n"},
		"an empty file in braces":  {"{}\n", mode, "{defaults: {mode: plan}}\n"},
		"a list":                   {"rules: [{allow: Read}]\nstore: /x\n", rules, "rules: [{allow: Read}, {deny: Bash, reason: \"a, b\"}, {ask: \"Read(x)\"}]\nstore: /x\n"},
		"a list with an entry":     {"rules: [{ask: \"Read(x)\"}]\n", rules, "rules: [{ask: \"Read(x)\"}, {deny: Bash, reason: \"a, b\"}]\n"},
		"an empty list":            {"rules: []\n", rules, "rules: [{deny: Bash, reason: \"a, b\"}, {ask: \"Read(x)\"}]\n"},
		"a block in a block":       {"defaults:\n  profile: standard\nrules: []\n", mode, "defaults:\n  mode: plan\n  profile: standard\nrules: []\n"},
		"several lines":            {"defaults: {\n  profile: standard\n}\n", mode, "defaults: {\n  profile: standard\n  , mode: plan\n}\n"},
		"a comma at the end":       {"defaults: {\r\n  profile: standard,\r\n}\r\n", mode, "defaults: {\r\n  profile: standard,\r\n  mode: plan\r\n}\r\n"},
		"a comment at the end":     {"defaults: {\n  profile: standard # a } b\n}\n", mode, "defaults: {\n  profile: standard # a } b\n  , mode: plan\n}\n"},
		"brackets in a text":       {"defaults: {profile: \"}]é\"}\n", mode, "defaults: {profile: \"}]é\", mode: plan}\n"},
		"a mapping without an end": {"defaults: {profile: standard}", mode, "defaults: {profile: standard, mode: plan}"},
		"nothing to add":           {"defaults: {mode: plan}\n", mode, "defaults: {mode: plan}\n"},
		"a mapping in a mapping":   {"agents: {b: {mode: plan}, c: {}}\n", "agents:\n  b:\n    rules:\n      - deny: Bash\n  d:\n    mode: plan\n", "agents: {b: {mode: plan, rules: [{deny: Bash}]}, c: {}, d: {mode: plan}}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diff, err := recipe.Merge("f.yaml", []byte(tt.existing), []byte(tt.fragment), "it")
			if err != nil || string(got) != tt.want {
				t.Fatalf("got %v\n%s\nwant\n%s", err, got, tt.want)
			}
			if (diff == "") != (tt.existing == tt.want) {
				t.Errorf("got the difference %q", diff)
			}
			again, diff, err := recipe.Merge("f.yaml", got, []byte(tt.fragment), "it")
			if err != nil || diff != "" || string(again) != tt.want {
				t.Errorf("a second time: got %v, %s", err, diff)
			}
		})
	}
}

func TestMerge_bracketsDifference(t *testing.T) {
	t.Parallel()
	_, diff, err := recipe.Merge("f.yaml", []byte("# mine\ndefaults: {profile: standard}\nstore: /x\n"), []byte("defaults:\n  mode: plan\n"), "it")
	const want = "--- f.yaml\n+++ f.yaml\n@@ -1,3 +1,3 @@\n # mine\n-defaults: {profile: standard}\n+defaults: {profile: standard, mode: plan}\n store: /x\n"
	if err != nil || diff != want {
		t.Errorf("got %v\n%s\nwant\n%s", err, diff, want)
	}
}

// Law: of a file with any brackets, comments and line ends, no content is lost, and the
// addition is there.
func TestMerge_bracketsLoseNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		gap := func() string {
			return rapid.SampledFrom([]string{"", " ", "\n  ", " # a } ], b\n  ", "\r\n    "}).Draw(t, "gap")
		}
		comma := rapid.SampledFrom([]string{"", ","}).Draw(t, "comma")
		profile := rapid.SampledFrom([]string{"standard", `"}{"`, "'é,]'", `"\""`}).Draw(t, "profile")
		existing := "defaults: {" + gap() + "profile: " + profile + gap() + comma + gap() + "}\nrules: [" + gap() + "{allow: Read}" + gap() + comma + gap() + "]\n"
		got, _, err := recipe.Merge("f.yaml", []byte(existing), []byte("defaults:\n  mode: plan\nrules:\n  - deny: Bash\n"), "it")
		if err != nil {
			if strings.Contains(existing, "#") || strings.Contains(existing, "\r") {
				return // refused, and nothing is written
			}
			t.Fatalf("%v\n%s", err, existing)
		}
		var was, is struct {
			Defaults map[string]string
			Rules    []map[string]string
		}
		if err := yaml.Unmarshal([]byte(existing), &was); err != nil {
			t.Skip("not YAML")
		}
		if err := yaml.Unmarshal(got, &is); err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
		if is.Defaults["profile"] != was.Defaults["profile"] || is.Defaults["mode"] != "plan" || len(is.Defaults) != 2 || len(is.Rules) != 2 || is.Rules[0]["allow"] != "Read" || is.Rules[1]["deny"] != "Bash" {
			t.Errorf("of\n%s\ncame\n%s", existing, got)
		}
	})
}
