package mcp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxMessage bounds one message, in bytes: more than the daemon judges, so a longer call is denied
// with its reason and other messages pass.
const maxMessage = 64 << 20

// errLong is a line over maxMessage.
var errLong = fmt.Errorf("a message is larger than %d MiB", maxMessage>>20)

// lines reads messages of one line each. Blank lines are left out.
type lines struct {
	in  *bufio.Reader
	max int
}

func newLines(in io.Reader) *lines { return &lines{bufio.NewReaderSize(in, 64<<10), maxMessage} }

// next returns the next line, without its end. errLong means the line was too long and was left
// out whole: the next one can be read. A last line without an end is half a message, and is left
// out.
func (l *lines) next() ([]byte, error) {
	for {
		line, err := l.line()
		if line = bytes.TrimSuffix(line, []byte("\r")); err != nil || len(bytes.TrimSpace(line)) > 0 {
			return line, err
		}
	}
}

func (l *lines) line() ([]byte, error) {
	var line []byte
	long := false
	for {
		part, err := l.in.ReadSlice('\n')
		if long = long || len(line)+len(part) > l.max+1; long {
			line = nil
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err != nil:
			return nil, err
		case long:
			return nil, errLong
		default:
			return line[:len(line)-1], nil
		}
	}
}

// sink writes messages, one a line. It is safe for concurrent use; after an error it writes
// nothing more.
type sink struct {
	mu  sync.Mutex
	out io.Writer
	err error
}

func (s *sink) send(message []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		_, s.err = s.out.Write(append(message[:len(message):len(message)], '\n'))
	}
	return s.err
}
