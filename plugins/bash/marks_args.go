package bash

import (
	"slices"
	"strings"
)

// option is one option of a command, as given.
type option struct {
	// name is "-x" or "--name".
	name string
	// value is the option's value; has tells whether there is one.
	value Word
	has   bool
}

// arguments splits the arguments of a command into options and operands. values names the
// options with a value in the rest of the word or in the next word: a string of letters, and a
// list of long names without dashes.
func arguments(args []Word, short string, long ...string) (options []option, operands []Word) {
	for i := 0; i < len(args); i++ {
		t := args[i].Text
		next := func() (Word, bool) {
			if i+1 < len(args) {
				i++
				return args[i], true
			}
			return Word{}, false
		}
		switch {
		case t == "--" && args[i].Literal:
			return options, append(operands, args[i+1:]...)
		case !strings.HasPrefix(t, "-") || t == "-":
			operands = append(operands, args[i])
		case strings.HasPrefix(t, "--"):
			options = append(options, longOption(args[i], long, next))
		default:
			options = append(options, cluster(args[i], short, next)...)
		}
	}
	return options, operands
}

func longOption(word Word, long []string, next func() (Word, bool)) option {
	name, value, has := strings.Cut(word.Text, "=")
	o := option{name: name, has: has}
	if has {
		word.Text = value
		o.value = word
		return o
	}
	if slices.Contains(long, name[2:]) || uniquePrefix(long, name[2:]) {
		o.value, o.has = next()
	}
	return o
}

// uniquePrefix reports whether name abbreviates one of long, as GNU programs
// allow.
func uniquePrefix(long []string, name string) bool {
	for _, l := range long {
		if len(name) > 1 && strings.HasPrefix(l, name) {
			return true
		}
	}
	return false
}

func cluster(word Word, short string, next func() (Word, bool)) (options []option) {
	letters := word.Text[1:]
	for i, r := range letters {
		o := option{name: "-" + string(r)}
		if strings.ContainsRune(short, r) {
			rest := letters[i+len(string(r)):]
			if rest != "" {
				word.Text = rest
				o.value, o.has = word, true
			} else {
				o.value, o.has = next()
			}
			return append(options, o)
		}
		options = append(options, o)
	}
	return options
}

// values returns the values of the named options.
func values(options []option, names ...string) []Word {
	var out []Word
	for _, o := range options {
		if o.has && matchesOption(o.name, names) {
			out = append(out, o.value)
		}
	}
	return out
}

// has reports whether one of the named options is present.
func has(options []option, names ...string) bool {
	return slices.ContainsFunc(options, func(o option) bool { return matchesOption(o.name, names) })
}

// matchesOption compares option names; a long name may be abbreviated.
func matchesOption(given string, names []string) bool {
	for _, n := range names {
		if given == n || strings.HasPrefix(given, "--") && len(given) > 3 && strings.HasPrefix(n, given) {
			return true
		}
	}
	return false
}
