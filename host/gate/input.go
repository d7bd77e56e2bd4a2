package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

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
// name, its input as StrictObject returns it, and the cwd.
func Digest(tool string, input json.RawMessage, cwd string) string {
	h := sha256.New()
	for _, part := range [][]byte{[]byte(tool), input, []byte(cwd)} {
		fmt.Fprintf(h, "%d:", len(part))
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// genericAction is the action string of a tool that gives none. Source: design
// section 5, "any other tool:NAME:JSON".
func genericAction(call *engine.Call) string {
	return "tool:" + call.Tool + ":" + string(call.Input)
}
