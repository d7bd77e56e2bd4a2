package command_test

import (
	"fmt"

	"github.com/callgate/callgate/host/command"
)

func ExampleRun() {
	before := command.State{Ask: []string{"Bash(npm:*)"}}
	after, ok, message := command.Run(before, "/allow bash", []string{"Bash", "Read"})
	fmt.Println(after.Allow, ok)
	fmt.Println(message)
	// Output:
	// [Bash] true
	// added Bash to the allow list; note: still asked about because of the ask list: Bash(npm:*)
}
