package convert

import (
	"regexp"
	"strings"

	"github.com/callgate/callgate/engine"
)

// bash is the tool of command lines.
const bash = "Bash"

// readingNote is said once when commands are allowed: the tool's own check is
// no rule of the file.
const readingNote = "Besides the rules, Bash allows command lines that only read (ls, git status, ...) by itself, and an allow rule covers its command beside such ones and after a cd inside the working directories: docs/rules.md. An ask rule such as Bash(git:*) has a person see them, too."

// plainPrefix are words with the same meaning in a rule and in a shell.
var plainPrefix = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./^-][A-Za-z0-9_@%+=:,./^~-]*( [A-Za-z0-9_@%+=:,./^~-]+)*$`)

// assignment is a first word setting a variable.
var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// prefix adds a rule for every command beginning with words. With byText the file's own prefix ends
// anywhere, even inside a word: a deny or an ask rule then does, too, and an allow rule still ends
// with a word.
func (e *entry) prefix(b engine.Behavior, words string, byText bool) *Rule {
	words = strings.TrimSpace(words)
	switch {
	case words == "":
		e.left(b, "not carried: an empty command would mean every command line")
		return &Rule{}
	case !plainPrefix.MatchString(words) || assignment.MatchString(words):
		e.left(b, "not carried: %q holds what a shell or a rule reads as more than words: write a rule by hand, see docs/rules.md", words)
		return &Rule{}
	case b == engine.Allow:
		e.b.note(readingNote)
		if byText {
			e.says("ends with a whole word here")
		}
		return e.rule(b, bash, words+":*")
	case byText:
		return e.rule(b, bash, words+"*")
	}
	return e.rule(b, bash, words+":*")
}

// starred adds a rule for a command pattern. * is any text; a backslash is itself unless escapes is
// set; a question mark is any character when question is set.
func (e *entry) starred(b engine.Behavior, pattern string, escapes, question bool) {
	content := pattern
	if !escapes {
		content = strings.ReplaceAll(content, `\`, `\\`)
	}
	if question && strings.Contains(content, "?") {
		if b == engine.Allow {
			e.is(LeftOut, "not carried: a rule has no sign for one character: write the commands out, or use *")
			return
		}
		e.is(Tighter, "? is * here: any text")
		content = strings.ReplaceAll(content, "?", "*")
	}
	switch {
	case strings.Trim(content, "* ") == "":
		content = ""
	case strings.HasSuffix(content, ":*") && !strings.HasSuffix(content, `\:*`):
		content += "*" // the colon is one; with a single star it would not be
	}
	if b == engine.Allow {
		e.b.note(readingNote)
	}
	e.rule(b, bash, content)
}
