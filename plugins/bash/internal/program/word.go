package program

// Word is one word of a command.
type Word struct {
	// Text is the word after quote removal; expansions stay as written.
	Text string
	// Literal tells that Text is exactly what the program gets, apart from
	// globbing.
	Literal bool
	// Glob tells that the shell may replace the word by names of files or by
	// its brace alternatives.
	Glob bool
	// Tilde tells that the leading "~" of Text means the home directory.
	Tilde bool
	// Vars are the variables that the word expands.
	Vars []string
	// Quoted tells that some quoting character occurs in the word.
	Quoted bool
	// Brace tells that Glob is about unquoted braces.
	Brace bool
}

// from returns the word that text, a part of w, would be by itself.
func (w Word) from(text string) Word {
	w.Tilde = len(text) > 0 && text[0] == '~' && !w.Quoted
	w.Text = text
	return w
}
