package program

// Row is what is known of one program, or of one of its sub-commands.
type Row struct {
	// Name is the program and its sub-command words: "sort", "git branch". Each
	// word may list alternatives that mean the same: "grep|egrep|fgrep",
	// "pip|pip3 list|freeze".
	Name string

	// Options are the options, separated by blanks, each as
	//
	//	SPELLING|SPELLING...[=[?]EFFECTS][!]
	//
	// The first spelling is the option's name in a Use; the others mean the same.
	// "-abc" are three options without a value. "=" takes a value, from the rest
	// of the word or the next word; "=?" only from the rest of the word (behind
	// "=" for a long name). EFFECTS tell what the value is:
	//
	//	<  a path that is read          >  a path that is written
	//	/  a directory written into     $  a command line that a shell runs
	//	@  a host                       (none) a text
	//	%  it stands for the first operand (grep -e PATTERN)
	//	^  it stands for the last operand (cp -t DIRECTORY)
	//	&  code in a language that is not the shell's (python -c CODE)
	//	;  a command: the words up to ";" or "{} +" (find -exec)
	//	2  it is two words, the last of which is told as the value (jq --arg)
	//	+  it is the next word, even when letters follow (bash -oc pipefail)
	//	.  options end behind it (python -m MODULE)
	//
	// "!" says that with this option the program does more than read. Values that
	// are written or run say so themselves.
	//
	// "-#" is a number as in head -5; "+xy" the options +x and +y, "+x=" one
	// whose value is the next word. A token that begins with none of the letters
	// and signs above ("(") is a word that is no operand.
	//
	// List every option of the program, also those that act: abbreviations are
	// resolved among them, and an option that is listed with its value does not
	// have that value taken for an operand.
	Options string

	// All are further options, which the program takes with every sub-command.
	// Those that share a name with one of Options do not count.
	All string

	// Operands are the roles of the operands, separated by blanks, in order:
	//
	//	t  a text        s  a script in the program's own language
	//	r  a path read   w  a path written   m  a path removed
	//	x  a path run    d  a directory written into
	//	p  a place to put the operands before it: a file, or a directory in which
	//	   files are made that are named like them
	//	h  a host        a  NAME=value       c  a command: it and all that follows
	//	l  a command line that a shell runs
	//	j  a command line that a shell runs, joined of it and all that follows
	//
	// Behind a role, "*" means any number, "?" none or one. At most one role has
	// a star. No roles: no operands.
	Operands string

	// With are the operands where an option changes them (install -d); the first
	// form that has one of its options counts.
	With []Form
	// Until begins the word that ends the command the program runs (":::").
	Until string

	// Commands tells that the first operand is a sub-command, with a row of its
	// own if it is known. The row's own options come before it. Operands, if
	// there are any, are then those of sub-commands that have no row.
	Commands bool
	// Verb tells that the first operand says what is done (a make target, an npm
	// script), so that a rule may name it, though it has no row.
	Verb bool
	// Stop tells that options end at the first operand.
	Stop bool
	// Bare tells that there are no options: every word is an operand.
	Bare bool
	// Bundle tells that the first word may be option letters without a dash, with
	// their values in the words behind it (tar xzf FILE).
	Bundle bool
	// OneDash tells that long names have one dash, or two (go, terraform, java).
	OneDash bool
	// Abbreviates tells that long names may be cut short where that is unique, as
	// getopt_long(3) does.
	Abbreviates bool

	// In are the names of the options, separated by blanks, that name the
	// directory in which the program, or the command it runs, begins (git -C).
	In string
	// Deep are the names of the options, separated by blanks, with which the
	// program acts on everything below its operands; "*" means always.
	Deep string

	// Reads tells, for a person, that the command only reads, and how; empty when
	// the program is no reader. It holds when every option is known and reads,
	// and the operands fit.
	Reads string
	// Version are the options, separated by blanks, each of which makes the
	// program print its version or help and end, when it is given alone.
	Version string
	// Plain tells that the command it runs does there what it does by itself, so
	// that Reads speaks of what the program adds: nothing.
	Plain bool
	// Adds tells that it adds words of its input to the command it runs.
	Adds bool
	// Unless returns why a use that Reads holds for does more than read after all
	// (a script that writes, configuration it heeds); empty when it does not.
	// It judges what the grammar cannot say.
	Unless func(*Use) string
	// Names tells that only names and facts of files are shown, not contents, so
	// that secrets may be named.
	Names bool
	// Tame tells that no option at all writes or runs anything, so that a file
	// name the shell finds for "*" may look like one.
	Tame bool
	// Dotless tells that no option has a dot in it, so that a file name that ends
	// like "*.go" cannot be one.
	Dotless bool
	// Loose tells that operands may be expansions, because the program only
	// repeats them.
	Loose bool
	// Repo tells that configuration beside the working tree, or the user's own,
	// can make it run a program: it reads only while the host finds none. Heeds
	// names that configuration (threat T19).
	Repo  bool
	Heeds string

	// Edits tells that accept_edits may allow it: it changes the files that it
	// names and nothing else, with the options that do not carry "!".
	Edits bool

	// Asks says why a person must look at every use, whatever the rules say.
	Asks string
	// AsksIf says so of one use; empty when nobody needs to.
	AsksIf func(*Use) string
	// Terminal tells that it takes commands from its terminal or its input unless
	// it is told otherwise (threat T23): by a script among its operands, by code
	// in an option, or by one of the options that Told names, separated by
	// blanks; Use.Commanded tells.
	Terminal bool
	Told     string

	// Means returns the names of the options that a use means besides those it is
	// given (git push +main is git push -f main), so that rules find them.
	Means func(*Use) []string

	// Sweeps tells whether a use changes files below its directory that it need
	// not name (git checkout, tar -x).
	Sweeps func(*Use) bool

	// Fetches tells that it brings files from elsewhere: other machines, archives.
	Fetches bool

	// Project tells that it runs code of the project it is used in.
	Project bool
	// Touches replaces what the operands' roles say about the paths that a use
	// touches, where no grammar can. Options and their effects are told besides.
	Touches func(*Use) []Touch
}

// Form are the operands of a row when one of the options, separated by blanks,
// is given.
type Form struct {
	Options, Operands string
}
