package card

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// Plain reports whether the texts of a JSON value read as they are: no character in them
// hides or misleads, so that the person who typed them saw all of it.
func Plain(value []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(value), jsontext.AllowDuplicateNames(true))
	for dec.InputOffset() < int64(len(value)) {
		t, err := dec.ReadToken()
		if err != nil {
			return false
		}
		if t.Kind() == '"' && Visible(t.String()) != t.String() {
			return false
		}
	}
	return true
}
