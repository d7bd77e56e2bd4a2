package file_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/sdk/go/tool"
)

// patch is the input of ApplyPatch with the lines between begin and end.
func patch(lines ...string) string {
	text := strings.Join(slices.Concat([]string{"*** Begin Patch"}, lines, []string{"*** End Patch"}), "\n")
	data, _ := json.Marshal(map[string]string{"input": text}) // a map of strings is JSON
	return string(data)
}

func TestSeveralFiles(t *testing.T) {
	t.Parallel()
	const update = "*** Update File: "
	for _, tc := range []struct {
		name, tool, input string
		files             []string // none: they cannot be told
		allowed, denied   bool     // by a rule src/**
		edits             tool.Behavior
	}{
		{"one", "ApplyPatch", patch(update+"src/a", "@@", "-x", "+y"), []string{"src/a"}, true, true, tool.Allow},
		{"two inside", "apply_patch", patch(update+"src/a", "-x", "+y", "*** Add File: src/b", "+z"), []string{"src/a", "src/b"}, true, true, tool.Allow},
		{"one outside the rule", "ApplyPatch", patch(update+"src/a", "-x", "*** Delete File: lib/b"), []string{"src/a", "lib/b"}, false, true, tool.Allow},
		{"moved away", "ApplyPatch", patch(update+"src/a", "*** Move to: /etc/a", "-x"), []string{"src/a", "/etc/a"}, false, true, tool.Passthrough},
		{"onto something protected", "ApplyPatch", patch(update+"src/a", "-x", "*** Add File: .git/hooks/pre-commit", "+x"), []string{"src/a", ".git/hooks/pre-commit"}, false, true, tool.Ask},
		{"none of them", "ApplyPatch", patch("*** Delete File: lib/b"), []string{"lib/b"}, false, false, tool.Allow},
		{"a header in the text", "ApplyPatch", patch(update+"src/a", "+*** Add File: lib/b", "-*** End Patch"), []string{"src/a"}, true, true, tool.Allow},
		{"a header with a blank before it", "ApplyPatch", patch(update+"src/a", " *** Add File: lib/b"), nil, false, true, tool.Ask},
		{"a header of no known kind", "ApplyPatch", patch(update+"src/a", "*** Copy to: lib/b"), nil, false, true, tool.Ask},
		{"a name with blanks around", "ApplyPatch", patch(update + "src/a "), nil, false, true, tool.Ask},
		{"a carriage return", "ApplyPatch", patch(update+"src/a", "+x\r*** Add File: lib/b"), nil, false, true, tool.Ask},
		{"a line end that only some readers know", "ApplyPatch", patch(update+"src/a", "+x\u0085*** Add File: lib/b"), nil, false, true, tool.Ask},
		{"no patch", "ApplyPatch", `{"input":"--- a/src/a\n+++ b/src/a\n"}`, nil, false, true, tool.Ask},
		{"text after it", "ApplyPatch", strings.Replace(patch(update+"src/a"), "End Patch", "End Patch\\n*** Begin Patch\\n*** Add File: b\\n*** End Patch", 1), nil, false, true, tool.Ask},
		{"two patches", "ApplyPatch", `{"input":"x","patch":"y"}`, nil, false, true, tool.Ask},
		{"no text", "ApplyPatch", `{"input":["src/a"]}`, nil, false, true, tool.Ask},
		{"nothing", "ApplyPatch", `{}`, nil, false, true, tool.Ask},
		{"many", "read_many_files", `{"paths":["src/a"],"include":["src/b"]}`, []string{"src/a", "src/b"}, true, true, tool.Passthrough},
		{"many, one outside", "read_many_files", `{"paths":["src/a","lib/b"]}`, []string{"src/a", "lib/b"}, false, true, tool.Passthrough},
		{"many by a glob", "read_many_files", `{"include":["src/**/*.md"]}`, []string{"src/**/*.md"}, false, true, tool.Passthrough},
		{"many, elsewhere", "read_many_files", `{"include":["lib/*.md"]}`, []string{"lib/*.md"}, false, false, tool.Passthrough},
		{"a glob upwards", "read_many_files", `{"include":["lib/*/../../src/a"]}`, nil, false, true, tool.Ask},
		{"removed", "delete_file", `{"target_file":"src/a"}`, []string{"src/a"}, true, true, tool.Allow},
		{"removed elsewhere", "Delete", `{"path":"lib/.git"}`, []string{"lib/.git"}, false, false, tool.Ask},
		{"Cursor's edit", "edit_file", `{"target_file":"src/a","instructions":"x","code_edit":"y"}`, []string{"src/a"}, true, true, tool.Allow},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			h := host(tool.ModeAcceptEdits)
			d := h.Describe(t, tc.tool, tc.input)
			var files []string
			for _, target := range d.Targets {
				files = append(files, target.Value)
			}
			if !slices.Equal(files, tc.files) || d.TargetsUnknown != (tc.files == nil) {
				t.Errorf("targets %q, unknown %v; want %q", files, d.TargetsUnknown, tc.files)
			}
			if n := len(d.Actions); len(files) > 1 && n != len(files) {
				t.Errorf("actions: %q", d.Actions)
			}
			if got := h.Match(t, tool.Allow, "src/**", tc.tool, tc.input); got != tc.allowed {
				t.Errorf("allowed: %v, want %v", got, tc.allowed)
			}
			if got := h.Match(t, tool.Deny, "src/**", tc.tool, tc.input); got != tc.denied {
				t.Errorf("denied: %v, want %v", got, tc.denied)
			}
			if got := h.Check(t, tc.tool, tc.input); got.Behavior != tc.edits {
				t.Errorf("in accept_edits: %+v, want %s", got, tc.edits)
			}
		})
	}
}

