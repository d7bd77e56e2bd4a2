package tool

// served is the module that the exports answer for.
var served Module

// Serve makes m the module that this program's exports answer for. Call it once
// from an init function, because a WebAssembly reactor never runs main:
//
//	func init() { tool.Serve(module) }
//	func main() {}
//
// Linking this package into a wasip1 program adds the six exports; nothing else
// is needed. A program that serves nothing answers every verb with an error.
func Serve(m Module) { served = m }
