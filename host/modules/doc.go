// Package modules adds tool modules to a running gate, replaces them, goes back to
// the version before, and takes them away. What is granted comes from a person and
// never from the module; all of it is in the lock (package pin), in the audit, and in
// force at once or not at all. Threats T05, T16, T18.
package modules
