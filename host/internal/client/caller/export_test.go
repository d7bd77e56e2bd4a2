package caller

import (
	"bufio"
	"io"

	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// ReadStream reads a check's stream, with every line proven.
func ReadStream(in io.Reader) (wire.Result, error) {
	return readStream(in, func([]byte, string) error { return nil }, func(protocol.Progress) {})
}

// Traceparent is the header for a request's trace.
func Traceparent(text string) string { return traceparent(text) }

// ReadAnswer reads a whole answer of a daemon.
func ReadAnswer(in io.Reader) (status int, header map[string]string, body []byte, err error) {
	a, err := readAnswer(bufio.NewReader(in))
	if err != nil {
		return 0, nil, nil, err
	}
	body, err = io.ReadAll(a.body)
	return a.status, a.header, body, err
}
