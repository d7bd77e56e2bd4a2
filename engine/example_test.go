package engine_test

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/engine"
)

// A call undecided by rules and tools asks in mode default, with the rules for the next one;
// once such a rule is there, the same call runs.
func ExampleDecide() {
	tool := &stub{
		verdict:   engine.Verdict{Behavior: engine.Passthrough},
		hits:      []string{"npm run:*"},
		proposals: propose("npm run:*"),
	}
	req := engine.Request{
		Call:  &engine.Call{Tool: "Bash", Input: []byte(`{"command": "npm run build"}`)},
		Entry: engine.Entry{Name: "Bash", Tool: tool},
	}
	d := engine.Decide(context.Background(), req)
	fmt.Println(d.Behavior, d.Stage, d.Code)
	for _, s := range d.Suggestions {
		fmt.Printf("suggests %s(%s)\n", s.Tool, *s.Content)
	}

	r, err := engine.ParseRule("Bash(npm run:*)")
	if err != nil {
		fmt.Println(err)
		return
	}
	r.Behavior = engine.Allow
	req.Rules = []engine.Rule{r}
	d = engine.Decide(context.Background(), req)
	fmt.Println(d.Behavior, d.Stage, d.Rule)
	// Output:
	// ask mode mode_ask
	// suggests Bash(npm run:*)
	// allow allow_rule Bash(npm run:*)
}

func ExampleStricter() {
	fmt.Println(engine.Stricter(engine.Bypass, engine.AcceptEdits))
	fmt.Println(engine.Stricter(engine.DontAsk, engine.Explore))
	// Output:
	// accept_edits
	// dont_ask
}

func ExampleParseRule() {
	r, err := engine.ParseRule("Bash(git commit:*)")
	fmt.Println(r.Tool, *r.Content, err)
	_, err = engine.ParseRule("Bash(git commit:*")
	fmt.Println(err)
	// Output:
	// Bash git commit:* <nil>
	// rule "Bash(git commit:*": the content is not closed: want Tool(content)
}
