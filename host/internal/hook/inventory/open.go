package inventory

import (
	"github.com/callgate/callgate/host/internal/hook/opencode"
	"github.com/callgate/callgate/host/internal/hook/settings"
)

// Open are the calls that no hook of a client sees, and what switches its hook off.
func Open(client settings.Client) []string {
	switch client {
	case settings.ClaudeCode:
		return []string{"commands (!) that you type yourself", "--bare, --safe-mode and disableAllHooks, without --managed"}
	case settings.Codex:
		return []string{
			"what the agent types into a running program (write_stdin): so calls with a terminal are denied",
			"a hook beyond Codex's own time-out, and --disable hooks (not with --managed)",
			"commands that you type yourself, and the start of MCP servers",
		}
	case settings.GeminiCLI:
		return []string{
			"a project's hooksConfig.enabled: false (not with --managed), and hooksConfig.disabled with the hook's random name",
			"a hook beyond the client's own time-out, and any folder that the client does not trust: there no hook runs",
			"commands (!) and files (@) that you type yourself, a diff that you edit in its dialog, and the start of MCP servers",
		}
	case opencode.Word:
		return []string{
			"OPENCODE_PURE=1 and a plugin that does not load: then opencode itself asks about each call, unless OPENCODE_PERMISSION or --auto says otherwise",
			"commands (!) that you type yourself or a command template holds",
			"opencode's own server (session shell, pty), open to every program without OPENCODE_SERVER_PASSWORD",
		}
	}
	return nil
}
