package record

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Move replaces one directory by another.
type Move struct{ From, To string }

// Move returns the line with the directories of moves replaced everywhere in its texts where they
// appear as paths; the first fitting move counts.
func (l Line) Move(moves ...Move) Line {
	l.Input, l.Note = moveAll(l.Input, moves), movePath(l.Note, moves)
	l.Context.CWD, l.Context.Home = movePath(l.Context.CWD, moves), movePath(l.Context.Home, moves)
	dirs := make([]string, len(l.Context.WorkingDirectories))
	for i, d := range l.Context.WorkingDirectories {
		dirs[i] = movePath(d, moves)
	}
	if l.Context.WorkingDirectories != nil {
		l.Context.WorkingDirectories = dirs
	}
	return l
}

// moveAll replaces in every text of a JSON value; names of members stay.
func moveAll(value jsontext.Value, moves []Move) jsontext.Value {
	in := jsontext.NewDecoder(bytes.NewReader(value))
	var text bytes.Buffer
	out := jsontext.NewEncoder(&text)
	for {
		name := memberComes(in)
		token, err := in.ReadToken()
		if err != nil {
			break // the end: an incomplete one stayed above
		}
		if token.Kind() == '"' && !name {
			token = jsontext.String(movePath(token.String(), moves))
		}
		if err := out.WriteToken(token); err != nil {
			return value
		}
	}
	moved := jsontext.Value(bytes.TrimSpace(text.Bytes()))
	if !moved.IsValid() {
		return value
	}
	return moved
}

// memberComes reports whether the next token is the name of an object's member.
func memberComes(in *jsontext.Decoder) bool {
	kind, length := in.StackIndex(in.StackDepth())
	return kind == '{' && length%2 == 0
}

// movePath replaces directories in a text, where they stand as whole paths or
// begin one.
func movePath(text string, moves []Move) string {
	var out strings.Builder
	for at := 0; at < len(text); {
		if m, ok := fits(text, at, moves); ok {
			out.WriteString(m.To)
			at += len(m.From)
			continue
		}
		out.WriteByte(text[at])
		at++
	}
	return out.String()
}

func fits(text string, at int, moves []Move) (Move, bool) {
	for _, m := range moves {
		end := at + len(m.From)
		if m.From == "" || !strings.HasPrefix(text[at:], m.From) {
			continue
		}
		if (at == 0 || !nameByte(text[at-1])) && (end == len(text) || !nameByte(text[end])) {
			return m, true
		}
	}
	return Move{}, false
}

// nameByte reports whether c goes on with the name of a file.
func nameByte(c byte) bool {
	return c == '.' || c == '_' || c == '-' || c >= 0x80 || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
