package tool_test

import (
	"os"
	"strings"
	"testing"

	"github.com/callgate/callgate/sdk/go/tool"
	"github.com/callgate/callgate/sdk/go/tooltest"
)

// TestProductionIsAskedAbout is the README's test.
func TestProductionIsAskedAbout(t *testing.T) {
	host := tooltest.Host{Module: deployModule}
	host.CheckExamples(t)
	v := host.Check(t, "Deploy", `{"operation":"deploy","target":"prod/web"}`)
	if v.Behavior != tool.Ask || !v.BypassImmune {
		t.Errorf("got %+v, want a bypass-immune ask", v)
	}
}

// TestReadmeShowsTheExample keeps the README's code equal to the compiled one.
func TestReadmeShowsTheExample(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(readme), "```go\n")
	code, _, _ = strings.Cut(code, "```")
	if code == "" || !strings.Contains(string(source), strings.TrimSpace(code)) {
		t.Error("the first Go block of sdk/README.md is not in example_test.go as it stands")
	}
}
