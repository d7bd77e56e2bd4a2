// Package codex is the hook of Codex: its payload before a call as a request, and the hook's
// places: hooks.json with the trust in config.toml, and the machine's requirements.toml.
//
// Measured with version 0.169.0; docs/client-codex.md has the outcomes. It may import runner,
// settings and wire; process and the commands call it.
//
// RATIONALE.md, "How does Callgate know what Codex hides from its hook?".
package codex
