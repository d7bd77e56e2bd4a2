package mcp

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
)

// event is one event of a stream of server-sent events.
type event struct {
	// lines are its fields besides the data, each as "name: value"; or one comment.
	lines []string
	// data is nil for none.
	data []byte
}

// events reads a stream as a browser does: a line ends with CR, LF or both, and a mark of UTF-8 may
// begin it. A reading of our own would hide messages from us.
type events struct {
	in    *bufio.Reader
	begun bool
	cr    bool  // the last byte was a CR
	open  event // what of the next event is read
	size  int
}

func newEvents(in io.Reader) *events { return &events{in: bufio.NewReaderSize(in, 64<<10)} }

// next is the next event or comment; io.EOF at the end, also within an event, which is left out.
// A comment within an event comes before it.
func (e *events) next() (event, error) {
	for {
		line, err := e.line(maxMessage - e.size)
		if err != nil {
			return event{}, err
		}
		e.size += len(line)
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			ev := e.open
			if e.open, e.size = (event{}), 0; len(ev.lines) > 0 || ev.data != nil {
				return ev, nil
			}
		case name == "":
			return event{lines: []string{line}}, nil
		case name == "data" && e.open.data == nil:
			e.open.data = []byte(value)
		case name == "data":
			e.open.data = append(append(e.open.data, '\n'), value...)
		case name == "id" || name == "event" || name == "retry":
			e.open.lines = append(e.open.lines, name+": "+value)
		}
	}
}

// line reads one line, without its end.
func (e *events) line(limit int) (string, error) {
	var line bytes.Buffer
	for {
		b, err := e.in.ReadByte()
		if err != nil {
			return "", io.EOF
		}
		after := e.cr
		if e.cr = b == '\r'; b == '\n' && after {
			continue
		}
		if b == '\r' || b == '\n' {
			text := line.String()
			if !e.begun {
				e.begun, text = true, strings.TrimPrefix(text, "\ufeff")
			}
			return text, nil
		}
		if line.Len() >= limit {
			return "", errLong
		}
		line.WriteByte(b)
	}
}

// stream writes events to a client. It is safe for concurrent use; after an error it writes nothing
// more.
type stream struct {
	mu   sync.Mutex
	out  http.ResponseWriter
	head bool
	err  error
}

// begin writes the head of the answer once.
func (s *stream) begin(status int) {
	if !s.head {
		s.head = true
		s.out.Header().Set("Content-Type", "text/event-stream")
		s.out.Header().Set("Cache-Control", "no-cache")
		s.out.WriteHeader(status)
	}
}

// send writes an event, and the head before the first one.
func (s *stream) send(ev event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.begin(http.StatusOK)
	var text bytes.Buffer
	for _, l := range ev.lines {
		text.WriteString(l + "\n")
	}
	if ev.data != nil {
		for line := range bytes.SplitSeq(ev.data, []byte("\n")) {
			text.WriteString("data: ")
			text.Write(line)
			text.WriteByte('\n')
		}
	}
	text.WriteByte('\n')
	if _, s.err = s.out.Write(text.Bytes()); s.err == nil {
		s.err = http.NewResponseController(s.out).Flush()
	}
}

// started reports whether the head is written: then the answer can only be events.
func (s *stream) started() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.head
}
