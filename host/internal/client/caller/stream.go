package caller

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/internal/client/protocol"
)

// streamLine is one line of a stream; exactly one of the first three members is set, and the last
// line has its MAC besides.
type streamLine[P any] struct {
	Progress *P             `json:"progress"`
	Result   jsontext.Value `json:"result"`
	Problem  jsontext.Value `json:"problem"`
	MAC      string         `json:"mac"`
}

// ReadResult reads a stream to its end and returns the text of its result. Only a stream with its one
// result as the last line, with a MAC proven accepts, gives it. progress receives the lines before.
func ReadResult[P any](in io.Reader, proven func(line []byte, mac string) error, progress func(P)) ([]byte, error) {
	lines := bufio.NewReader(io.LimitReader(in, MaxAnswer))
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, OrLost(err)
		}
		var line streamLine[P]
		if err := json.Unmarshal(text, &line, json.RejectUnknownMembers(true)); err != nil {
			return nil, fmt.Errorf("the daemon's answer cannot be read: %w", err)
		}
		switch {
		case line.Problem != nil:
			if err := proven(protocol.FinalLine("problem", line.Problem), line.MAC); err != nil {
				return nil, err
			}
			return nil, Problem(line.Problem, statusOK)
		case line.Progress != nil && line.Result == nil:
			progress(*line.Progress)
		case line.Result != nil && line.Progress == nil:
			if err := proven(protocol.FinalLine("result", line.Result), line.MAC); err != nil {
				return nil, err
			}
			if _, err := lines.ReadByte(); !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("the daemon's answer does not end with its result: %w", orTrailing(err))
			}
			return line.Result, nil
		default:
			return nil, errors.New("the daemon sent a line that is neither progress nor result")
		}
	}
}

func orTrailing(err error) error {
	if err == nil {
		return errors.New("extra data follows")
	}
	return OrLost(err)
}
