package bash

import "strings"

// changeDir follows cd.
func (w *walker) changeDir(cmd *Command) {
	switch cmd.Name() {
	case "cd", "pushd", "chdir":
	case "popd", "dirs":
		w.dirs = nil
		return
	default:
		return
	}
	dest, ok := cdTarget(cmd)
	if !ok || w.assigned["CDPATH"] || dest == "~" && w.assigned["HOME"] {
		w.dirs = nil
		return
	}
	if p := cmd.Parent; p != nil && p.Name() != "time" && p.Name() != "command" && p.Name() != "builtin" && cmd.Offset >= 0 {
		return // a wrapped cd changes its own directory alone
	}
	next := make([]string, 0, len(w.dirs))
	for _, d := range w.dirs {
		next = append(next, joinDir(d, dest))
	}
	if w.dirs != nil {
		w.dirs = next
	}
}

// changesDir reports whether a command of that name changes the directory to its operand.
func changesDir(name string) bool { return name == "cd" || name == "pushd" || name == "chdir" }

// cdTarget returns the destination of a cd, as text that may begin with "~".
func cdTarget(cmd *Command) (dest string, ok bool) {
	if len(cmd.Assigns) > 0 {
		return "", false
	}
	var operands []Word
	for i, a := range cmd.Args() {
		if a.Text == "--" {
			operands = append(operands, cmd.Args()[i+1:]...)
			break
		}
		if a.Literal && (a.Text == "-P" || a.Text == "-L") && len(operands) == 0 {
			continue
		}
		operands = append(operands, a)
	}
	if len(operands) == 0 {
		return "~", cmd.Name() == "cd"
	}
	if len(operands) > 1 {
		return "", false
	}
	o := operands[0]
	if !o.Literal || o.Glob || strings.HasPrefix(o.Text, "-") || strings.HasPrefix(o.Text, "+") || o.Text == "" {
		return "", false
	}
	return pathText(o), true
}

// pathText returns the path meant by word: a "~" is an ordinary name unless it is a tilde
// expansion.
func pathText(word Word) string {
	if strings.HasPrefix(word.Text, "~") && !word.Tilde {
		return "./" + word.Text
	}
	return word.Text
}

// joinDir returns p as seen from dir.
func joinDir(dir, p string) string {
	if dir == "" || strings.HasPrefix(p, "/") || p == "~" || strings.HasPrefix(p, "~/") {
		return p
	}
	if p == "" {
		return dir
	}
	return strings.TrimSuffix(dir, "/") + "/" + p
}
