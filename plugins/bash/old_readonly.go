package bash

import "strings"

func isVersionCall(cmd *Command) bool {
	args := cmd.Args()
	if !versionPrograms[cmd.Name()] || len(args) != 1 || !args[0].Literal || cmd.Stdin {
		return false
	}
	switch t := args[0].Text; t {
	case "--version", "-V", "-version":
		return true
	case "-v":
		return cmd.Name() == "node" || cmd.Name() == "npm" || cmd.Name() == "pnpm" || cmd.Name() == "yarn"
	}
	return false
}

// tables indexes readOnlyRows by their command, options parsed.
var tables = indexRows(readOnlyRows)

type table struct {
	row
	allowed map[string]byte // "-x" or "--name" to 'n'one, 'v'alue, 'o'ptional
	digits  bool
	plus    string
	short   string
	long    []string
}

func indexRows(rows []row) map[string]*table {
	out := make(map[string]*table, len(rows))
	for _, r := range rows {
		t := &table{row: r, allowed: map[string]byte{}}
		for _, token := range strings.Fields(r.options) {
			t.token(token)
		}
		out[r.command] = t
	}
	return out
}

func (t *table) token(token string) {
	kind := byte('n')
	if rest, ok := strings.CutSuffix(token, "=?"); ok {
		token, kind = rest, 'o'
	} else if rest, ok := strings.CutSuffix(token, "="); ok {
		token, kind = rest, 'v'
	}
	switch {
	case token == "-#":
		t.digits = true
	case strings.HasPrefix(token, "+"):
		t.plus += token[1:]
	case strings.HasPrefix(token, "--"):
		t.allowed[token] = kind
		if kind == 'v' {
			t.long = append(t.long, token[2:])
		}
	case kind == 'v':
		t.allowed[token] = kind
		t.short += token[1:]
	default:
		for _, r := range token[min(1, len(token)):] {
			if _, set := t.allowed["-"+string(r)]; !set {
				t.allowed["-"+string(r)] = kind
			}
		}
	}
}

// lookup finds the row of a command: the longest of its leading words that the
// table knows. git's own options before the sub-command are skipped where they
// only choose a directory or switch the pager off.
func lookup(cmd *Command) (*table, []Word) {
	words := cmd.Words
	name := cmd.Name()
	at := 1
	if strings.ContainsAny(name, " \t\n") {
		return nil, nil // one word with a blank in it is no sub-command
	}
	if name == "git" {
		for at < len(words) {
			t := words[at]
			if t.Literal && (t.Text == "--no-pager" || t.Text == "--no-optional-locks" || t.Text == "-P" || t.Text == "--literal-pathspecs") {
				at++
				continue
			}
			if t.Literal && t.Text == "-C" && at+1 < len(words) && words[at+1].Literal && !words[at+1].Glob {
				at += 2
				continue
			}
			break
		}
	}
	for n := min(len(words), at+2); n >= at; n-- {
		key := name
		plain := true
		for _, word := range words[at:n] {
			plain = plain && word.Literal && !word.Glob && !strings.ContainsAny(word.Text, " \t\n")
			key += " " + word.Text
		}
		if r := tables[key]; r != nil && plain {
			return r, words[n:]
		}
	}
	return nil, nil
}

// accepts reports whether args are options and operands of the row.
func (t *table) accepts(cmd *Command, args []Word) bool {
	if !t.loose && !t.plainWords(args) || t.loose && !tellable(args) {
		return false
	}
	options, operands := t.split(args)
	if t.options != "" || t.check == nil {
		for _, o := range options {
			if !t.option(o) {
				return false
			}
		}
		switch t.operands {
		case "none":
			if len(operands) > 0 {
				return false
			}
		case "one":
			if len(operands) > 1 {
				return false
			}
		}
	}
	return t.check == nil || t.check(cmd, options, operands)
}

// plainWords reports whether every word is what it looks like: no expansions,
// and no glob that could turn into an option.
func (t *table) plainWords(args []Word) bool {
	for i, a := range args {
		if !a.Literal {
			return false
		}
		if a.Glob && !t.tame && strings.IndexAny(a.Text, "*?[{") == 0 && !(i > 0 && args[i-1].Text == "--") && t.check == nil {
			return false
		}
	}
	return true
}

// split reads args by the row's own list of options with values.
func (t *table) split(args []Word) ([]option, []Word) {
	var options []option
	var operands, plain []Word
	for i, a := range args {
		if a.Text == "--" {
			operands = args[i+1:]
			break
		}
		if t.digits && len(a.Text) > 1 && a.Text[0] == '-' && strings.Trim(a.Text[1:], "0123456789") == "" {
			continue
		}
		if t.plus != "" && strings.HasPrefix(a.Text, "+") && strings.Trim(a.Text[1:], t.plus) == "" {
			continue
		}
		plain = append(plain, a)
	}
	options, first := strictArguments(plain, t.short, t.long)
	return options, append(first, operands...)
}

// strictArguments is arguments without abbreviated long names: an abbreviation
// is an unknown option here.
func strictArguments(args []Word, short string, long []string) (options []option, operands []Word) {
	for i := 0; i < len(args); i++ {
		text := args[i].Text
		next := func() (Word, bool) {
			if i+1 < len(args) {
				i++
				return args[i], true
			}
			return Word{}, false
		}
		switch {
		case !strings.HasPrefix(text, "-") || text == "-":
			operands = append(operands, args[i])
		case strings.HasPrefix(text, "--"):
			name, value, given := strings.Cut(text, "=")
			o := option{name: name, has: given, value: Word{Text: value, Literal: args[i].Literal}}
			for _, l := range long {
				if !given && "--"+l == name {
					o.value, o.has = next()
				}
			}
			options = append(options, o)
		default:
			options = append(options, cluster(args[i], short, next)...)
		}
	}
	return options, operands
}

func (t *table) option(o option) bool {
	kind, known := t.allowed[o.name]
	if !known {
		return false
	}
	return !o.has || kind != 'n'
}
