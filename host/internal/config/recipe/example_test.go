package recipe_test

import (
	"fmt"

	"github.com/callgate/callgate/host/internal/config/recipe"
)

func ExampleApply() {
	existing := `# Ann's machine
agents:
  builder:
    mode: accept_edits   # she is here
`
	r, err := recipe.Find("explore")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, diff, err := recipe.Apply("callgate.yaml", []byte(existing), r, recipe.Options{Agent: "reviewer"})
	fmt.Print(diff, err, "\n")
	_, _, err = recipe.Apply("callgate.yaml", []byte(existing), r, recipe.Options{Agent: "builder"})
	fmt.Println(err)
	// Output:
	// --- callgate.yaml
	// +++ callgate.yaml
	// @@ -1,4 +1,6 @@
	//  # Ann's machine
	//  agents:
	// +  reviewer:
	// +    mode: explore
	//    builder:
	//      mode: accept_edits   # she is here
	// <nil>
	// callgate.yaml:4:1: agents.builder.mode: is set already, to something else: remove it, or choose another agent
}
