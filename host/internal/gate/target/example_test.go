package target_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/gate/target"
)

func ExampleResolver_Resolve() {
	r := &target.Resolver{FS: target.Links(map[string]string{"/my/project/out": "/etc"})}
	place := target.Place{CWD: "/my/project", WorkingDirectories: []string{"/my/project"}}
	input := json.RawMessage(`{"command": "rm out/passwd src/a"}`)
	targets, err := r.Resolve(context.Background(), place, input, []engine.Target{
		{Kind: "path", Value: "out/passwd", Access: "write"},
		{Kind: "path", Value: "src/a", Access: "write"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range targets {
		fmt.Printf("%s is %s, inside %q\n", t.Value, t.Resolved, t.Inside)
	}
	// Output:
	// out/passwd is /etc/passwd, inside ""
	// src/a is /my/project/src/a, inside "/my/project"
}
