package api

import (
	"net/http"

	"github.com/callgate/callgate/host/gate"
)

// need is what a route wants to see before it answers.
type need uint8

// The zero need is an admin's token.
const (
	needAdmin  need = iota
	needCheck       // any token
	needNobody      // none
)

// handler answers one request. An error becomes a problem, unless the answer has
// begun.
type handler func(s *Server, w http.ResponseWriter, r *http.Request, caller gate.Caller) error

// route is one operation.
type route struct {
	method, path string
	need         need
	handle       handler
}

// routes are all operations; openapi.json describes the same (a test compares).
// This table is the token x route matrix of threat T13.
var routes = []route{
	{http.MethodGet, "/v1/health", needNobody, (*Server).health},
	{http.MethodGet, "/v1/openapi.json", needNobody, (*Server).openapi},
	{http.MethodPost, "/v1/check", needCheck, (*Server).check},
	{http.MethodPost, "/v1/evaluate", needCheck, (*Server).evaluate},
	{http.MethodGet, "/v1/asks", needAdmin, (*Server).listAsks},
	{http.MethodGet, "/v1/asks/{id}", needAdmin, (*Server).getAsk},
	{http.MethodPost, "/v1/asks/{id}/answer", needAdmin, (*Server).answerAsk},
	{http.MethodPost, "/v1/asks/{id}/seen", needAdmin, (*Server).seenAsk},
	{http.MethodGet, "/v1/rules", needAdmin, (*Server).listRules},
	{http.MethodPost, "/v1/rules", needAdmin, (*Server).addRule},
	{http.MethodDelete, "/v1/rules/{id}", needAdmin, (*Server).removeRule},
	{http.MethodPost, "/v1/rules/test", needAdmin, (*Server).testRule},
	{http.MethodGet, "/v1/tools", needAdmin, (*Server).listTools},
	{http.MethodGet, "/v1/tools/{name}", needAdmin, (*Server).getTool},
	{http.MethodGet, "/v1/sessions", needAdmin, (*Server).listSessions},
	{http.MethodPost, "/v1/sessions/{id}/mode", needAdmin, (*Server).setMode},
	{http.MethodPost, "/v1/sessions/{id}/clear", needAdmin, (*Server).clearSession},
	{http.MethodPost, "/v1/sessions/{id}/interrupt", needAdmin, (*Server).interruptSession},
	{http.MethodPost, "/v1/sessions/{id}/exit-fork", needAdmin, (*Server).exitFork},
	{http.MethodPost, "/v1/sessions/{id}/resume", needAdmin, (*Server).resumeSession},
	{http.MethodGet, "/v1/audit", needAdmin, (*Server).searchAudit},
	{http.MethodGet, "/v1/audit/export", needAdmin, (*Server).exportAudit},
	{http.MethodGet, "/v1/audit/verify", needAdmin, (*Server).verifyAudit},
	{http.MethodGet, "/v1/events", needAdmin, (*Server).events},
}

// handler is all routes behind the guard.
func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for _, rt := range routes {
		mux.HandleFunc(rt.method+" "+rt.path, func(w http.ResponseWriter, r *http.Request) {
			caller, err := s.entitled(r, rt.need)
			if err == nil {
				err = rt.handle(s, w, r, caller)
			}
			if err != nil {
				s.refuse(w, err, caller)
			}
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, failure(http.StatusNotFound, CodeNotFound, "there is no such operation: /v1/openapi.json lists them"), gate.Caller{})
	})
	return s.guarded(mux)
}
