package command_test

import (
	"fmt"

	"github.com/callgate/callgate/host/internal/admin/command"
)

func ExampleRun() {
	before := command.State{Ask: []string{"Bash(npm:*)"}}
	a := command.Run(before, "/allow bash", command.Known{Tools: []command.Tool{{Name: "Bash"}, {Name: "Read"}}})
	fmt.Println(a.Allow, a.OK)
	fmt.Println(a.Text())
	// Output:
	// [Bash] true
	// added Bash to the allow list; note: still asks because of the ask list: Bash(npm:*)
}
