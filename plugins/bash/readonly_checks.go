package bash

import (
	"slices"
	"strings"
)

func anyWords(*Command, []option, []Word) bool { return true }

func cdKnown(cmd *Command, _ []option, _ []Word) bool {
	_, ok := cdTarget(cmd)
	return ok
}

// printfPrints refuses -v, which assigns and evaluates, and a format that is
// not literal, which could be -v.
func printfPrints(cmd *Command, _ []option, _ []Word) bool {
	args := cmd.Args()
	return len(args) > 0 && args[0].Literal && !strings.HasPrefix(args[0].Text, "-")
}

func testReads(cmd *Command, _ []option, _ []Word) bool {
	return !slices.ContainsFunc(cmd.Args(), func(w Word) bool {
		return !w.Literal || w.Text == "-v" || w.Text == "-R" || strings.ContainsAny(w.Text, "[")
	})
}

func commandFinds(cmd *Command, _ []option, _ []Word) bool {
	args := cmd.Args()
	return len(args) > 1 && (args[0].Text == "-v" || args[0].Text == "-V") && allLiteral(args)
}

func allLiteral(words []Word) bool {
	return !slices.ContainsFunc(words, func(w Word) bool { return !w.Literal })
}

// pagerReads wants files to show and nothing that starts with "+", which is a
// command to the pager.
func pagerReads(cmd *Command, _ []option, operands []Word) bool {
	for _, o := range operands {
		if strings.HasPrefix(o.Text, "+") {
			return false
		}
	}
	return len(operands) > 0 || cmd.Piped
}

func dateReads(_ *Command, _ []option, operands []Word) bool {
	for _, o := range operands {
		if !strings.HasPrefix(o.Text, "+") {
			return false
		}
	}
	return true
}

// psReads allows the letters of BSD's form ("aux"), but not "e", which shows
// other processes' environment.
func psReads(_ *Command, _ []option, operands []Word) bool {
	for _, o := range operands {
		if strings.Trim(o.Text, "aAcdfglmrStTuUvwxX0123456789,") != "" {
			return false
		}
	}
	return true
}

// findPredicates are find's tests and actions that only look and print.
var findPredicates = map[string]int{
	"-name": 1, "-iname": 1, "-path": 1, "-ipath": 1, "-wholename": 1, "-iwholename": 1, "-regex": 1, "-iregex": 1, "-regextype": 1, "-lname": 1, "-ilname": 1,
	"-type": 1, "-xtype": 1, "-size": 1, "-mtime": 1, "-atime": 1, "-ctime": 1, "-mmin": 1, "-amin": 1, "-cmin": 1, "-newer": 1, "-anewer": 1, "-cnewer": 1,
	"-newermt": 1, "-newerct": 1, "-newerat": 1, "-newermm": 1, "-maxdepth": 1, "-mindepth": 1, "-perm": 1, "-user": 1, "-group": 1, "-uid": 1, "-gid": 1, "-links": 1, "-inum": 1, "-samefile": 1, "-fstype": 1, "-printf": 1, "-used": 1,
	"-empty": 0, "-print": 0, "-print0": 0, "-ls": 0, "-prune": 0, "-quit": 0, "-depth": 0, "-d": 0, "-xdev": 0, "-mount": 0, "-daystart": 0, "-follow": 0, "-nouser": 0, "-nogroup": 0,
	"-readable": 0, "-writable": 0, "-executable": 0, "-true": 0, "-false": 0, "-not": 0, "-and": 0, "-or": 0, "-a": 0, "-o": 0, "-noleaf": 0, "-ignore_readdir_race": 0, "-warn": 0, "-nowarn": 0,
	"-H": 0, "-L": 0, "-P": 0, "-E": 0, "-X": 0, "-x": 0, "!": 0, "(": 0, ")": 0, ",": 0,
}

func findReads(cmd *Command, _ []option, _ []Word) bool {
	args := cmd.Args()
	for i := len(findStarts(args)); i < len(args); i++ {
		n, known := findPredicates[args[i].Text]
		if !known {
			return false
		}
		i += n
	}
	for _, a := range args {
		if !a.Literal || a.Glob && strings.IndexAny(a.Text, "*?[{") == 0 && !strings.Contains(a.Text[strings.LastIndexAny(a.Text, "*?]}")+1:], ".") {
			return false // "*" could find a file named -delete; "*.go" could not
		}
	}
	return true
}

func sedReads(cmd *Command, _ []option, _ []Word) bool {
	s := readSed(cmd.Args())
	return !s.inPlace && s.harmless() && allLiteral(s.files)
}

