package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/host/gate"
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
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyPatience)) // without deadlines (tests) the header time-out still holds
	limited := http.MaxBytesReader(w, r.Body, MaxBody)
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
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return failure(http.StatusRequestEntityTooLarge, CodeTooLarge, fmt.Sprintf("the body is larger than %d MiB", MaxBody>>20))
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
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &syntactic):
		out.Field = dotted(syntactic.JSONPointer)
		out.Message = fmt.Sprintf("not strict JSON at byte %d: %s", syntactic.ByteOffset, cause(syntactic.Err, err))
	case errors.As(err, &semantic):
		out.Code, out.Field = CodeBadRequest, dotted(semantic.JSONPointer)
		out.Message = semanticText(semantic)
		if errors.Is(err, json.ErrUnknownName) {
			out.Code, out.Message = CodeUnknownField, "there is no such member: the names are in /v1/openapi.json"
		}
	}
	return out
}

func semanticText(e *json.SemanticError) string {
	if e.Err != nil {
		return e.Err.Error()
	}
	got, want := "this value", "another type"
	if e.JSONKind != 0 {
		got = "a JSON " + e.JSONKind.String()
	}
	if e.GoType != nil {
		want = wireType(e.GoType.Kind().String())
	}
	return fmt.Sprintf("got %s, want %s", got, want)
}

// wireType names a Go kind as JSON does.
func wireType(kind string) string {
	switch {
	case kind == "string" || kind == "bool":
		return "a JSON " + strings.Replace(kind, "bool", "boolean", 1)
	case kind == "slice" || kind == "array":
		return "a JSON array"
	case kind == "map" || kind == "struct":
		return "a JSON object"
	case strings.HasPrefix(kind, "int") || strings.HasPrefix(kind, "uint") || strings.HasPrefix(kind, "float"):
		return "a JSON number in range"
	}
	return "another type"
}

func cause(inner, outer error) string {
	if inner != nil {
		return inner.Error()
	}
	return outer.Error()
}

// dotted writes a JSON pointer as a.b.0.
func dotted(p jsontext.Pointer) string {
	var parts []string
	for token := range p.Tokens() {
		parts = append(parts, token)
	}
	return strings.Join(parts, ".")
}
