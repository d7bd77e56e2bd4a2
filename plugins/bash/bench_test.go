package bash_test

import (
	"testing"

	"github.com/callgate/callgate/plugins/bash"
	"github.com/callgate/callgate/sdk/go/tool"
)

// BenchmarkCheckAndMatch is check_permissions and match_rule, natively, over
// realistic lines: the safety table.
func BenchmarkCheckAndMatch(b *testing.B) {
	var calls []*tool.Call[bash.Input]
	for _, line := range []string{
		"npm run build", "git add . && git commit -m 'fix: x'", "cd web && npm ci && npm test 2>&1 | tail -20", "grep -rn 'func main' --include='*.go' . | head -5", "go test ./... -run TestX -count=1",
		"find . -name '*.tmp' -type f -delete", "docker compose up -d && docker compose logs --tail 50 web", "sed -i 's/a/b/g' src/main.go", "NODE_ENV=test npx jest --coverage", "rm -rf node_modules dist && npm ci",
	} {
		calls = append(calls, callOf(line))
	}
	rules := rulesOf("npm run:*", "npm test:*", "npm ci", "git add:*", "git commit:*", "go test:*", "docker compose:*", "npx jest:*", "make:*", "cargo:*")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c := calls[i%len(calls)]
		bash.Spec.Check(c)
		bash.Spec.Match(c, tool.Allow, rules)
	}
}

func BenchmarkThousandRules(b *testing.B) {
	rules := make([]tool.Rule, 1000)
	for i := range rules {
		rules[i] = tool.Rule{Content: "program" + string(rune('a'+i%26)) + " sub:*"}
	}
	c := callOf("npm run build && git push")
	b.ReportAllocs()
	for b.Loop() {
		bash.Spec.Match(c, tool.Deny, rules)
	}
}
