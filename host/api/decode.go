package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/internal/strictjson"
)

// MaxBody is the largest request body, in bytes.
const MaxBody = 16 << 20

// bodyPatience is how long a body may take to arrive.
const bodyPatience = 30 * time.Second

// readJSON reads the body of r into v: one JSON object, UTF-8, no name twice, no
// name that v does not know, nothing behind it.
func (s *Server) readJSON(w http.ResponseWriter, r *http.Request, caller gate.Caller, v any) (release func(), err error) {
	if err := jsonContent(r); err != nil {
		return nil, err
	}
	body, release, err := s.readBody(w, r, caller)
	if err != nil {
		return nil, err
	}
	if err := decodeStrict(body, v); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// jsonContent wants the content type that no HTML form can send.
func jsonContent(r *http.Request) error {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return failure(http.StatusUnsupportedMediaType, CodeMediaType, "send the header Content-Type: application/json")
	}
	if enc := r.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return failure(http.StatusUnsupportedMediaType, CodeMediaType, fmt.Sprintf("content encoding %q is not read: send plain JSON", enc))
	}
	return nil
}

// smallBody is the size up to which a body needs no place among the large ones.
const smallBody = 256 << 10

// largeBodies is how many larger ones are held in memory at once, half of them
// for one token. With the limit of checks under way it bounds what strangers can
// make the daemon hold.
const largeBodies = 32

// readBody reads at most MaxBody bytes. release gives a large body's place back;
// call it when the request is done.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, caller gate.Caller) (body []byte, release func(), err error) {
	return s.readUpTo(w, r, caller, MaxBody)
}

// readUpTo is readBody for at most most bytes.
func (s *Server) readUpTo(w http.ResponseWriter, r *http.Request, caller gate.Caller, most int64) (body []byte, release func(), err error) {
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
			return nil, nil, failure(http.StatusTooManyRequests, CodeTooManyRequests, "too many large requests are being worked on: try again in a moment")
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
	return failure(http.StatusBadRequest, CodeBadRequest, "the body did not arrive whole: "+err.Error())
}

// decodeStrict reads one JSON object into v. Its errors are *Error.
func decodeStrict(body []byte, v any) error {
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '{' {
		return failure(http.StatusBadRequest, CodeInvalidJSON, "the body is not a JSON object")
	}
	err := json.Unmarshal(body, v, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	return decodeError(err)
}

func decodeError(err error) *Error {
	out := failure(http.StatusBadRequest, CodeInvalidJSON, "the body is not strict JSON: "+err.Error())
	var f *strictjson.Fault
	if !errors.As(strictjson.Explain(err), &f) {
		return out
	}
	out.Field, out.Message = f.Field, f.Text
	switch {
	case f.Unknown:
		out.Code, out.Message = CodeUnknownField, "there is no such member: the names are in /v1/openapi.json"
	case !f.Syntax:
		out.Code = CodeBadRequest
	}
	return out
}
