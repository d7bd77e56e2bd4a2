// Package scaffold writes the first files of a tool module's project and builds it: one small
// SDK and one example per language, taken from the SDKs' own sources, so a project begins with
// code tested in Callgate.
//
// It compiles nothing itself but TypeScript and JavaScript; for the others it finds the
// language's compiler, and says what to install when there is none. It installs nothing and
// needs no network. RATIONALE.md, "Why is a project the tested example?".
package scaffold
