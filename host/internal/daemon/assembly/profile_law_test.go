package assembly_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/testkit/repo"
	"github.com/callgate/callgate/host/internal/toolkit/eval/corpus"
	"github.com/callgate/callgate/host/wire"
)

// ceilings are the presets and two custom profiles, as the configuration writes them.
var ceilings = map[string]string{
	"open": "open", "standard": "standard", "locked": "locked",
	"wide":  `{allow: ["(?s)tool:.*"], ask: ["(?s)tool:bash:.*"]}`,
	"mixed": `{allow: ["(?s)tool:(bash:(git|npm|cat|rm) .*|view:.*|mcp__.*)", "tool:.*"], ask: ["(?s)tool:.*"], deny: ["(?s)tool:bash:curl .*"]}`,
}

// TestProfiles_lawOfCeilings puts calls of the corpus, attacks and their harmless twins,
// through the Gate with and without each profile, in the modes that differ: with a profile no
// call is looser than without, and no safety check loses its immunity. No preset allows a call
// that asks without a profile, for a secret, a place outside or any other reason.
func TestProfiles_lawOfCeilings(t *testing.T) {
	t.Parallel()
	modes := []string{"default", "accept_edits", "explore", "bypass", "dont_ask"}
	var yaml strings.Builder
	yaml.WriteString("agents:\n")
	for _, mode := range modes {
		fmt.Fprintf(&yaml, "  %s: {mode: %s, working_directories: [PROJECT]}\n", mode, mode)
		for name, p := range ceilings {
			fmt.Fprintf(&yaml, "  %s %s: {mode: %s, profile: %s, working_directories: [PROJECT]}\n", mode, name, mode, p)
		}
	}
	w := newWorld(t, yaml.String())
	calls := corpusCalls(t, w)
	for i, call := range calls {
		mode := modes[i%len(modes)]
		without := w.evaluate(mode, call)
		for name := range ceilings {
			with := w.evaluate(mode+" "+name, call)
			switch {
			case with.Behavior > without.Behavior:
				t.Errorf("%s %s in %s: %s (%s), and %s with the profile %s (%s)", call.Tool, call.Input, mode, without.Behavior, without.Reason, with.Behavior, name, with.Reason)
			case without.BypassImmune && with.Behavior == engine.Ask && !with.BypassImmune:
				t.Errorf("%s %s in %s: the profile %s took the safety check's immunity", call.Tool, call.Input, mode, name)
			case name == "open" && with.Behavior != without.Behavior:
				t.Errorf("%s %s in %s: %s, and %s with open, which limits nothing", call.Tool, call.Input, mode, without.Behavior, with.Behavior)
			}
		}
	}
}

// corpusCalls are some hundred calls of testdata/corpus, spread over all its classes.
func corpusCalls(t *testing.T, w *world) []wire.Request {
	t.Helper()
	cases, err := corpus.Load(repo.File("testdata/corpus"))
	if err != nil {
		t.Fatal(err)
	}
	var calls []wire.Request
	for _, file := range cases.Files {
		if file.Kind != corpus.MustAllow && file.Kind != corpus.MustNotAllow {
			continue
		}
		step := max(1, len(file.Cases)/12)
		for i := 0; i < len(file.Cases); i += step {
			calls = append(calls, corpusCall(t, w, file.Cases[i]))
		}
	}
	if len(calls) < 300 {
		t.Fatalf("got %d calls, want some hundred", len(calls))
	}
	return calls
}

func corpusCall(t *testing.T, w *world, c corpus.Case) wire.Request {
	t.Helper()
	lines, err := c.Requests()
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Tool  string          `json:"tool"`
		Input json.RawMessage `json:"input"`
	}
	text := strings.ReplaceAll(string(lines[0]), "/my/project", w.project)
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Input) == 0 {
		r.Input = json.RawMessage(`{}`) // given as raw text, another matter
	}
	return w.request(r.Tool, r.Input)
}
