package ask_test

import (
	"context"
	"fmt"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
)

// A surface subscribes and answers; the call waits in Ask.
func ExampleBroker() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b := ask.New(ask.Config{Store: newMemStore()})
	defer b.Close()

	events := b.Subscribe(ctx)
	go func() {
		for ev := range events {
			if ev.Kind == ask.EventShown {
				fmt.Println("may it run?", ev.Ask.Tool, string(ev.Ask.Input))
				_, err := b.Answer(ctx, ev.Ask.ID, ask.Answer{Reason: "use make build", By: "marta"})
				if err != nil {
					fmt.Println(err)
				}
			}
		}
	}()

	out, err := b.Ask(ctx, &ask.Ask{
		Token: "laptop", Agent: "coder", Session: "s1", CallID: "toolu_1", Digest: "9f86d0",
		Tool: "Bash", Input: []byte(`{"command":"npm run build"}`),
		Decision: engine.Decision{Behavior: engine.Ask, Stage: engine.StageMode},
	})
	fmt.Println(out.Approved(), err)
	fmt.Println(out.Message)
	// Output:
	// may it run? Bash {"command":"npm run build"}
	// false <nil>
	// The Bash call was not run: a person denied it: use make build
}

func ExampleNormalID() {
	fmt.Println(ask.NormalID(" K3M-9QD\n"), ask.NormalID("oil000"))
	// Output: k3m9qd 011000
}
