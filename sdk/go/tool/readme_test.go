package tool_test

import (
	"os"
	"strings"
	"testing"
)

// TestReadmeShowsTheExample keeps the Go code of the README equal to the compiled
// and tested one.
func TestReadmeShowsTheExample(t *testing.T) {
	t.Parallel()
	read := func(file string) string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	source := read("../deploy/deploy.go") + read("../deploy/deploy_test.go")
	blocks := strings.Split(read("../README.md"), "```go\n")[1:]
	if len(blocks) == 0 {
		t.Fatal("sdk/go/README.md shows no Go")
	}
	for _, block := range blocks {
		code, _, _ := strings.Cut(block, "```")
		for part := range strings.SplitSeq(code, "\n\n") {
			if part = strings.Trim(part, "\n"); !strings.Contains(source, part) {
				t.Errorf("not in sdk/go/deploy as it stands:\n%s", part)
			}
		}
	}
}
