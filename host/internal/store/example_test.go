package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/store"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "callgate")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, filepath.Join(dir, "state", "store.db"), store.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()

	content := "npm run *"
	_, err = s.AddRule(ctx, engine.Rule{Tool: "Bash", Content: &content, Behavior: engine.Allow, Scope: engine.Project, ScopeKey: "/app", CreatedBy: "ann"})
	fmt.Println("stored:", err == nil)
	rules, err := s.RulesFor(ctx, "builder", "", "/app", nil)
	fmt.Println(rules, err)

	row, err := s.Append(ctx, store.Row{Agent: "builder", Tool: "Bash", Decision: store.Allowed, Input: `{"command":"npm run build"}`})
	fmt.Println("row", row.Seq, err)
	report, err := s.VerifyAudit(ctx)
	fmt.Println("whole:", report.OK(), err)
	// Output:
	// stored: true
	// [Bash(npm run *)] <nil>
	// row 2 <nil>
	// whole: true <nil>
}
