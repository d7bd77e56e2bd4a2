package cases_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/benchtest"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/workbench/cases"
)

var modules = repo.File("testdata/modules") + "/"

func parse(t *testing.T, text string) []cases.Case {
	t.Helper()
	all, err := cases.Parse("x.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// passing are cases of the deploy module in testdata/modules.
const passing = `
- name: production
  input: {target: production/web}
  check: {behavior: ask, bypass_immune: true, reason: production, message: production needs a person}
  read_only: false
  match:
    - {behavior: allow, rules: [staging/*], matched: []}
  suggestions: [staging/*]
  describe: {action: "tool:deploy:go", targets_unknown: null, targets: [{kind: path, value: deploy.yaml, access: read}, {access: write, kind: host, value: deploy.example.com}]}
- name: staging
  tool: deploy
  input: {target: staging/web}
  mode: explore
  cwd: /other
  home: /home/ann
  working_directories: []
  config: {a: [1, 2]}
  links: {/other/deploy.yaml: /etc/x}
  check: {behavior: allow, bypass_immune: false}
  match:
    - {behavior: allow, rules: [staging/*], root: /other, matched: [0]}
  suggestions: [{content: staging/*, description: all of staging, near_misses: []}]
- name: text
  raw_input: '{"target":"staging/x","target":1}'
  targets: []
  targets_unknown: false
  read_only: {read_only: false}
- name: bytes
  raw_input_base64: /w==
  check: {behavior: passthrough}
`

func TestPassing(t *testing.T) {
	m := benchtest.Load(t, modules+"deploy.wasm")
	for _, c := range parse(t, passing) {
		if o := c.Run(t.Context(), m); !o.OK() || o.Fuel == 0 {
			t.Errorf("%s: %+v", c.Name, o.Differences)
		}
	}
}

func TestDifferences(t *testing.T) {
	const call = "- name: x\n  input: {target: staging/web}\n  "
	for _, tc := range []struct{ module, expect, want string }{
		{"deploy", "check: {behavior: deny, reason: staging}", `check_permissions behavior "deny" "allow"`},
		{"deploy", "check: {reason: null}", `check_permissions reason null "staging"`},
		{"deploy", "check: {message: words}", `check_permissions message "words" (nothing)`},
		{"deploy", "check: error", `check_permissions  (no answer: it must fail) {"behavior":"allow","reason":"staging"}`},
		{"deploy", "read_only: true", `check_read_only read_only true false`},
		{"deploy", "suggestions: []", `generate_suggestions rules [] ["staging/*"]`},
		{"deploy", "suggestions: [null]", `generate_suggestions rules[0].content null "staging/*"`},
		{"deploy", "suggestions: ['']", `generate_suggestions rules[0].content "" "staging/*"`},
		{"deploy", "suggestions: [{near_misses: [{}]}]", `generate_suggestions rules[0].near_misses [{}] (nothing)`},
		{"deploy", "suggestions: error", `generate_suggestions  (no answer: it must fail) {"rules":[{"content":"staging/*","description":"all of staging"}]}`},
		{"deploy", "match: [{behavior: deny, rules: [x, y], matched: []}, {behavior: allow, rules: [x, y], matched: [1]}]", `match_rule match[1].matched [1] []`},
		{"deploy", "match: [{behavior: deny, rules: [x], matched: error}]", `match_rule match[0] (no answer: it must fail) {"matched":[]}`},
		{"deploy", "describe: {title: deploy}", `describe_call title "deploy" "Deploy"`},
		{"deploy", "links: {a: b}\n  describe: {title: deploy}", `x.yaml:3:10: [0].links: "a" is not an absolute path`},
		{"echo", "tool: Echo\n  match: [{behavior: deny, rules: [x], matched: [0]}]", `match_rule match[0] {"matched":[0]} (no answer: tool echo.wasm: match_rule: code`},
		{"below", "tool: net__mail\n  describe: {action: x}", `describe_call  {"action":"x"} (no answer: the module has no describe_call)`},
	} {
		t.Run(tc.expect, func(t *testing.T) {
			all, err := cases.Parse("x.yaml", []byte(call+tc.expect+"\n"))
			if err != nil {
				if err.Error() != tc.want {
					t.Errorf("error is %v", err)
				}
				return
			}
			m := benchtest.Load(t, modules+tc.module+".wasm")
			var got []string
			for _, d := range all[0].Run(t.Context(), m).Differences {
				got = append(got, strings.Join([]string{d.Verb, d.Where, d.Want, d.Got}, " "))
			}
			if text := strings.Join(got, "; "); !strings.Contains(text, tc.want) {
				t.Errorf("got  %s\nwant %s", text, tc.want)
			}
		})
	}
}

// A case with failures required of every export.
func TestError(t *testing.T) {
	all := parse(t, "- {name: x, input: {}, error: true}\n")
	o := all[0].Run(t.Context(), benchtest.Load(t, modules+"deploy.wasm"))
	if len(o.Differences) != 5 {
		t.Errorf("differences are %+v, want one for each export", o.Differences)
	}
}

func TestMistakes(t *testing.T) {
	const ok = "- name: a\n  input: {}\n"
	for _, tc := range []struct{ file, want string }{
		{"- input: {}\n", "x.yaml:1:3: [0].name: missing"},
		{ok + ok, `x.yaml:3:9: [1].name: "a" is the name of the case on line 1 as well`},
		{"- name: a\n", "want one of input (a mapping), raw_input (text) and raw_input_base64 (bytes), got 0"},
		{ok + "  raw_input: x\n", "got 2 of them"},
		{"- name: a\n  input: [1]\n", "x.yaml:2:10: [0].input: want a mapping"},
		{"- name: a\n  raw_input: 1\n", "want text, got a number: put it in quotes"},
		{"- name: a\n  raw_input_base64: '*'\n", "x.yaml:2:21: [0].raw_input_base64: not base64"},
		{ok + "  chek: {}\n", "x.yaml:3:3: [0].chek: unknown key"},
		{ok + "  check: {behaviour: ask}\n", "[0].check.behaviour: unknown key: an answer has behavior"},
		{ok + "  check: {}\n", "[0].check: names no member"},
		{ok + "  check: ask\n", "[0].check: want a mapping of members of the answer, or the word error"},
		{ok + "  read_only: yes\n", "[0].read_only: want a mapping"},
		{ok + "  suggestions: a\n", "[0].suggestions: want the list of all suggested rules"},
		{ok + "  suggestions: [1]\n", "[0].suggestions[0]: want a mapping"},
		{ok + "  suggestions: [{rule: a}]\n", "[0].suggestions[0].rule: unknown key"},
		{ok + "  match: [{behavior: passthrough, rules: [a], matched: []}]\n", `[0].match[0].behavior: "passthrough": want allow, deny or ask`},
		{ok + "  match: [{behavior: allow, matched: []}]\n", "[0].match[0].rules: missing"},
		{ok + "  match: [{behavior: allow, rules: [a]}]\n", "[0].match[0].matched: want the indices"},
		{ok + "  match: [{behavior: allow, rules: [a], matched: [1]}]\n", "[0].match[0].matched: want the indices"},
		{ok + "  match: [{behavior: allow, rules: [a, b], matched: [1, 0]}]\n", "[0].match[0].matched: want the indices"},
		{ok + "  cwd: here\n", `[0].cwd: "here" is not an absolute path`},
		{ok + "  mode: wild\n", "[0].mode: "},
		{ok + "  targets: [{kin: path}]\n", "[0].targets: want a list of targets"},
		{ok + "  error: true\n  check: {behavior: ask}\n", "[0].error: a case in which every export must fail names no answers"},
		{"name: a\n", "want a list"},
	} {
		t.Run(tc.want, func(t *testing.T) {
			_, err := cases.Parse("x.yaml", []byte(tc.file))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestReport(t *testing.T) {
	m := benchtest.Load(t, modules+"deploy.wasm")
	all := parse(t, passing+`- name: wrong
  input: {target: "staging/\u001b[31m"}
  check: {behavior: deny}
  suggestions: [prod/*, staging/*]
- {name: silent, input: {}}
`)
	r := cases.Test(t.Context(), m, all, nil)
	if r.OK() || r.Passed != 6 || r.Failed != 2 || len(r.Examples) != 2 {
		t.Errorf("report is %+v", r)
	}
	var out strings.Builder
	r.Print(&out, false)
	const want = `FAIL  wrong  (x.yaml:31)
      asked: Deploy {"target":"staging/\u001b[31m"}
      check_permissions
        behavior
          want "deny"
          got  "allow"
      generate_suggestions
        rules
          - "prod/*"
            "staging/*"
FAIL  silent  (x.yaml:35)
      asked: Deploy {}
      expects nothing, so it shows nothing: write down an answer, or have the present ones written with --update
`
	if !strings.HasPrefix(out.String(), want) || !strings.Contains(out.String(), "6 cases and 2 rule examples: 6 passed, 2 failed") {
		t.Errorf("printed:\n%s", out.String())
	}
	bad := cases.Test(t.Context(), benchtest.Load(t, modules+"bad_example.wasm"), nil, nil)
	if bad.OK() || bad.Failed == 0 {
		t.Errorf("report is %+v", bad)
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("word ", 20)
	for _, tc := range []struct{ want, got, lines string }{
		{`1`, `2`, "want 1|got  2"},
		{`[1,2,3]`, `[1,3,4]`, "  1|- 2|  3|+ 4"},
		{`[]`, `["a"]`, `+ "a"`},
		{`"` + long + `\nb"`, `"` + long + `\nc"`, `  "` + long + `"|- "b"|+ "c"`},
		{`[1]`, `(no answer: x)`, "want [1]|got  (no answer: x)"},
	} {
		if got := strings.Join(cases.Difference{Want: tc.want, Got: tc.got}.Lines(), "|"); got != tc.lines {
			t.Errorf("got %s, want %s", got, tc.lines)
		}
	}
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	module := filepath.Join(dir, "a.wasm")
	if _, err := cases.Find(module); err == nil || !strings.Contains(err.Error(), "a.cases.yaml") || !strings.Contains(err.Error(), "- name: the first call") {
		t.Errorf("error is %v", err)
	}
	for _, name := range []string{"cases.yaml", "a.cases.yaml"} { // the latter goes first
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if file, err := cases.Find(module); err != nil || file != filepath.Join(dir, name) {
			t.Errorf("found %s, %v", file, err)
		}
	}
	parse(t, cases.Template)
}

func TestUpdate(t *testing.T) {
	m := benchtest.Load(t, modules+"deploy.wasm")
	const before = `# the head
- name: production
  input:
    target: production/web

# about the next
- name: fixed
  input: {target: staging/web}
  check: {behavior: ask} # wrong, and stays

-   name: staging
    input: {target: staging/web}`
	const after = `# the head
- name: production
  input:
    target: production/web
  check: {behavior: "ask", message: "production needs a person", reason: "production", bypass_immune: true}
  read_only: false
  match:
    - {behavior: allow, rules: ["staging/*"], matched: []}
  suggestions: ["staging/*"]
  describe: {action: "tool:deploy:go", title: "Deploy", targets: [{"kind": "path", "value": "deploy.yaml", "access": "read"}, {"kind": "host", "value": "deploy.example.com", "access": "write"}]}

# about the next
- name: fixed
  input: {target: staging/web}
  check: {behavior: ask} # wrong, and stays

-   name: staging
    input: {target: staging/web}
    check: {behavior: "allow", reason: "staging"}
    read_only: false
    match:
      - {behavior: allow, rules: ["staging/*"], matched: [0]}
    suggestions: ["staging/*"]
    describe: {action: "tool:deploy:go", title: "Deploy", targets: [{"kind": "path", "value": "deploy.yaml", "access": "read"}, {"kind": "host", "value": "deploy.example.com", "access": "write"}]}
`
	text, filled, err := cases.Update(t.Context(), "x.yaml", []byte(before), m)
	if err != nil || string(text) != after {
		t.Fatalf("%v\n%s", err, text)
	}
	if len(filled) != 2 || filled[0].Name != "production" || len(filled[1].Lines) != 6 {
		t.Errorf("filled %+v", filled)
	}
	for _, c := range parse(t, after) {
		if o := c.Run(t.Context(), m); o.OK() != (c.Name != "fixed") {
			t.Errorf("%s: %+v", c.Name, o.Differences)
		}
	}
	again, filled, err := cases.Update(t.Context(), "x.yaml", text, m)
	if err != nil || len(filled) != 0 || string(again) != after {
		t.Errorf("a second time: %v, %+v", err, filled)
	}
	if _, _, err := cases.Update(t.Context(), "x.yaml", []byte("- {name: a, input: {}}\n"), m); err == nil || !strings.Contains(err.Error(), "on lines of its own") {
		t.Errorf("error is %v", err)
	}
	echo := benchtest.Load(t, modules+"mirror.wasm")
	// A failure is reported, and does not become an expectation.
	const broken = "- name: a\n  tool: x\n  input: {}\n"
	text, filled, err = cases.Update(t.Context(), "x.yaml", []byte(broken), echo)
	if err != nil || string(text) != broken || len(filled) != 1 || !strings.HasPrefix(filled[0].Failed, "describe_call: ") {
		t.Errorf("%v, %+v\n%s", err, filled, text)
	}
}

// A file of any content is read or refused with its name.
func FuzzParse(f *testing.F) {
	f.Add(passing)
	f.Add(cases.Template)
	f.Add("- {name: x, input: {}, error: true}\n")
	f.Add("- name: a\n  input: {a: 1}\n  match: [{behavior: allow, rules: [a], matched: error}]\n  suggestions: [null, a, {content: x}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := cases.Parse("x.yaml", []byte(text))
		if err != nil {
			if !strings.Contains(err.Error(), "x.yaml") || len(all) > 0 {
				t.Errorf("error is %v", err)
			}
			return
		}
		for _, c := range all {
			if c.Name == "" || c.Line < 1 || c.Call.Input == nil && c.Call.Raw == nil {
				t.Errorf("case is %+v", c)
			}
		}
	})
}
