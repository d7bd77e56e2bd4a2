package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/toolkit/scaffold"
	"github.com/callgate/callgate/sdk"
)

// TestToolUnit runs `callgate tool test --unit` in new projects of the languages whose unit
// tests have no further requirements than this test.
func TestToolUnit(t *testing.T) {
	t.Parallel()
	for language, source := range map[string]string{"go": "deploy.go", "typescript": "deploy.ts"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "deploy")
			if _, err := scaffold.New(scaffold.NewOptions{Dir: dir, Name: "deploy", Language: language, SDK: sdk.Files()}); err != nil {
				t.Fatal(err)
			}
			said, err := unitTestsOf(t, dir)
			if err == nil || !strings.Contains(err.Error(), "is not built yet") || !strings.Contains(said, "unit tests passed") {
				t.Errorf("a new project: %v\n%s", err, said)
			}
			file := filepath.Join(dir, source)
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			wrong := bytes.ReplaceAll(text, []byte(`"prod"`), []byte(`"life"`))
			if err := os.WriteFile(file, wrong, 0o600); err != nil || bytes.Equal(wrong, text) {
				t.Fatalf("nothing was broken: %v", err)
			}
			said, err = unitTestsOf(t, dir)
			var code exit
			if !errors.As(err, &code) || int(code) != exitDeny || !strings.Contains(said, "unit tests failed") {
				t.Errorf("a broken tool: %v\n%s", err, said)
			}
		})
	}
}

func unitTestsOf(t *testing.T, dir string) (said string, err error) {
	t.Helper()
	var out bytes.Buffer
	root := newRoot()
	root.SetArgs([]string{"tool", "test", "--unit", dir})
	root.SetOut(&out)
	root.SetErr(&out)
	err = root.ExecuteContext(t.Context())
	return out.String(), err
}
