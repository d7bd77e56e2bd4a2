package card_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
)

// A file of the project is at home before a person trusts the folder; everything else has
// its warning.
func TestPlaces(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		root, path, lexical string
		want, not           string
	}{
		"in the project":          {"/home/ann/site", "/home/ann/site/src/a.go", "", "Edit src/a.go", "outside"},
		"beside the project":      {"/home/ann/site", "/home/ann/sites/a.go", "", "! changes /home/ann/sites/a.go (outside the working directories)", "Edit src"},
		"no project":              {"", "/home/ann/site/src/a.go", "", "(outside the working directories)", "Edit src"},
		"the root as the project": {"/", "/etc/passwd", "", "! changes /etc/passwd (outside the working directories)", "Edit etc"},
		"through a link":          {"/home/ann/site", "/home/ann/site/src/a.go", "/home/ann/site/b.go", "through a link", "outside"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := bash("")
			a.Tool, a.ProjectRoot = "Edit", c.root
			a.Input, _ = json.Marshal(map[string]string{"file_path": c.path, "old_string": "x", "new_string": "y"})
			lexical := c.lexical
			if lexical == "" {
				lexical = c.path
			}
			a.Targets = []engine.Target{{Kind: "path", Value: c.path, Access: "write", Resolved: c.path, Lexical: lexical, Exists: true}}
			text := lines(card.Render(a, noon))
			if !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
				t.Errorf("want %q and no %q in\n%s", c.want, c.not, text)
			}
		})
	}
}

// What one effect says no other repeats; what is less certain is no reason to leave out.
func TestEffectsSayThingsOnce(t *testing.T) {
	t.Parallel()
	key := engine.Effect{Kind: engine.Secret, Value: "~/.ssh/id", Resolved: "/home/ann/.ssh/id", Certain: true}
	shown, sent := key, key
	shown.Kind = engine.Shows
	sent.How, sent.Certain = "send", false
	read := engine.Target{Kind: "path", Value: "~/.ssh/id", Access: "read", Resolved: "/home/ann/.ssh/id", Lexical: "/home/ann/.ssh/id"}
	gets := engine.Effect{Kind: engine.Reaches, Value: "x.example", How: "get"}
	takes := engine.Effect{Kind: engine.Takes, Value: "x.example"}
	certain := takes
	certain.Certain = true
	for name, c := range map[string]struct {
		effects []engine.Effect
		targets []engine.Target
		want    string // the rows between the headline and who calls
	}{
		"a secret outside":      {[]engine.Effect{key, shown}, []engine.Target{read}, ""},
		"a secret that is sent": {[]engine.Effect{sent}, []engine.Target{read}, ""},
		"a page":                {[]engine.Effect{gets, takes}, nil, "may fetch from x.example\n"},
		"certainly a page":      {[]engine.Effect{gets, certain}, nil, "may fetch from x.example\ntakes in text by strangers from x.example\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := bash("make x")
			a.Effects, a.Targets = c.effects, c.targets
			text := lines(card.Render(a, noon))
			if _, rest, _ := strings.Cut(text, "Run? make x\n"); !strings.HasPrefix(rest, c.want+"agent coder") {
				t.Errorf("want %q below the headline of\n%s", c.want, text)
			}
			if careful := strings.Contains(text, "! Careful: "); careful != card.Grave(a) || careful != (c.targets != nil) {
				t.Errorf("a warning %t, the denial first %t", careful, card.Grave(a))
			}
		})
	}
}

// An approval without a client says so until its call is there.
func TestUnheard(t *testing.T) {
	t.Parallel()
	a := bash("make")
	a.State, a.Cause, a.Answer, a.Away = ask.Approved, ask.CauseAnswered, &ask.Answer{Verdict: ask.Approve, By: "ann"}, true
	says := func(a ask.Ask) bool {
		return strings.Contains(lines(card.Render(a, noon)), "\n! Allowed k3m9qd by ann · its client is not connected")
	}
	used, denied, heard := a, a, a
	used.UsedAt, denied.State, heard.Away = noon.Add(time.Second), ask.Denied, false
	if !says(a) || says(used) || says(denied) || says(heard) {
		t.Errorf("said %t; used %t, denied %t, with its client %t", says(a), says(used), says(denied), says(heard))
	}
}
