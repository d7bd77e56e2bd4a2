package program

// Row describes one program, or one of its sub-commands. RATIONALE.md, "Why is what a program
// does a row of a table?".
type Row struct {
	// Name is the program and its sub-command words: "sort", "git branch". Each word may list
	// synonyms: "grep|egrep|fgrep", "pip|pip3 list|freeze".
	Name string

	// Options are the options, separated by blanks, each as
	//
	//	SPELLING|SPELLING...[=[?]EFFECTS][!][~]
	//
	// The first spelling is the option's name in a Use; the others mean the same. "-abc" are
	// three options without a value. "=" takes a value, from the rest of the word or the next
	// word; "=?" only from the rest of the word (behind "=" for a long name). EFFECTS give the
	// meaning of the value:
	//
	//	<  a path to read               >  a path to write
	//	/  a directory written into     $  a command line for a shell
	//	@  a host                       (none) a text
	//	%  it stands for the first operand (grep -e PATTERN)
	//	^  it stands for the last operand (cp -t DIRECTORY)
	//	&  code in another language than the shell's (python -c CODE)
	//	;  a command: the words up to ";" or "{} +" (find -exec)
	//	2  it is two words; the value is the last (jq --arg)
	//	+  it is the next word, even when letters follow (bash -oc pipefail)
	//	.  options end behind it (python -m MODULE)
	//	*  a setting, NAME=value (mvn -D)
	//
	// "!" means: with this option the program does more than read. Values to write or run need
	// no "!".
	//
	// "~" means: the option chooses the code to run or the configuration (make -f, kubectl
	// --kubeconfig). An allow rule covers it only when the option is among the rule's own
	// words. Options that run code or write need no "~".
	//
	// "-#" is a number as in head -5; "+xy" the options +x and +y, "+x=" one whose value is the
	// next word. A token with none of the letters and signs above in front ("(") is a word, not
	// an operand.
	//
	// List every option of the program, also the acting ones: abbreviations are resolved among
	// them, and the value of a listed option is not mistaken for an operand.
	Options string

	// All are further options, accepted by the program with every sub-command. An option in
	// Options with the same name hides the one here.
	All string

	// Operands are the roles of the operands, separated by blanks, in order:
	//
	//	t  a text        s  a script in the program's own language
	//	r  a path read   w  a path written   m  a path removed
	//	x  a path run    d  a directory written into
	//	p  a place to put the operands before it: a file, or a directory for files
	//	   named like them
	//	h  a host        a  NAME=value       c  a command: it and all following words
	//	l  a command line that a shell runs
	//	j  a command line for a shell, joined of it and all following words
	//
	// Behind a role, "*" means any number, "?" none or one. At most one role has a star. No
	// roles: no operands.
	Operands string

	// With are the operands where an option changes them (install -d); the first form with one
	// of its options present counts.
	With []Form
	// Until begins the word behind the command to run (":::").
	Until string

	// Commands means: the first operand is a sub-command, with a row of its own if it is known.
	// The row's own options come before it. Operands, if there are any, then belong to
	// sub-commands without a row.
	Commands bool
	// Verb means: the first operand names the action (a make target, an npm script), so a rule
	// may name it without a row.
	Verb bool
	// Stop means: options end at the first operand.
	Stop bool
	// Bare means: there are no options, every word is an operand.
	Bare bool
	// Bundle means: the first word may be option letters without a dash, with their values in
	// the words behind it (tar xzf FILE).
	Bundle bool
	// OneDash means: long names have one dash, or two (go, terraform, java).
	OneDash bool
	// Abbreviates means: long names may be abbreviated where unique, as by getopt_long(3).
	Abbreviates bool

	// In are the names of the options, separated by blanks, for the start directory of the
	// program or the command inside (git -C).
	In string
	// Deep are the names of the options, separated by blanks, that make the program act on
	// everything below its operands; "*" means always.
	Deep string
	// Follows are the names of the options, separated by blanks, that make the program follow
	// links below its operands; "*" means always.
	Follows string
	// Here are the names of the options, separated by blanks, that make the program read its
	// own directory when no operand names another; "*" means always.
	Here string
	// Lists are the names of the options, separated by blanks, that make the program take names
	// of files from the option's value or from its input; "*" means always, from the input.
	Lists string
	// Filters are the names of the options, separated by blanks, with a glob choosing among the
	// files below the operands (grep --include).
	Filters string

	// Reads says, for a person, how the command only reads; empty when the program is no
	// reader. It holds when every option is known and reads, and the operands fit.
	Reads string
	// Version are the words, separated by blanks, that each make the program print its version
	// or help and end, when given alone. In a row of several programs, "NAME,NAME:WORD,WORD"
	// are words of these programs; a bare --version or --help there holds for all of them.
	Version string
	// VersionAlone names, for a row with Project, the source for printing them before code of
	// the project is loaded. Without it such a row has no Version.
	VersionAlone string
	// Helps means: --help behind any sub-command prints its usage, and does nothing else.
	Helps bool
	// Plain means: the command inside acts there as it does alone, so Reads describes the
	// program's own addition: nothing.
	Plain bool
	// Passes are the programs, separated by blanks, that the row's program runs when
	// the next word names one of them. Of any other word nothing is known, unless
	// that has a row of its own.
	Passes string
	// Adds means: it adds words of its input to the command inside.
	Adds bool
	// Unless returns why a use with Reads does more than read after all (a script that writes,
	// configuration); empty when it does not. It judges the cases beyond the grammar.
	Unless func(*Use) string
	// Names means: only names and facts of files are shown, not contents, so secrets may be
	// named.
	Names bool
	// Listed are the names of the options, separated by blanks, that make such a program take
	// its operands or its input for lists, and print their lines.
	Listed string
	// Facts are the names of the options, separated by blanks, with a file shown by facts
	// alone, too (the certificate beside a key).
	Facts string
	// Tame means: no option at all writes or runs anything, so an expansion of "*" may look
	// like one.
	Tame bool
	// Dotless means: no option has a dot in it, so an expansion of "*.go" cannot be one.
	Dotless bool
	// Loose permits expansions as operands, because the program only repeats them.
	Loose bool
	// Repo means: configuration beside the working tree, or the user's own, can make it run a
	// program, so it reads only while the host finds none. Heeds names that configuration
	// (threat T19).
	Repo  bool
	Heeds string

	// Edits lets accept_edits allow it: without "!" options it changes the named files and
	// nothing else.
	Edits bool

	// Asks says why every use needs a person, for any rules.
	Asks string
	// AsksIf says so of one use; empty when none is needed.
	AsksIf func(*Use) string
	// Terminal means: it takes commands from its terminal or its input (threat T23) unless it
	// gets others: a script among its operands, code in an option, or one of the options in
	// Told, separated by blanks. See Use.Commanded.
	Terminal bool
	Told     string

	// Means returns the names of options implied by a use (git push +main is git push -f main),
	// so that rules find them.
	Means func(*Use) []string

	// Says returns further words that a use means, for the words that a rule leaves out
	// (git push origin HEAD:main means main). Deny rules do not look at them.
	Says func(*Use) []string

	// Sweeps reports whether a use changes files below its directory without naming them (git
	// checkout, tar -x).
	Sweeps func(*Use) bool

	// Fetches means: it brings files from elsewhere: other machines, archives.
	Fetches bool

	// Project means: it runs code of the current project.
	Project bool
	// Chooses says how to find options for code or configuration; every Project row has it.
	// Marked: Options lists all of them, with "~", and an unlisted option may be one more.
	// Named: the row is for many programs, or the project defines options, so an unlisted
	// option chooses when its name says so.
	Chooses Choosing
	// ChoosesIf returns the indices in Words of further choosing words.
	ChoosesIf func(*Use) []int
	// Sets means: an operand NAME=value sets a variable of the program.
	Sets bool
	// Makes means: the program exists to make the files in its options (gcc -o, tar -f).
	Makes bool
	// Touches replaces the paths from the operands' roles, where no grammar can describe them.
	// Options and their effects are added to it.
	Touches func(*Use) []Touch
}

// Choosing is how a row marks options for code or configuration.
type Choosing byte

// The values of Row.Chooses. The zero value is for programs without code of a project.
const (
	Marked Choosing = 'm'
	Named  Choosing = 'n'
)

// Form are the operands of a row with one of the options, separated by blanks.
type Form struct {
	Options, Operands string
}
