//go:build !wasip1

package tool

// Serve makes m the module behind this program's exports. Call it once from an init function,
// because a WebAssembly reactor never runs main:
//
//	func init() { tool.Serve(module) }
//	func main() {}
//
// Linking this package into a wasip1 program adds the six exports; nothing else is needed. Without
// a call of Serve every verb returns an error. In other builds there are no exports, and Serve does
// nothing.
func Serve(Module) {}
