package gate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/strictjson"
)

// MaxInput is the largest tool input that is judged, in bytes.
const MaxInput = 16 << 20

// StrictObject checks that raw is one JSON object, in UTF-8, no name twice in
// one object, nothing after it, at most MaxInput bytes, and returns it in one
// canonical spelling: sorted names, no blanks, numbers untouched.
func StrictObject(raw []byte) (json.RawMessage, error) {
	if len(raw) > MaxInput {
		return nil, fmt.Errorf("%d bytes: at most %d are judged", len(raw), MaxInput)
	}
	value := jsontext.Value(append([]byte(nil), raw...))
	if value.Kind() != '{' {
		if len(value) == 0 {
			return nil, errors.New("missing: want a JSON object")
		}
		return nil, errors.New("want a JSON object")
	}
	err := value.Format(
		jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false),
		jsontext.EscapeForHTML(false), jsontext.EscapeForJS(false), jsontext.PreserveRawStrings(false), jsontext.Multiline(false),
	)
	if err != nil {
		return nil, strictjson.Explain(err)
	}
	return json.RawMessage(value), nil
}

// Digest identifies a call: the SHA-256, in hex, over the tool's canonical
// name, its input as StrictObject returns it with its numbers in one spelling,
// and the cwd.
func Digest(tool string, input json.RawMessage, cwd string) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(tool), evenNumbers(input), []byte(cwd)} {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// evenNumbers writes the numbers of an input with a fraction, an exponent or a
// negative zero in one way each, so that 1.0, 10e-1 and 1 are one number: a client
// that keeps its calls as values writes them anew. Plain integers stay, however
// long they are.
func evenNumbers(input []byte) []byte {
	dec := jsontext.NewDecoder(bytes.NewReader(input), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	var out []byte
	done := 0
	for {
		if dec.PeekKind() != '0' {
			if _, err := dec.ReadToken(); err != nil {
				break
			}
			continue
		}
		value, err := dec.ReadValue()
		if err != nil {
			break
		}
		if number := string(value); strings.ContainsAny(number, ".eE") || number == "-0" {
			end := int(dec.InputOffset())
			out = append(append(out, input[done:end-len(number)]...), evenNumber(number)...)
			done = end
		}
	}
	if done == 0 {
		return input
	}
	return append(out, input[done:]...)
}

// evenNumber writes a JSON number as an integer if it is one of at most 400
// digits, else as its digits without zeros at either end, and an exponent.
func evenNumber(number string) string {
	digits, sign := strings.CutPrefix(number, "-")
	exponent := 0
	if at := strings.IndexAny(digits, "eE"); at >= 0 {
		n, err := strconv.Atoi(digits[at+1:])
		if err != nil {
			return number
		}
		digits, exponent = digits[:at], n
	}
	if whole, fraction, ok := strings.Cut(digits, "."); ok {
		digits, exponent = whole+fraction, exponent-len(fraction)
	}
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	short = strings.TrimLeft(short, "0")
	if short == "" {
		return "0"
	}
	if exponent >= 0 && exponent+len(short) <= 400 {
		short += strings.Repeat("0", exponent)
	} else {
		short += "e" + strconv.Itoa(exponent)
	}
	if sign {
		short = "-" + short
	}
	return short
}

// genericAction is the action string of a tool that gives none. Source: design
// section 5, "any other tool:NAME:JSON". name is the tool's canonical name, whatever
// the agent calls it.
func genericAction(name string, call *engine.Call) string {
	return "tool:" + name + ":" + string(call.Input)
}
