package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"time"

	"github.com/callgate/callgate/host/gate"
)

// refuse answers with a problem.
func (s *Server) refuse(w http.ResponseWriter, err error, caller gate.Caller) {
	e := errorOf(err, caller)
	if e.Status >= http.StatusInternalServerError {
		s.c.Log.Error("request failed", "code", e.Code, "error", err)
	}
	switch e.Status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="callgate"`)
	case http.StatusTooManyRequests:
		w.Header().Set("Retry-After", "1")
	}
	body, err := encode(problemOf(e))
	if err != nil {
		panic("api: an error is JSON: " + err.Error())
	}
	send(w, e.Status, body)
}

// reply answers with v as JSON. Nothing is sent of what cannot be written whole.
func reply(w http.ResponseWriter, status int, v any) error {
	body, err := encode(v)
	if err != nil {
		return err
	}
	send(w, status, body)
	return nil
}

func send(w http.ResponseWriter, status int, body []byte) {
	patient(w)
	w.Header().Set("Content-Type", "application/json")
	if mac := macOf(w, status, body); mac != "" {
		w.Header().Set(macHeader, mac)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has left
}

// patient gives the next write its time.
func patient(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writePatience)) // without deadlines (tests) it waits
}

// encode writes v as one line of JSON.
func encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
