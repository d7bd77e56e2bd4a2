package strictjson

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxObject is the largest text that Object reads, in bytes.
const MaxObject = 16 << 20

// Object checks that raw is one JSON object, in UTF-8, no name twice in
// one object, nothing after it, at most MaxObject bytes, and returns it in one
// canonical spelling: sorted names, no blanks, numbers untouched.
func Object(raw []byte) (json.RawMessage, error) {
	if len(raw) > MaxObject {
		return nil, fmt.Errorf("%d bytes: at most %d are judged", len(raw), MaxObject)
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
		return nil, Explain(err)
	}
	return json.RawMessage(value), nil
}
