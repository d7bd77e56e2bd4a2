package languages

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/testkit/benchtest"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/script"
	"github.com/callgate/callgate/host/internal/toolkit/workbench"
	"github.com/callgate/callgate/host/internal/toolkit/workbench/cases"
	"github.com/callgate/callgate/sdk"
)

var (
	deployModules = repo.File("testdata/deploy")
	// deployCases hold all promises of the example; deployLessons are those for new authors of
	// a tool.
	deployCases   = deployModules + "/cases.yaml"
	deployLessons = repo.File("sdk/deploy/cases.yaml")
)

// built are the languages with modules made by the test: their files are big.
var built = map[string]string{"go": repo.File("sdk/go/deploy"), "extism": repo.File("sdk/extism")}

// deployModule returns the bytes of the example in one language.
func deployModule(t *testing.T, language string) []byte {
	t.Helper()
	if language == "javascript" {
		return deployScript(t, repo.File("sdk/typescript/deploy/deploy.js"))
	}
	file := filepath.Join(deployModules, language+".wasm")
	if dir, ok := built[language]; ok {
		if raceflag.Enabled {
			t.Skip("a Go module compiles for minutes under the race detector; go test without -race runs it")
		}
		file = filepath.Join(t.TempDir(), language+".wasm")
		build := exec.CommandContext(t.Context(), "go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", file, ".")
		build.Dir, build.Env = dir, append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
	}
	wasm, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// deployScript is a script linked into the engine, as `callgate tool build` does it.
func deployScript(t *testing.T, file string) []byte {
	t.Helper()
	library, err := fs.ReadFile(sdk.Files(), "typescript/callgate.ts")
	if err != nil {
		t.Fatal(err)
	}
	engine, err := fs.ReadFile(sdk.Files(), "typescript/engine.wasm")
	if err != nil {
		t.Fatal(err)
	}
	js, err := script.Bundle(t.Context(), file, library)
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := script.Link(engine, js)
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// deployLanguages are the languages of the example. JavaScript, Go and the Extism PDK have no
// golden module: the test builds theirs.
var deployLanguages = []string{"c", "rust", "assemblyscript", "typescript", "javascript", "wat", "go", "extism"}

// TestDeployLanguages puts the one corpus to the example in every language: each
// answers as the cases say, and all answer the same.
func TestDeployLanguages(t *testing.T) {
	t.Parallel()
	corpus := readCases(t, deployCases)
	if len(corpus) < 120 {
		t.Fatalf("%d cases: want 120 at least", len(corpus))
	}
	corpus = append(corpus, readCases(t, deployLessons)...)
	corpus = append(corpus, large()...)
	bench := benchtest.Open(t)
	all := map[string]*speaker{}
	for _, language := range deployLanguages {
		t.Run(language, func(t *testing.T) { all[language] = speak(t, bench, language, corpus) })
	}
	first := ""
	for _, language := range deployLanguages {
		switch {
		case all[language] == nil: // skipped
		case first == "":
			first = language
		default:
			t.Run(language+" as "+first, func(t *testing.T) { all[language].same(t, all[first]) })
		}
	}
}

func readCases(t *testing.T, file string) []cases.Case {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	list, err := cases.Parse(file, data)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// large are calls too large for a file of cases.
func large() []cases.Case {
	text := strings.Repeat("staging/web ", 8<<10)
	status := `{"operation":"status","target":"staging/web","x":`
	raw := map[string]string{
		"a long unknown text": status + `"` + text + `"}`,
		"a long target":       `{"operation":"status","target":"` + text + `"}`,
		"a long list":         status + `[` + strings.Repeat("1,", 4<<10) + `1]}`,
		"many unknown members": func() string {
			var b strings.Builder
			for i := range 500 {
				b.WriteString(`,"x` + strings.Repeat("y", i) + `":1`)
			}
			return `{"operation":"status","target":"staging/web"` + b.String() + `}`
		}(),
		"an open text without end": `{"operation":"` + text,
		"a very deep list":         status + strings.Repeat("[", 100_000),
	}
	var list []cases.Case
	for name, text := range raw {
		list = append(list, cases.Case{Name: name, Call: trial.Call{
			Tool: "Deploy", Raw: []byte(text),
			Rules: []trial.RuleSet{{Behavior: "allow", Contents: []string{"staging/*", "x"}}, {Behavior: "deny", Contents: []string{"staging/*", "prod/*", "x"}}},
		}})
	}
	slices.SortFunc(list, func(a, b cases.Case) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// speaker is the output of the example in one language.
type speaker struct {
	language    string
	description json.RawMessage // as the host read it
	outcomes    []cases.Outcome
}

// named are the cases whose question must name a member of the input.
var named = regexp.MustCompile(`^the (operation|target) (?:is|in another case)|^(dry_run|config) is (?:a|an|zero)\b`)

func speak(t *testing.T, bench *workbench.Bench, language string, corpus []cases.Case) *speaker {
	m, err := bench.LoadBytes(t.Context(), language+".wasm", deployModule(t, language))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range m.Examples(t.Context()) {
		if !e.OK() {
			t.Errorf("%s: rule example %+v", language, e)
		}
	}
	description, err := json.Marshal(m.Description)
	if err != nil {
		t.Fatal(err)
	}
	s := &speaker{language: language, description: description}
	for _, c := range corpus {
		o := c.Run(t.Context(), m)
		s.outcomes = append(s.outcomes, o)
		for _, d := range o.Differences {
			t.Errorf("%s: %s (line %d): %s %s\n want %s\n got  %s", language, c.Name, c.Line, d.Verb, d.Where, d.Want, d.Got)
		}
		if found := named.FindStringSubmatch(c.Name); found != nil {
			if member, answer := found[1]+found[2], string(o.Answers.Check.Output); !strings.Contains(answer, member) {
				t.Errorf("%s: %s: check_permissions answers %s: want it to name %q", language, c.Name, answer, member)
			}
		}
	}
	return s
}

// same compares all raw answers of two languages.
func (s *speaker) same(t *testing.T, as *speaker) {
	if got, want := plain(t, s.description), plain(t, as.description); !bytes.Equal(got, want) {
		t.Errorf("describe\n %s: %s\n %s: %s", s.language, got, as.language, want)
	}
	for i := range s.outcomes {
		mine, others := s.outcomes[i].Answers.All(), as.outcomes[i].Answers.All()
		if len(mine) != len(others) {
			t.Errorf("%s: %d answers, %s has %d", s.outcomes[i].Case.Name, len(mine), as.language, len(others))
			continue
		}
		for j, answer := range mine {
			if got, want := said(t, answer), said(t, others[j]); got != want {
				t.Errorf("%s: %s\n %s: %s %v\n %s: %s %v", s.outcomes[i].Case.Name, answer.Verb, s.language, got, answer.Failed(), as.language, want, others[j].Failed())
			}
		}
	}
}

// said is one answer without the freely worded parts.
func said(t *testing.T, a *trial.Answer) string {
	if a.Failed() != nil {
		return "an error"
	}
	return string(plain(t, a.Output))
}

// own are the example's own reasons; any other is the SDK's own wording.
var own = regexp.MustCompile(`^$| is production$|^unknown operation$|^the target is not STAGE/SERVICE$|^the configuration lies outside|^status changes nothing$`)

// plain is a canonical JSON object without empty members, and with the wording of an
// SDK's own reasons left out.
func plain(t *testing.T, data []byte) []byte {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	for name, value := range members {
		switch string(value) {
		case "null", "false", `""`, "[]":
			delete(members, name)
		}
	}
	var reason string
	if err := json.Unmarshal(members["reason"], &reason); err == nil && !own.MatchString(reason) {
		delete(members, "reason")
		delete(members, "message")
	}
	if _, yes := members["read_only"]; !yes && len(members) == 1 { // {read_only: false, reason}
		delete(members, "reason")
	}
	out, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	value := jsontext.Value(out)
	if err := value.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return value
}