// awkReads accepts programs without output redirection, pipes, system, getline
// from commands, or includes. The characters are refused wherever they stand.
func awkReads(cmd *Command, _ []option, _ []Word) bool {
	options, operands := arguments(cmd.Args(), "Fv")
	for _, o := range options {
		if o.name != "-F" && o.name != "-v" || !o.value.Literal {
			return false
		}
	}
	if len(operands) == 0 || !allLiteral(operands) {
		return false
	}
	program := operands[0].Text
	for _, bad := range []string{">", "|", "system", "getline", "@", "ENVIRON", "ARGV", "close", "fflush", "extension", "\\"} {
		if bad == "\\" {
			continue
		}
		if strings.Contains(program, bad) {
			return false
		}
	}
	return true
}

// jqReads accepts filters that read neither the environment nor modules.
func jqReads(cmd *Command, _ []option, _ []Word) bool {
	for i, args := 0, cmd.Args(); i < len(args); i++ {
		t := args[i].Text
		if !args[i].Literal {
			return false
		}
		switch {
		case t == "--arg" || t == "--argjson":
			i += 2
		case t == "--indent":
			i++
		case strings.HasPrefix(t, "--"):
			if !slices.Contains([]string{"--raw-output", "--compact-output", "--null-input", "--exit-status", "--sort-keys", "--slurp", "--raw-input", "--tab", "--join-output", "--ascii-output", "--color-output", "--monochrome-output", "--stream", "--seq", "--version", "--args", "--jsonargs"}, t) {
				return false
			}
		case strings.HasPrefix(t, "-") && strings.Trim(t[1:], "rcneSsRCMaj") != "":
			return false
		case strings.Contains(t, "env") || strings.Contains(t, "ENV") || strings.Contains(t, "import") || strings.Contains(t, "include") || strings.Contains(t, "input_filename"):
			return false
		}
	}
	return true
}

func tarLists(cmd *Command, options []option, operands []Word) bool {
	for _, w := range cmd.Args() {
		if strings.Contains(w.Text, ":") {
			return false // an archive on another machine, fetched by a program
		}
	}
	if has(options, "-t", "--list") {
		return true
	}
	first := ""
	if len(operands) > 0 {
		first = operands[0].Text
	}
	return len(cmd.Args()) > 0 && first == cmd.Args()[0].Text && strings.Contains(first, "t") && strings.Trim(first, "tvzjJf") == ""
}

func branchLists(_ *Command, options []option, operands []Word) bool {
	return len(operands) == 0 || has(options, "-l", "--list", "--contains", "--merged", "--no-merged", "--no-contains", "--points-at")
}

func tagLists(_ *Command, options []option, operands []Word) bool {
	return len(operands) == 0 || has(options, "-l", "--list", "--contains", "--merged", "--no-merged", "--no-contains", "--points-at")
}

func remoteLists(_ *Command, _ []option, operands []Word) bool {
	return len(operands) == 0 || len(operands) == 2 && operands[0].Text == "get-url"
}

func reflogShows(_ *Command, _ []option, operands []Word) bool {
	return len(operands) == 0 || operands[0].Text != "expire" && operands[0].Text != "delete" && operands[0].Text != "drop" && operands[0].Text != "write"
}

// configReads wants an option that only reads, and no value to set.
func configReads(cmd *Command, _ []option, _ []Word) bool {
	i := gitSubcommand(cmd)
	reads := false
	var operands []string
	for _, a := range cmd.Words[i+1:] {
		if !a.Literal {
			return false
		}
		switch t := a.Text; t {
		case "--get", "--get-all", "--list", "-l", "--get-regexp", "get", "list":
			reads = reads || len(operands) == 0
		case "--global", "--local", "--system", "--worktree", "--show-origin", "--show-scope", "--name-only", "-z", "--null", "--bool", "--int", "--path", "--all", "--includes", "--no-includes":
		default:
			if strings.HasPrefix(t, "-") && !strings.HasPrefix(t, "--type=") && !strings.HasPrefix(t, "--default=") {
				return false
			}
			operands = append(operands, t)
		}
	}
	for _, o := range operands {
		o = strings.ToLower(o)
		if strings.Contains(o, "token") || strings.Contains(o, "extraheader") || strings.Contains(o, "password") {
			return false
		}
	}
	return reads && len(operands) <= 2
}

func goEnvReads(_ *Command, _ []option, operands []Word) bool {
	return !slices.ContainsFunc(operands, func(w Word) bool { return strings.Contains(w.Text, "=") })
}

// goReads accepts go's one-dash options that neither write nor run anything.
func goReads(cmd *Command, _ []option, _ []Word) bool {
	for i, args := 2, cmd.Words; i < len(args); i++ {
		t := args[i].Text
		if !args[i].Literal {
			return false
		}
		if !strings.HasPrefix(t, "-") {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimLeft(t, "-"), "=")
		switch name {
		case "m", "json", "deps", "e", "test", "find", "compiled", "v", "all", "short", "src", "c", "cmd", "n":
		case "f", "tags":
			if !strings.Contains(t, "=") {
				i++
			}
		default:
			return false
		}
	}
	return true
}
