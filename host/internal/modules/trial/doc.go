// Package trial puts one call to one module, as the host does, outside of any decision: described
// first, its targets resolved in an imaginary file system, then judged; each answer is read as
// strictly as the host reads it. It is for comparing versions, and for a module's author.
//
// Nothing here grants anything: a module's allow and read_only are shown as it gives them. The
// texts of [Module.Description] and of errors are clean, raw outputs are not.
package trial
