// Package admin is the room of changes by people beside single calls: rules, the modes of sessions,
// given profiles, and text commands for them. A widening change needs the consent of an entitled
// person, by approval/authority. Its parts are the language of text commands (command), rules built
// step by step (builder) and ready-made sets of rules (template).
//
// It may import engine, wire, the configuration, the modules, the store, authority and, of the
// gate, the readers of rules and profiles (gate/ruletest, gate/profiles); never the gate itself,
// because the gate makes an approved call's own changes through it. The API, Discord and the CLI
// call it. RATIONALE.md, "Why does the Gate not change rules, sessions or profiles?".
package admin
