// Package search judges calls that look for files or in them: Glob, Grep and LS.
//
// A rule's content is the call's pattern, exactly, or the directory that is
// searched: "path:" and a glob, or a glob that looks like a path.
// Source: design section 6 and the AgentScope seed's search tools.
package search
