// Package target resolves the paths of a call: the first of two phases. A tool's module only
// names paths; it has no files. A [Resolver] follows them as the kernel would, component by
// component with ".." after links, and reports for each its destination, whether it exists, the
// working directory around it, and the programs its repository could make a read-only command
// run.
//
// It looks with lstat and readlink, and reads a handful of small configuration files; it opens
// no file named by a call, crosses into no network or device file system, and stops at every
// bound. An unresolvable path gets an Error; tools treat it as the worst.
package target
