package program

// Word is one word of a command.
type Word struct {
	// Text is the word after quote removal; expansions stay as written.
	Text string
	// Literal means: the program gets exactly Text, apart from globbing.
	Literal bool
	// Glob means: the shell may replace the word by names of files or by its brace
	// alternatives.
	Glob bool
	// Tilde means: the leading "~" of Text is the home directory.
	Tilde bool
	// Computed means: an expansion in the word stands for something made by the line: the
	// output of commands, or a variable with an unknown value.
	Computed bool
	// Splits means: an expansion in the word may become several words, or none.
	Splits bool
	// Plain means: the expansions in the word are numbers, dates and revisions
	// (Use.PrintsPlain).
	Plain bool
	// Files means: the word is, without quotes, the name of a file from a glob.
	Files bool
	// Sums means: every expansion in the word is arithmetic, and becomes one whole number. Text
	// has Sum in the place of each.
	Sums bool
	// Output means: the word is a file with the output of commands: <(...).
	Output bool
	// Vars are the variables expanded in the word with unknown values.
	Vars []string
	// Quoted means: some quoting character occurs in the word.
	Quoted bool
	// Brace means: Glob is about unquoted braces.
	Brace bool
}

// Sum is an arithmetic expansion in the text of a word.
const Sum = "$((...))"

// from returns text, a part of w, as a word of its own.
func (w Word) from(text string) Word {
	w.Tilde = len(text) > 0 && text[0] == '~' && !w.Quoted
	w.Text = text
	return w
}
