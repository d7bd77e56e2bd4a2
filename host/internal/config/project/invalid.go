package project

import (
	"fmt"
	"strconv"

	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// Invalid is an unusable project file. Because it may only tighten, the calls in its project must
// not go on without it.
type Invalid struct {
	Path string
	// Problems are for the operator only: they quote the file.
	Problems []Problem
}

// Error implements error, without a word of the file's author.
func (e *Invalid) Error() string {
	where := e.Path
	if len(e.Problems) > 0 && e.Problems[0].Line > 0 {
		where = fmt.Sprintf("%s:%d:%d", e.Path, e.Problems[0].Line, e.Problems[0].Column)
	}
	return fmt.Sprintf("%s: the project's file is not understood here: it holds the lists deny, ask and disallowed_tools, so correct it or remove it", where)
}

// maxQuoted bounds the quotes from the file in a Problem.
const maxQuoted = 200

// problem makes a complaint safe to print on a terminal.
func problem(path string, e *strictyaml.Error) Problem {
	return Problem{Path: path, Line: e.Line, Column: e.Column, Field: printable(e.Field), Msg: printable(e.Msg)}
}

func printable(text string) string {
	if len(text) > maxQuoted {
		text = text[:maxQuoted] + "..."
	}
	quoted := strconv.QuoteToASCII(text)
	return quoted[1 : len(quoted)-1]
}
