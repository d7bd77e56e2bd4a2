package eval_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// The corpus of the seeds, and the document naming the cases with a different answer in
// Callgate.
var (
	sharedCorpus      = repo.File("testdata/seeds")
	differencesOfDocs = repo.File("docs/audit/corpus-differences.md")
)

// TestSharedCorpus scores the corpus of the seeds. Each difference must be listed in
// docs/audit/corpus-differences.md, and a listed case must differ.
func TestSharedCorpus(t *testing.T) {
	t.Parallel()
	e := evaluator(t)
	listed := listedDifferences(t)
	for name := range listed {
		if sharedFiles[name] == nil {
			t.Errorf("%s has a section %q, which is no file of the corpus", differencesOfDocs, name)
		}
	}
	for name, judge := range sharedFiles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cases []sharedCase
			readShared(t, name, &cases)
			var trials []trial
			for _, c := range cases {
				trials = append(trials, judge(c)...)
			}
			var in bytes.Buffer
			for _, tr := range trials {
				text, err := json.Marshal(tr.request)
				if err != nil {
					t.Fatal(err)
				}
				in.Write(append(text, '\n'))
			}
			wrong := map[string]string{}
			for i, got := range answers(t, e, &in) {
				if !trials[i].right(got) && wrong[trials[i].id] == "" {
					wrong[trials[i].id] = fmt.Sprintf("%v\n got %v", trials[i].request, got)
				}
			}
			compareDifferences(t, wrong, listed[name])
		})
	}
}

func compareDifferences(t *testing.T, wrong map[string]string, listed []string) {
	t.Helper()
	for id, what := range wrong {
		if !slices.Contains(listed, id) {
			t.Errorf("%s: wrong, and not listed in %s: %s", id, differencesOfDocs, what)
		}
	}
	for _, id := range listed {
		if wrong[id] == "" {
			t.Errorf("%s: listed in %s, and right", id, differencesOfDocs)
		}
	}
	t.Logf("%d listed differences", len(listed))
}

var (
	differenceFile = regexp.MustCompile("^## `([a-z_]+)`")
	differenceRow  = regexp.MustCompile("^\\| *(`[^|]*`) *\\|")
	quotedID       = regexp.MustCompile("`([^`]+)`")
)

// listedDifferences reads the document: a section per file, a table with the ids in its first
// column.
func listedDifferences(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(differencesOfDocs)
	if err != nil {
		t.Fatal(err)
	}
	all, file := map[string][]string{}, ""
	for line := range strings.Lines(string(data)) {
		if m := differenceFile.FindStringSubmatch(line); m != nil {
			file = m[1]
			all[file] = []string{}
		}
		if m := differenceRow.FindStringSubmatch(line); m != nil {
			for _, id := range quotedID.FindAllStringSubmatch(m[1], -1) {
				if slices.Contains(all[file], id[1]) {
					t.Errorf("%s: %s is listed twice", differencesOfDocs, id[1])
				}
				all[file] = append(all[file], id[1])
			}
		}
	}
	return all
}

func readShared(t *testing.T, name string, cases any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(sharedCorpus, name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, cases); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// sharedFiles says how the cases of each file are asked and judged.
var sharedFiles = map[string]func(sharedCase) []trial{
	"bypasses":            bypass,
	"controls":            control,
	"red":                 bypass,
	"redctl":              control,
	"agentscope":          agentscope,
	"agentscope_readonly": agentscopeReadOnly,
	"agentscope_match":    agentscopeMatch,
	"agentscope_sessions": agentscopeSessions,
	"vibing_match":        vibingMatch,
	"vibing_eval":         vibingEval,
	"athena_plan_bash":    athenaPlan,
	"athena":              athena,
	"athena_subagent":     athenaSubAgent,
	"chorus_actions":      chorusActions,
	"chorus_prefilter":    chorusPrefilter,
	"chorus_profiles":     chorusProfiles,
	"frontmatter":         sharedFrontMatter,
	"vibing_commands":     vibingCommands,
}

func bypass(c sharedCase) []trial {
	return c.decide(c.request(projectDir), func(got map[string]any) bool { return got["behavior"] != c.MustNot })
}

func control(c sharedCase) []trial { return c.decide(c.request(projectDir), behaves(c.Must)) }
