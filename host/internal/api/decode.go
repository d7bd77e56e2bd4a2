package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/text/strictjson"
)

// MaxBody is the largest request body, in bytes.
const MaxBody = 16 << 20

// bodyPatience is how long a body may take to arrive.
const bodyPatience = 30 * time.Second

// readJSON reads the body of r into v: one JSON object, UTF-8, no name twice, no name unknown to v,
// nothing behind it.
func (s *Server) readJSON(w http.ResponseWriter, r *http.Request, caller authority.Caller, v any) (release func(), err error) {
	if err := jsonContent(r); err != nil {
		return nil, err
	}
	body, release, err := s.readBody(w, r, caller, MaxBody)
	if err != nil {
		return nil, err
	}
	if err := decodeStrict(body, v); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// jsonContent requires a content type impossible for HTML forms.
func jsonContent(r *http.Request) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return failure(http.StatusUnsupportedMediaType, protocol.CodeMediaType, "send the header Content-Type: application/json")
	}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return failure(http.StatusUnsupportedMediaType, protocol.CodeMediaType, fmt.Sprintf("content encoding %q is not supported; send plain JSON", enc))
	}
	return nil
}

// smallBody is the largest size of a body without need for a place among the large ones.
const smallBody = 256 << 10

// largeBodies is the number of larger ones in memory at once, half of them for one token. With the
// limit of checks under way it bounds the daemon's memory for strangers.
const largeBodies = 32

// readBody reads at most most bytes. release gives a large body's place back; call it when
// the request is done.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, caller authority.Caller, most int64) (body []byte, release func(), err error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyPatience)) // without deadlines (tests) the header time-out still holds
	limited := http.MaxBytesReader(w, r.Body, most)
	var buf bytes.Buffer
	if _, err := io.CopyN(&buf, limited, smallBody); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, bodyError(err)
	}
	release = func() {}
	if buf.Len() == smallBody {
		if !s.large.enter(caller.Token) {
			return nil, nil, failure(http.StatusTooManyRequests, protocol.CodeTooManyRequests, "too many large requests are being processed; try again in a moment")
		}
		release = func() { s.large.leave(caller.Token) }
	}
	if _, err := buf.ReadFrom(limited); err != nil {
		release()
		return nil, nil, bodyError(err)
	}
	_ = control.SetReadDeadline(time.Time{}) // the wait for a human has no reading to do
	return buf.Bytes(), release, nil
}

func bodyError(err error) error {
	var over *http.MaxBytesError
	if errors.As(err, &over) {
		return tooLarge(over.Limit)
	}
	return failure(http.StatusBadRequest, protocol.CodeBadRequest, "the request body is incomplete: "+err.Error())
}

// decodeStrict reads one JSON object into v. Its errors are *Error.
func decodeStrict(body []byte, v any) error {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return failure(http.StatusBadRequest, protocol.CodeInvalidJSON, "the request body is not a JSON object")
	}
	err := json.Unmarshal(body, v, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	return decodeError(err)
}

func decodeError(err error) *protocol.Error {
	out := failure(http.StatusBadRequest, protocol.CodeInvalidJSON, "the request body is not valid JSON: "+err.Error())
	var f *strictjson.Fault
	if !errors.As(strictjson.Explain(err), &f) {
		return out
	}
	out.Field, out.Message = f.Field, f.Text
	switch {
	case f.Unknown:
		out.Code, out.Message = protocol.CodeUnknownField, "unknown field; the fields are listed in /v1/openapi.json"
	case !f.Syntax:
		out.Code = protocol.CodeBadRequest
	}
	return out
}

// params are the parameters of a request's query, each at most once.
type params map[string]string

// query reads the parameters of r. An unknown or repeated one is an error: a misspelt filter must
// not choose everything.
func query(r *http.Request, allowed ...string) (params, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, failure(http.StatusBadRequest, protocol.CodeBadRequest, "the query string cannot be parsed: "+err.Error())
	}
	p := params{}
	for name, texts := range values {
		switch {
		case !slices.Contains(allowed, name):
			return nil, badField(name, fmt.Sprintf("unknown parameter; want %s", orNone(allowed)))
		case len(texts) > 1:
			return nil, badField(name, "duplicate parameter")
		case !utf8.ValidString(texts[0]) || len(texts[0]) > 4096:
			return nil, badField(name, "want UTF-8 text of at most 4096 bytes")
		}
		p[name] = texts[0]
	}
	return p, nil
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// duration reads a time like "30s"; absent is 0.
func (p params) duration(name string) (time.Duration, error) {
	if p[name] == "" {
		return 0, nil
	}
	d, err := time.ParseDuration(p[name])
	if err != nil || d <= 0 {
		return 0, badField(name, fmt.Sprintf("%q: want a duration above 0, such as 30s", p[name]))
	}
	return d, nil
}

// time reads a point in time; absent is the zero time.
func (p params) time(name string) (time.Time, error) {
	if p[name] == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, p[name])
	if err != nil {
		return time.Time{}, badField(name, fmt.Sprintf("%q: want a time such as 2026-01-31T15:04:05Z", p[name]))
	}
	return t, nil
}

// number reads a whole number from 0 to most; absent is fallback.
func (p params) number(name string, fallback, most int64) (int64, error) {
	if p[name] == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(p[name], 10, 64)
	if err != nil || n < 0 || n > most {
		return 0, badField(name, fmt.Sprintf("%q: want a whole number from 0 to %d", p[name], most))
	}
	return n, nil
}

// flag reads true or false; absent is false.
func (p params) flag(name string) (bool, error) {
	switch p[name] {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	}
	return false, badField(name, fmt.Sprintf("%q: want true or false", p[name]))
}

// maxPerson bounds the name of who answers or changes something.
const maxPerson = 128

// person checks a name for the audit; empty becomes fallback.
func person(field, name, fallback string) (string, error) {
	if name == "" {
		return fallback, nil
	}
	if len(name) > maxPerson || !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return "", badField(field, fmt.Sprintf("want a printable name of at most %d bytes", maxPerson))
	}
	return name, nil
}

// inNameOf is the name of the person answering or changing something: the given one, else the
// token's. An approver's token is a person's, so its actions are in its own name, with any given
// name.
func inNameOf(field, name string, caller authority.Caller) (string, error) {
	name, err := person(field, name, caller.Token)
	if err == nil && caller.Kind == authority.Approver {
		name = caller.Token
	}
	return name, err
}
