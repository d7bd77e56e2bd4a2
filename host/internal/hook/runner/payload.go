package runner

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxPayload is the largest accepted payload, in bytes.
const MaxPayload = 16 << 20

// Text is a JSON string. Where it is expected, null is a mistake.
type Text string

// UnmarshalJSONFrom implements the decoder's interface.
func (t *Text) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '"' && kind != 0 {
		return fmt.Errorf("got a JSON %s, want a JSON string", kind)
	}
	token, err := dec.ReadToken()
	if err != nil {
		return err
	}
	*t = Text(token.String())
	return nil
}

// ErrTooLarge is a payload beyond the limit.
var ErrTooLarge = fmt.Errorf("the hook's payload is larger than %d MiB; make the call smaller", MaxPayload>>20)

// Read reads a whole payload, at most MaxPayload bytes. The beginning of a longer one may still
// name the event.
func Read(in io.Reader) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(in, MaxPayload+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read the hook's payload: %w", err)
	case len(data) > MaxPayload:
		return data[:MaxPayload], ErrTooLarge
	}
	return data, nil
}
