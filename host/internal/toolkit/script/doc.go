// Package script makes tool modules of TypeScript and JavaScript, with nothing installed:
// Bundle makes one script of an author's files and the SDK, and Link puts it into the engine,
// QuickJS as a WebAssembly module (sdk/typescript/engine). Test runs a module of unit tests.
// RATIONALE.md, "How does TypeScript become a module without Node or clang?".
package script
