package bash_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

// TestFilesEdit draws lines of parts, some of them outside every rule: with the rule for edits and
// those for the other parts, exactly the lines without such a part are allowed.
func TestFilesEdit(t *testing.T) {
	rules := rulesOf("files: edit", "npm test:*", "git add:*", "git switch:*")
	covered := []string{"ls", "npm test", "git add a", "mkdir -p d", "echo x > a.md", "cp a b", "npm test > out.log", "npm test 2>&1 | tee out.log", "rm -f out.log", "timeout 9 npm test > out.log"}
	others := []string{
		"git switch b", "npm publish", "echo x > ../a", "npm test > /etc/a", "cp a /etc/b", "cd /srv", "export NODE_OPTIONS=x", "npm test > $X", "curl https://a.example > a", "tar xf a.tgz",
		"export AWS_PROFILE=prod", "git checkout .", "python3 x.py > a", "sh < a",
	}
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(covered), 1, 4).Draw(t, "covered")
		parts = append(parts, "echo x > end.md")
		bad := rapid.Bool().Draw(t, "bad")
		if bad {
			at := rapid.IntRange(0, len(parts)).Draw(t, "at")
			parts = slices.Insert(parts, at, rapid.SampledFrom(others).Draw(t, "other"))
		}
		line := strings.Join(parts, rapid.SampledFrom([]string{" && ", "; ", "\n"}).Draw(t, "sign"))
		if got := len(bash.Spec.Match(callOf(line), tool.Allow, rules)) > 0; got == bad {
			t.Fatalf("%q is allowed: %v", line, got)
		}
	})
}
