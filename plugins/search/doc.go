// Package search judges searches for files or in them: Glob, Grep and LS.
//
// A rule's content is the call's pattern, exactly, or the searched directory: "path:" and a glob,
// or a glob in the form of a path. Source: docs/seeds.md, "5. Search Patterns (Glob/Grep)".
package search
