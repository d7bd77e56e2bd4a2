package caller

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/callgate/callgate/host/internal/client/protocol"
)

// macHeader is protocol.MACHeader as an answer has it.
var macHeader = strings.ToLower(protocol.MACHeader)

// jsonType is the content type of a request, and of a plain answer.
const jsonType = "application/json"

// The statuses with a meaning here; the names are those of net/http.
const (
	statusOK           = 200
	statusBadRequest   = 400
	statusUnauthorized = 401
)

// maxHead bounds the head of an answer, and a line of its chunks, in bytes.
const maxHead = 64 << 10

// answer is the daemon's answer to one request.
type answer struct {
	status int
	// header has each name once, in small letters.
	header map[string]string
	body   io.Reader

	request protocol.Binding
	conn    net.Conn
	// release ends the watch over the request's context.
	release func() bool
}

// close gives the connection up.
func (a *answer) close() {
	a.release()
	_ = a.conn.Close() // the answer was read, or given up
}

// whole is the body, of at most limit bytes.
func (a *answer) whole(limit int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(a.body, int64(limit)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the daemon's answer was cut off: %w", err)
	case len(text) > limit:
		return nil, fmt.Errorf("the daemon's answer is larger than %d MiB", limit>>20)
	}
	return text, nil
}

// post sends a request on a connection of its own and returns a successful answer of the wanted
// content type. trace is the traceparent header; empty for none. The caller closes the answer. When
// ctx ends, reading it fails.
func (c *Caller) post(ctx context.Context, target string, body any, accept, trace string) (*answer, error) {
	text, err := protocol.Encode(body)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	conn, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	release := context.AfterFunc(ctx, func() { _ = conn.Close() }) // the daemon withdraws the call
	a, err := c.exchange(conn, target, text, accept, trace)
	if err != nil {
		release()
		_ = conn.Close() // nothing was read of it
		return nil, OrLost(err)
	}
	a.conn, a.release = conn, release
	if err := c.refusal(a, accept); err != nil {
		a.close()
		return nil, err
	}
	return a, nil
}

// exchange writes a request and reads the head of its answer. A daemon may refuse before
// it has read the whole request.
func (c *Caller) exchange(conn net.Conn, target string, body []byte, accept, trace string) (*answer, error) {
	nonce := rand.Text()
	if trace != "" {
		trace = "Traceparent: " + trace + "\r\n"
	}
	request := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: %s\r\nAccept: %s\r\n%s: %s\r\n%sContent-Length: %d\r\n\r\n",
		target, c.host, c.token, jsonType, accept, protocol.NonceHeader, nonce, trace, len(body))
	_, written := conn.Write(append(request, body...))
	a, err := readAnswer(bufio.NewReader(conn))
	if err != nil {
		return nil, errors.Join(written, err)
	}
	a.request = protocol.Binding{Nonce: nonce, Method: "POST", Target: target, Body: sha256.Sum256(body)}
	return a, nil
}

// refusal is the error in an answer; nil for a success.
func (c *Caller) refusal(a *answer, accept string) error {
	kind, _, _ := strings.Cut(a.header["content-type"], ";")
	switch {
	case a.status == statusOK && strings.TrimSpace(kind) == accept:
		return nil
	case a.status == statusOK:
		return fmt.Errorf("the daemon answered with content type %q, want %s", a.header["content-type"], accept)
	}
	text, err := a.whole(1 << 20)
	if err != nil {
		return fmt.Errorf("the daemon refused the request with status %d: %w", a.status, err)
	}
	if err := c.Proven(a.request, a.status, text, a.header[macHeader]); err != nil {
		return Unproven(a.status, err)
	}
	return Problem(text, a.status)
}

