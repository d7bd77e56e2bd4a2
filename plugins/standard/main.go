// Command standard is the WebAssembly module of all first-party tools but bash.
// It is one file because a Go module costs about two megabytes before its first
// tool.
package main

func main() {}
