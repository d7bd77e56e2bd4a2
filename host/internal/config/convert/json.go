package convert

import (
	"bytes"
	"errors"
	"regexp"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"

	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// hujsonAt is the package's form of a place.
var hujsonAt = regexp.MustCompile(`^hujson: line (\d+), column (\d+): (?:parsing value: )?(.*)$`)

// readJSON reads JSON with comments and trailing commas: these clients allow both in their files. A
// key given twice is an error.
func (b *builder) readJSON(data []byte) (*node, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	// Standardize keeps every byte at its place.
	plain, err := hujson.Standardize(bytes.Clone(data))
	if err != nil {
		e := &strictyaml.Error{File: b.file, Msg: "not JSON: " + err.Error()}
		if m := hujsonAt.FindStringSubmatch(err.Error()); m != nil {
			e.Line, _ = strconv.Atoi(m[1])
			e.Column, _ = strconv.Atoi(m[2])
			e.Msg = "not JSON: " + m[3] + ": correct it in the program the file is from"
		}
		return nil, e
	}
	dec := jsontext.NewDecoder(bytes.NewReader(plain))
	places := newPlaces(data)
	n, err := jsonValue(dec, plain, places)
	if err == nil {
		return n, nil
	}
	offset := int(dec.InputOffset())
	var syntax *jsontext.SyntacticError
	msg := err.Error()
	if errors.As(err, &syntax) {
		offset = int(syntax.ByteOffset)
		if syntax.Err != nil {
			msg = syntax.Err.Error()
		}
	}
	return nil, &strictyaml.Error{File: b.file, Position: position(data, offset), Msg: "not JSON: " + msg + ": correct it in the program the file is from"}
}

func jsonValue(dec *jsontext.Decoder, data []byte, places *places) (*node, error) {
	start := int(dec.InputOffset())
	tok, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	n := &node{at: places.of(begin(data, start))}
	switch tok.Kind() {
	case '{':
		n.kind = object
		for dec.PeekKind() != '}' {
			at := places.of(begin(data, int(dec.InputOffset())))
			key, err := dec.ReadToken()
			if err != nil {
				return nil, err
			}
			name := key.String()
			value, err := jsonValue(dec, data, places)
			if err != nil {
				return nil, err
			}
			n.keys = append(n.keys, member{name, at, value})
		}
		_, err = dec.ReadToken()
	case '[':
		n.kind = array
		for dec.PeekKind() != ']' {
			value, err := jsonValue(dec, data, places)
			if err != nil {
				return nil, err
			}
			n.list = append(n.list, value)
		}
		_, err = dec.ReadToken()
	case '"':
		n.kind, n.text = text, tok.String()
	case '0':
		n.kind, n.text = number, tok.String()
	case 't', 'f':
		n.kind, n.text = boolean, tok.String()
	default:
		n.kind = null
	}
	return n, err
}

// begin skips the text between two values.
func begin(data []byte, offset int) int {
	for offset < len(data) && bytes.IndexByte([]byte(" \t\r\n,:"), data[offset]) >= 0 {
		offset++
	}
	return offset
}

// places turns growing offsets into places, each byte looked at once.
type places struct {
	data        []byte
	at          int
	line, start int
}

func newPlaces(data []byte) *places { return &places{data: data, line: 1} }

func (p *places) of(offset int) strictyaml.Position {
	for ; p.at < min(offset, len(p.data)); p.at++ {
		if p.data[p.at] == '\n' {
			p.line, p.start = p.line+1, p.at+1
		}
	}
	return strictyaml.Position{Line: p.line, Column: offset - p.start + 1}
}
