package settings_test

import (
	"fmt"
	"time"

	"github.com/callgate/callgate/host/internal/hook/settings"
)

// The file's content stays as it is, to the byte, and an uninstall gives it back.
func ExampleInstall() {
	before := []byte("{\n  \"model\": \"opus\",\n  \"permissions\": {\"deny\": [\"Read(.env)\"]}\n}\n")
	c, err := settings.Install("settings.json", before, settings.Entry{
		Binary: "/usr/local/bin/callgate", Endpoint: "unix:/run/callgate/callgate.sock",
		TokenFile: "/etc/callgate/agents/alice.token", Timeout: time.Hour,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("added:", c.Added)
	back, err := settings.Uninstall(settings.ClaudeCode, "settings.json", c.Text, settings.Before{Known: true, Text: before})
	fmt.Println("restored:", back.Restored, err)
	// Output:
	// added: [PreToolUse PermissionRequest PostToolUse PostToolUseFailure UserPromptSubmit]
	// restored: true <nil>
}
