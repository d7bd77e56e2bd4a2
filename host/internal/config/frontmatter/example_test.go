package frontmatter_test

import (
	"fmt"

	"github.com/callgate/callgate/host/internal/config/frontmatter"
)

func ExampleParse() {
	r, err := frontmatter.Parse(frontmatter.Chat, "---\nsession_id: abc\npermission_mode: acceptEdits\npermissions_ask: [\"Bash(git:*)\"]\n---\n# chat\n")
	fmt.Println(r.Mode, r.Ask, r.Resumed, err)
	_, err = frontmatter.Parse(frontmatter.Chat, "---\npermissions_deny: Bash\n---\n")
	fmt.Println(err)
	// Output:
	// acceptEdits [Bash(git:*)] true <nil>
	// chat front matter: line 2: permissions_deny: a String: want a list, one "- Tool" a line, or [] for none
}