// readAnswer reads the head of an answer: HTTP/1.1, a final status, no header twice, a body with a
// length or in chunks. Any other form is an error.
func readAnswer(in *bufio.Reader) (*answer, error) {
	left := maxHead
	line, err := readLine(in, &left)
	if err != nil {
		return nil, err
	}
	version, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(rest, " ")
	status, err := strconv.ParseUint(code, 10, 16)
	if version != "HTTP/1.1" || err != nil || len(code) != 3 || status < statusOK {
		return nil, fmt.Errorf("the answer begins with %.80q, want HTTP/1.1 and a final status", line)
	}
	a := &answer{status: int(status), header: map[string]string{}}
	for {
		line, err := readLine(in, &left)
		if err != nil {
			return nil, err
		}
		if line == "" {
			break
		}
		name, value, found := strings.Cut(line, ":")
		name = strings.ToLower(name)
		if _, twice := a.header[name]; !found || twice || !isToken(name) {
			return nil, fmt.Errorf("the answer has the header %.80q: want NAME: VALUE, each name once", line)
		}
		a.header[name] = strings.Trim(value, " \t")
	}
	return a, a.readBody(in)
}

// readBody finds out how the body is framed.
func (a *answer) readBody(in *bufio.Reader) error {
	length, measured := a.header["content-length"]
	coding, coded := a.header["transfer-encoding"]
	switch {
	case measured && !coded:
		n, err := strconv.ParseUint(length, 10, 62)
		if err != nil {
			return fmt.Errorf("the answer has the length %.40q", length)
		}
		a.body = &exactly{in: in, left: int64(n)}
		return nil
	case coded && !measured && coding == "chunked":
		a.body = &chunks{in: in}
		return nil
	}
	return errors.New("the answer has neither a length nor chunks")
}

// readLine reads a line ending in CR LF, without them, and takes its length from left.
func readLine(in *bufio.Reader, left *int) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if *left -= len(part); *left < 0 {
			return "", fmt.Errorf("the head of the answer is longer than %d KiB", maxHead>>10)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) > 0:
			return "", io.ErrUnexpectedEOF
		case err != nil:
			return "", err
		}
		break
	}
	text, ended := bytes.CutSuffix(line, []byte("\r\n"))
	if !ended || bytes.ContainsAny(text, "\r\x00") {
		return "", fmt.Errorf("the answer has the line %.80q, want one that ends in CR LF", line)
	}
	return string(text), nil
}

// isToken reports whether a name consists of the characters of RFC 9110's tokens.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || 'z' < r) && (r < 'A' || 'Z' < r) && (r < '0' || '9' < r) && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}

// exactly reads so many bytes; fewer are an error.
type exactly struct {
	in   io.Reader
	left int64
}

// Read implements io.Reader.
func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.in.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	if errors.Is(err, io.EOF) && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// chunks reads a body in chunks, without extensions and trailers.
type chunks struct {
	in    *bufio.Reader
	chunk *exactly
	err   error
}

// Read implements io.Reader.
func (c *chunks) Read(p []byte) (int, error) {
	for c.err == nil && (c.chunk == nil || c.chunk.left == 0) {
		c.err = c.next()
	}
	if c.err != nil || len(p) == 0 {
		return 0, c.err
	}
	return c.chunk.Read(p)
}

// next goes on to the next chunk; io.EOF after the last.
func (c *chunks) next() error {
	left := maxHead
	if c.chunk != nil {
		if end, err := readLine(c.in, &left); err != nil || end != "" {
			return orBroken(err)
		}
	}
	size, err := readLine(c.in, &left)
	if err != nil {
		return orBroken(err)
	}
	n, err := strconv.ParseUint(size, 16, 62)
	if err != nil {
		return fmt.Errorf("the answer has a chunk of the length %.40q", size)
	}
	c.chunk = &exactly{in: c.in, left: int64(n)}
	if n > 0 {
		return nil
	}
	if end, err := readLine(c.in, &left); err != nil || end != "" {
		return orBroken(err)
	}
	return io.EOF
}

// orBroken is the error of a stream broken between its chunks.
func orBroken(err error) error {
	switch {
	case err == nil:
		return errors.New("the answer has a chunk that is longer than it says, or trailers")
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF
	}
	return err
}
