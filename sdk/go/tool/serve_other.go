//go:build !wasip1

package tool

// Serve makes m the module that this program's exports answer for. Call it once
// from an init function, because a WebAssembly reactor never runs main:
//
//	func init() { tool.Serve(module) }
//	func main() {}
//
// Linking this package into a wasip1 program adds the six exports; nothing else
// is needed. A program that serves nothing answers every verb with an error.
// Built for anything but wasip1, where there are no exports, Serve does nothing.
func Serve(Module) {}