// TestRulesCoverTogether: an allow needs every file named, by whichever rule.
func TestRulesCoverTogether(t *testing.T) {
	t.Parallel()
	in := patch("*** Delete File: src/a", "*** Delete File: lib/b")
	rules := []tool.Rule{{Content: "src/**"}, {Content: "docs/**"}, {Content: "lib/*"}}
	if got := host("").MatchAll(t, tool.Allow, rules, "ApplyPatch", in); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("got %v, want [0 2]", got)
	}
	if got := host("").MatchAll(t, tool.Allow, rules[:2], "ApplyPatch", in); len(got) != 0 {
		t.Errorf("got %v, want none", got)
	}
	contents := host("").Suggest(t, "ApplyPatch", in)
	var own []tool.Rule
	for _, c := range contents {
		own = append(own, tool.Rule{Content: c})
	}
	if got := host("").MatchAll(t, tool.Allow, own, "ApplyPatch", in); len(got) != len(contents) || len(got) != 2 {
		t.Errorf("suggestions %q: %v match, want both", contents, got)
	}
}

// TestSeveralInOnePart: the files of one part of the project, or of one tree of temporary files,
// have one rule; no tree of a client, or of the files beside, is among them.
func TestSeveralInOnePart(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		files, want []string
	}{
		{[]string{"src/shared/a/x.ts", "src/shared/b/y.ts"}, []string{"/my/project/src/shared/**"}},
		{[]string{"src/x.ts", "package.json"}, []string{"/my/project/src/**", "/my/project/package.json"}},
		{[]string{"/tmp/try/a/x", "/tmp/try/y"}, []string{"/tmp/try/**"}},
		{[]string{"/tmp/x", "/tmp/y"}, []string{"/tmp/x", "/tmp/y"}},
		{[]string{"/tmp/claude-1000/a/x", "/tmp/.X11-unix/y"}, []string{"/tmp/claude-1000/a/x", "/tmp/.X11-unix/y"}},
	} {
		var lines []string
		for _, file := range tc.files {
			lines = append(lines, "*** Add File: "+file, "+x")
		}
		if got := host("").Suggest(t, "ApplyPatch", patch(lines...)); !slices.Equal(got, tc.want) {
			t.Errorf("%q: got %q, want %q", tc.files, got, tc.want)
		}
	}
}

// TestNoRuleIsProposedTwice: a file named twice in a call is one.
func TestNoRuleIsProposedTwice(t *testing.T) {
	t.Parallel()
	contents := host("").Suggest(t, "ReadMany", `{"paths":["/other/a","/other/a","/other/b"]}`)
	if unique := slices.Compact(slices.Sorted(slices.Values(contents))); len(contents) != 2 || len(unique) != 2 {
		t.Errorf("got %q, want a rule for each of two files", contents)
	}
}

// TestReadTogether: of several files read in the project one rule has all of them, secrets excepted.
func TestReadTogether(t *testing.T) {
	t.Parallel()
	got := host("").Suggest(t, "ReadMany", `{"paths":["src/a","b","/other/c"]}`)
	if want := []string{"/my/project/** without secrets", "/other/c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	got = host("").Suggest(t, "ReadMany", `{"paths":["src/a",".env"]}`)
	if want := []string{"/my/project/** without secrets", "/my/project/.env"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestManyAreReadOnly(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]bool{
		`{"paths":["src/a","README.md"]}`: true, `{"include":["src/**/*.md"]}`: true, `{"include":["**/*"]}`: false, `{"include":["src/**"]}`: false, `{"paths":["src/a",".env"]}`: false,
		`{"include":["**/.env*"]}`: false, `{"include":["*.pem"]}`: false, `{"paths":["src/a"],"root":"/etc"}`: false, `{}`: false,
	} {
		if got := host("").ReadOnly(t, "ReadMany", input); got != want {
			t.Errorf("%s: got %v, want %v", input, got, want)
		}
	}
}

// TestSuggestionsRoundTrip: a proposal allows the very call, names nothing beside it, and is no
// wider than its directory.
func TestSuggestionsRoundTrip(t *testing.T) {
	t.Parallel()
	name := rapid.StringMatching(`[a-cé名*?\[\]{}!,$ .-]{1,6}`).Filter(func(s string) bool { return strings.Trim(s, ". ") == s && s != "" })
	rapid.Check(t, func(r *rapid.T) {
		segments := rapid.SliceOfN(name, 1, 3).Draw(r, "segments")
		file := rapid.SampledFrom([]string{"/my/project/", "", "/srv/", "~/", "./x/../"}).Draw(r, "root") + strings.Join(segments, "/")
		h := host("")
		if rapid.Bool().Draw(r, "linked") {
			h.Links = map[string]string{"/my/project/" + segments[0]: "/srv/real"}
		}
		for _, tool_ := range []string{"Read", "Edit"} {
			for _, content := range h.Suggest(t, tool_, at(file)) {
				if !h.Match(t, tool.Allow, content, tool_, at(file)) {
					r.Fatalf("%q does not allow %q", content, file)
				}
				if h.Match(t, tool.Allow, content, tool_, at("/elsewhere/x")) || strings.HasPrefix(content, "**") || content == "/**" {
					r.Fatalf("%q, proposed for %q, is too wide", content, file)
				}
			}
		}
	})
}
