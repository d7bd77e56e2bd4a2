// Package toolkit is the room for authors of tool modules and policies: a project and how it
// is built (scaffold, script), one module tried outside of a daemon (workbench,
// conformance), decisions without a daemon (eval, replay), and the demo. Its parts may
// import every room; the CLI calls them, and no product package imports them.
package toolkit
