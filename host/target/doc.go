// Package target finds out what the paths that a call touches really are: the
// first of the design's two phases. A tool's module only names paths; it has no
// files. A [Resolver] follows them as the kernel would, component by component
// with ".." after links, and says for each where it leads, whether it exists,
// which working directory holds it, and what the repository around it could
// make a read-only program run.
//
// It looks with lstat and readlink, and reads a handful of small configuration
// files; it opens nothing that a call names, crosses into no network or device
// file system, and stops at every bound. Whatever cannot be resolved gets an
// Error, which tools treat as the worst.
package target
