package program

import "strings"

// family makes the rows of a program with sub-commands. subs are named without the program; all
// are options accepted before and behind each of them. A sub-command inherits the program's
// abbreviations, dashes, project code and choosing options unless it sets its own.
func family(base Row, all string, subs ...Row) []Row {
	base.Commands = true
	base.All = all
	if base.Operands == "" {
		base.Operands = "t*"
	}
	program, _, _ := strings.Cut(base.Name, "|")
	out := []Row{base}
	for _, r := range subs {
		if r.Reads == "-" {
			r.Reads = program + " " + strings.ReplaceAll(r.Name, "|", ", ") + " reads"
		}
		r.Name = base.Name + " " + r.Name
		r.All = all
		r.OneDash, r.Abbreviates = base.OneDash, base.Abbreviates
		if r.Chooses == 0 {
			r.Chooses = base.Chooses
		}
		if r.Reads == "" {
			r.Project = base.Project
		} else {
			r.Repo, r.Heeds = r.Repo || base.Repo, base.Heeds
		}
		out = append(out, r)
	}
	return out
}

// reading, naming and acting are rows of a family: one reading contents, one showing only names
// and facts, and one that does more.
func reading(name, operands, options string) Row {
	return Row{Name: name, Operands: operands, Options: options, Reads: "-"}
}

func naming(name, operands, options string) Row {
	return Row{Name: name, Operands: operands, Options: options, Reads: "-", Names: true}
}

func acting(name, operands, options string) Row {
	return Row{Name: name, Operands: operands, Options: options}
}

// verbs is acting for a program with a verb as first operand.
func verbs(name, operands, options string) Row {
	return Row{Name: name, Operands: operands, Options: options, Verb: true}
}

// group is a sub-command with sub-commands.
func group(name, options string) Row {
	return Row{Name: name, Operands: "t*", Options: options, Commands: true}
}

// unless is a row with a judge.
func unless(judge func(*Use) string, r Row) Row {
	r.Unless = judge
	return r
}

// meaning is a row whose operands or options imply others.
func meaning(means func(*Use) []string, r Row) Row {
	r.Means = means
	return r
}

// stopping is a row whose options end at the first operand.
func stopping(r Row) Row {
	r.Stop = true
	return r
}

// fetching is a row of a program bringing files from elsewhere.
func fetching(r Row) Row {
	r.Fetches = true
	return r
}

// byName is a row whose unknown options choose according to their names.
func byName(r Row) Row {
	r.Chooses = Named
	return r
}
