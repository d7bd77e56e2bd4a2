package strictyaml

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxDepth bounds how deep collections nest; the deepest lawful value is a
// tool's own configuration.
const maxDepth = 64

// Parse returns the syntax tree of data with its comments. It refuses more
// than one document, bytes that are not UTF-8, control characters, and nesting
// deeper than 64. file is the name in errors. It never panics.
func Parse(file string, data []byte) (tree *ast.File, err error) {
	defer func() {
		// The parser is foreign code and the bytes are a stranger's.
		if r := recover(); r != nil {
			tree, err = nil, &Error{File: file, Msg: fmt.Sprintf("not readable as YAML: %v", r)}
		}
	}()
	if err := checkBytes(file, data); err != nil {
		return nil, err
	}
	tokens := lexer.Tokenize(string(data))
	if err := checkTokens(file, tokens); err != nil {
		return nil, err
	}
	// decoder.pairs tells of double keys with the line of the first.
	tree, err = parser.Parse(tokens, parser.ParseComments, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, syntaxError(file, err)
	}
	if len(documents(tree)) > 1 {
		return nil, &Error{File: file, Msg: `more than one YAML document: keep everything in one, without "---" between parts`}
	}
	return tree, nil
}

// checkBytes refuses what a person reading the file would not see.
func checkBytes(file string, data []byte) error {
	line, start := 1, 0
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		at := Position{line, i - start + 1}
		switch {
		case r == utf8.RuneError && size == 1:
			return &Error{File: file, Position: at, Msg: fmt.Sprintf("byte 0x%02x is not UTF-8: save the file as UTF-8", data[i])}
		case r == '\n':
			line, start = line+1, i+1
		case r == '\r' && i+1 < len(data) && data[i+1] == '\n', r == '\t':
		case r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029:
			return &Error{File: file, Position: at, Msg: fmt.Sprintf("control character %U: remove it, or write it as an escape in double quotes", r)}
		}
		i += size
	}
	return nil
}

// checkTokens bounds the nesting before the recursive parser sees it.
func checkTokens(file string, tokens token.Tokens) error {
	flow, entries := 0, 0
	line := 0
	for _, tk := range tokens {
		if tk.Position != nil && tk.Position.Line != line {
			line, entries = tk.Position.Line, 0
		}
		switch tk.Type {
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType:
			entries++
		}
		indent := 0
		if tk.Position != nil {
			indent = tk.Position.IndentNum / 2
		}
		if flow > maxDepth || entries > maxDepth || indent > 4*maxDepth {
			return &Error{File: file, Position: tokenPosition(tk), Msg: fmt.Sprintf("nested deeper than %d", maxDepth)}
		}
	}
	return nil
}

func documents(tree *ast.File) []*ast.DocumentNode {
	var docs []*ast.DocumentNode
	for _, doc := range tree.Docs {
		if doc.Body != nil && doc.Body.Type() != ast.CommentType {
			docs = append(docs, doc)
		}
	}
	return docs
}

func syntaxError(file string, err error) error {
	var y yaml.Error
	if !errors.As(err, &y) {
		return &Error{File: file, Msg: err.Error()}
	}
	msg, _, _ := strings.Cut(y.GetMessage(), "\n")
	return &Error{File: file, Position: tokenPosition(y.GetToken()), Msg: msg}
}

func tokenPosition(tk *token.Token) Position {
	if tk == nil || tk.Position == nil {
		return Position{}
	}
	return Position{tk.Position.Line, tk.Position.Column}
}
