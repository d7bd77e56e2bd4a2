package engine_test

import (
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/engine"
)

func TestEffectWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want string
		e    engine.Effect
	}{
		{"shows README.md", engine.Effect{Kind: engine.Shows, Value: "README.md", Certain: true}},
		{"may show README.md", engine.Effect{Kind: engine.Shows, Value: "README.md"}},
		{"shows the environment variables", engine.Effect{Kind: engine.Shows, Value: engine.Environment, Certain: true}},
		{"shows the secret ~/.aws/credentials", engine.Effect{Kind: engine.Secret, Value: "~/.aws/credentials", Certain: true}},
		{"may send the secret id_rsa", engine.Effect{Kind: engine.Secret, Value: "id_rsa", How: "send"}},
		{"may read the secret id_rsa", engine.Effect{Kind: engine.Secret, Value: "id_rsa"}},
		{"takes in text by strangers from docs.example", engine.Effect{Kind: engine.Takes, Value: "docs.example", Certain: true}},
		{"reaches a.example", engine.Effect{Kind: engine.Reaches, Value: "a.example", Certain: true}},
		{"fetches from a.example", engine.Effect{Kind: engine.Reaches, Value: "a.example", How: "get", Certain: true}},
		{"may send to a.example", engine.Effect{Kind: engine.Reaches, Value: "a.example", How: "send"}},
		{"publishes to origin", engine.Effect{Kind: engine.Publishes, Value: "origin", Certain: true}},
		{"rewrites what others see at origin main", engine.Effect{Kind: engine.Publishes, Value: "origin main", How: "force", Certain: true}},
		{"publishes to everyone at npm", engine.Effect{Kind: engine.Publishes, Value: "npm", How: "public", Certain: true}},
		{"installs npm:left-pad", engine.Effect{Kind: engine.Installs, Value: "npm:left-pad", Certain: true}},
		{"deletes a.go, recoverable", engine.Effect{Kind: engine.Deletes, Value: "a.go", Certain: true, Recoverable: engine.RecoverableYes}},
		{"deletes, with everything below, build, not recoverable", engine.Effect{Kind: engine.Deletes, Value: "build", How: "tree", Certain: true, Recoverable: engine.RecoverableNo}},
		{"may delete all files of the pattern *.o", engine.Effect{Kind: engine.Deletes, Value: "*.o", How: "glob"}},
		{"overwrites out", engine.Effect{Kind: engine.Overwrites, Value: "out", Certain: true}},
		{"changes the permissions of run.sh", engine.Effect{Kind: engine.ChangesPermissions, Value: "run.sh", Certain: true}},
		{"changes settings that run programs: .envrc", engine.Effect{Kind: engine.Configures, Value: ".envrc", Certain: true}},
		{"runs the tests go test", engine.Effect{Kind: engine.Tests, Value: "go test", How: "decisive", Certain: true}},
		{"runs code of the project: build.sh", engine.Effect{Kind: engine.Runs, Value: "build.sh", Certain: true}},
		{"may run code that Callgate cannot read", engine.Effect{Kind: engine.Runs, Value: engine.Unreadable}},
		{`deletes "a\nb"`, engine.Effect{Kind: engine.Deletes, Value: "a\nb", Certain: true}},
		{`deletes "a\u202eb"`, engine.Effect{Kind: engine.Deletes, Value: "a\u202eb", Certain: true}},
	} {
		if got := c.e.Words(); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.e, got, c.want)
		}
	}
}

func TestEffectLines(t *testing.T) {
	t.Parallel()
	effects := []engine.Effect{
		{Kind: engine.Tests, Value: "go test", Certain: true},
		{Kind: engine.Deletes, Value: "a", Certain: true, Recoverable: engine.RecoverableNo},
		{Kind: engine.Deletes, Value: "b", Certain: true, Recoverable: engine.RecoverableNo},
		{Kind: engine.Deletes, Value: "c", Certain: true, Recoverable: engine.RecoverableYes},
		{Kind: engine.Deletes, Value: "d", Certain: true, Recoverable: engine.RecoverableNo},
		{Kind: engine.Reaches, Value: "x.example", How: "get", Certain: true},
		{Kind: engine.Reaches, Value: "y.example", How: "send", Certain: true},
		{Kind: engine.Runs, Value: engine.Unreadable, Certain: true},
		{Kind: engine.Runs, Value: "s.sh", Certain: true},
	}
	want := map[int][]string{
		1: {"deletes 3 files, not recoverable", "deletes c, recoverable", "runs code that Callgate cannot read", "sends to y.example", "fetches from x.example", "runs code of the project: s.sh", "runs the tests go test"},
		2: {"deletes a, b and 1 more, not recoverable", "deletes c, recoverable", "runs code that Callgate cannot read", "sends to y.example", "fetches from x.example", "runs code of the project: s.sh", "runs the tests go test"},
	}
	for most, lines := range want {
		if got := engine.EffectLines(effects, nil, most); strings.Join(got, "\n") != strings.Join(lines, "\n") {
			t.Errorf("at most %d:\n got %q\nwant %q", most, got, lines)
		}
	}
}

// For any text of a module, the words are one line, all of it visible.
func TestEffectWordsAreOneLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := engine.Effect{Kind: rapid.SampledFrom(engine.EffectKinds).Draw(t, "kind"), Value: rapid.String().Draw(t, "value"), Certain: rapid.Bool().Draw(t, "certain")}
		for _, r := range e.Words() {
			if !unicode.IsPrint(r) {
				t.Fatalf("%+v: %q has %U", e, e.Words(), r)
			}
		}
	})
}
