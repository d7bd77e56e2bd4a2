package api

import (
	"net/http"
	"time"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// refuse answers with a problem.
func (s *Server) refuse(w http.ResponseWriter, err error, caller authority.Caller) {
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
	body, err := protocol.Encode(problemOf(e))
	if err != nil {
		panic("api: an error is JSON: " + err.Error())
	}
	send(w, e.Status, body)
}

// reply answers with v as JSON. It sends an answer as a whole or not at all.
func reply(w http.ResponseWriter, status int, v any) error {
	body, err := protocol.Encode(v)
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
		w.Header().Set(protocol.MACHeader, mac)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has left
}

// patient gives the next write its time.
func patient(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writePatience)) // without deadlines (tests) it waits
}
