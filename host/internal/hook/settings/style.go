package settings

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// style is a text's layout, so additions look like the rest.
type style struct {
	newline string
	// unit is one level of indentation.
	unit string
	// flat means everything is on one line.
	flat bool
}

// usual is how Claude Code writes its files.
var usual = style{newline: "\n", unit: "  "}

func (d *document) style() style {
	s := usual
	if bytes.Contains(d.text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	if d.root == nil || len(d.root.items) == 0 {
		return s
	}
	gap := d.text[d.root.start+1 : d.root.items[0].start]
	s.flat = !bytes.ContainsRune(gap, '\n')
	s.unit = indentation(gap)
	return s
}

// indentation is the text between the last line feed of a gap and its end.
func indentation(gap []byte) string {
	line := gap[bytes.LastIndexByte(gap, '\n')+1:]
	end := len(line) - len(bytes.TrimLeft(line, " \t"))
	return string(line[:end])
}

// lineIndent is the indentation of the line at offset at.
func (d *document) lineIndent(at int) string {
	return indentation(d.text[:at][bytes.LastIndexByte(d.text[:at], '\n')+1:])
}

// pretty writes a value over several lines; the first gets no indentation.
func (s style) pretty(v jsontext.Value, indent string) ([]byte, error) {
	out := v.Clone()
	if err := out.Indent(jsontext.WithIndentPrefix(indent), jsontext.WithIndent(s.unit)); err != nil {
		return nil, err
	}
	return []byte(strings.ReplaceAll(string(out), "\n", s.newline)), nil
}

// inline writes a value on one line.
func inline(v jsontext.Value) ([]byte, error) {
	out := v.Clone()
	err := out.Format(jsontext.PreserveRawStrings(true), jsontext.Multiline(false), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
	return out, err
}
