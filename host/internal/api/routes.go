package api

import (
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
)

// need is a route's requirement.
type need uint8

// The zero need is an admin's token.
const (
	needAdmin    need = iota
	needApprover      // a token of who answers
	needCheck         // a token for checking calls
	needChat          // a token of an approver, or a trusted one
	needToken         // any token
	needNobody        // none
)

// mayUse are the token kinds for a need: with the routes the token x route matrix of threat T13.
var mayUse = map[need][]authority.TokenKind{
	needAdmin:    {authority.Admin},
	needApprover: {authority.Approver, authority.Admin},
	needCheck:    {authority.Checker, authority.Integrator, authority.Admin},
	needChat:     {authority.Approver, authority.Integrator, authority.Admin},
	needToken:    {authority.Checker, authority.Approver, authority.Integrator, authority.Admin},
}

// agents reports whether an agent's own account may use such a route.
func (n need) agents() bool { return n == needCheck || n == needToken || n == needNobody }

// handler answers one request. An error becomes a problem, unless the answer has
// begun.
type handler func(s *Server, w http.ResponseWriter, r *http.Request, caller authority.Caller) error

// route is one operation.
type route struct {
	method, path string
	need         need
	// widens marks a widening operation, for any request: a person must be present.
	widens bool
	handle handler
}

// routes are all operations; openapi.json describes the same (a test compares).
var routes = []route{
	{method: http.MethodGet, path: "/v1/health", need: needNobody, handle: (*Server).health},
	{method: http.MethodGet, path: "/livez", need: needNobody, handle: (*Server).live},
	{method: http.MethodGet, path: "/readyz", need: needNobody, handle: (*Server).ready},
	{method: http.MethodGet, path: "/metrics", need: needApprover, handle: (*Server).metrics},
	{method: http.MethodGet, path: "/v1/openapi.json", need: needNobody, handle: (*Server).openapi},
	{method: http.MethodPost, path: "/v1/check", need: needCheck, handle: (*Server).check},
	{method: http.MethodPost, path: "/v1/evaluate", need: needToken, handle: (*Server).evaluate},
	{method: http.MethodPost, path: "/v1/offer", need: needToken, handle: (*Server).offer},
	{method: http.MethodPost, path: "/v1/calls/finished", need: needCheck, handle: (*Server).finishCall},
	{method: http.MethodGet, path: "/v1/asks", need: needApprover, handle: (*Server).listAsks},
	{method: http.MethodGet, path: "/v1/asks/{id}", need: needApprover, handle: (*Server).getAsk},
	{method: http.MethodPost, path: "/v1/asks/{id}/answer", need: needApprover, handle: (*Server).answerAsk},
	{method: http.MethodPost, path: "/v1/asks/{id}/challenge", need: needApprover, handle: (*Server).challengeAnswer},
	{method: http.MethodPost, path: "/v1/asks/{id}/seen", need: needApprover, handle: (*Server).seenAsk},
	{method: http.MethodGet, path: "/v1/rules", need: needApprover, handle: (*Server).listRules},
	{method: http.MethodPost, path: "/v1/rules", need: needApprover, handle: (*Server).addRule},
	{method: http.MethodDelete, path: "/v1/rules/{id}", need: needApprover, handle: (*Server).removeRule},
	{method: http.MethodPost, path: "/v1/rules/test", need: needApprover, handle: (*Server).testRule},
	{method: http.MethodPost, path: "/v1/rules/simulate", need: needApprover, handle: (*Server).simulateRules},
	{method: http.MethodPost, path: "/v1/rules/changes", need: needApprover, handle: (*Server).changeRules},
	{method: http.MethodPost, path: "/v1/command", need: needChat, handle: (*Server).command},
	{method: http.MethodGet, path: "/v1/tools", need: needApprover, handle: (*Server).listTools},
	{method: http.MethodGet, path: "/v1/tools/{name}", need: needApprover, handle: (*Server).getTool},
	{method: http.MethodGet, path: "/v1/modules", need: needApprover, handle: (*Server).listModules},
	{method: http.MethodPut, path: "/v1/modules/{file}", need: needAdmin, handle: (*Server).putModule},
	{method: http.MethodDelete, path: "/v1/modules/{file}", need: needApprover, widens: true, handle: (*Server).removeModule},
	{method: http.MethodPost, path: "/v1/modules/{file}/pin", need: needAdmin, handle: (*Server).pinModule},
	{method: http.MethodPost, path: "/v1/modules/{file}/rollback", need: needAdmin, handle: (*Server).rollbackModule},
	{method: http.MethodPost, path: "/v1/modules/{file}/diff", need: needAdmin, handle: (*Server).diffModule},
	{method: http.MethodPost, path: "/v1/modules/reload", need: needApprover, handle: (*Server).reloadModules},
	{method: http.MethodGet, path: "/v1/profiles", need: needApprover, handle: (*Server).listProfiles},
	{method: http.MethodPost, path: "/v1/profiles/reset", need: needApprover, widens: true, handle: (*Server).resetProfiles},
	{method: http.MethodPost, path: "/v1/agents/{name}/profile", need: needApprover, handle: (*Server).giveProfile},
	{method: http.MethodPost, path: "/v1/agents/{name}/profile/reset", need: needApprover, handle: (*Server).resetProfile},
	{method: http.MethodGet, path: "/v1/folders", need: needApprover, handle: (*Server).listFolders},
	{method: http.MethodPost, path: "/v1/folders", need: needApprover, widens: true, handle: (*Server).trustFolder},
	{method: http.MethodDelete, path: "/v1/folders/{id}", need: needApprover, handle: (*Server).forgetFolder},
	{method: http.MethodPost, path: "/v1/folders/reset", need: needApprover, handle: (*Server).forgetFolders},
	{method: http.MethodPost, path: "/v1/mcp/tools", need: needCheck, handle: (*Server).compareMCPTools},
	{method: http.MethodGet, path: "/v1/mcp/servers", need: needApprover, handle: (*Server).listMCPServers},
	{method: http.MethodPost, path: "/v1/mcp/servers/{id}/accept", need: needApprover, widens: true, handle: (*Server).acceptMCPTools},
	{method: http.MethodDelete, path: "/v1/mcp/servers/{id}", need: needApprover, handle: (*Server).forgetMCPServer},
	{method: http.MethodGet, path: "/v1/config", need: needApprover, handle: (*Server).getConfig},
	{method: http.MethodPost, path: "/v1/config/accept", need: needApprover, widens: true, handle: (*Server).acceptConfig},
	{method: http.MethodGet, path: "/v1/sessions", need: needApprover, handle: (*Server).listSessions},
	{method: http.MethodGet, path: "/v1/sessions/{id}", need: needApprover, handle: (*Server).getSession},
	{method: http.MethodPost, path: "/v1/sessions/{id}/mode", need: needApprover, handle: (*Server).setMode},
	{method: http.MethodPut, path: "/v1/sessions/{id}/lists", need: needChat, handle: (*Server).setLists},
	{method: http.MethodPost, path: "/v1/sessions/{id}/clear", need: needApprover, handle: (*Server).clearSession},
	{method: http.MethodPost, path: "/v1/sessions/{id}/interrupt", need: needApprover, handle: (*Server).interruptSession},
	{method: http.MethodPost, path: "/v1/sessions/{id}/exit-fork", need: needApprover, handle: (*Server).exitFork},
	{method: http.MethodPost, path: "/v1/sessions/{id}/resume", need: needApprover, widens: true, handle: (*Server).resumeSession},
	{method: http.MethodGet, path: "/v1/audit", need: needApprover, handle: (*Server).searchAudit},
	{method: http.MethodGet, path: "/v1/audit/export", need: needApprover, handle: (*Server).exportAudit},
	{method: http.MethodGet, path: "/v1/audit/tally", need: needApprover, handle: (*Server).tallyAudit},
	{method: http.MethodGet, path: "/v1/audit/verify", need: needApprover, handle: (*Server).verifyAudit},
	{method: http.MethodGet, path: "/v1/audit/rows/{seq}", need: needApprover, handle: (*Server).showAudit},
	{method: http.MethodGet, path: "/v1/audit/rows/{seq}/proof", need: needApprover, handle: (*Server).proveAudit},
	{method: http.MethodGet, path: "/v1/audit/checkpoint", need: needApprover, handle: (*Server).auditCheckpoint},
	{method: http.MethodPost, path: "/v1/audit/prune", need: needApprover, handle: (*Server).pruneAudit},
	{method: http.MethodGet, path: "/v1/presence", need: needApprover, handle: (*Server).getPresence},
	{method: http.MethodPost, path: "/v1/presence/unlock", need: needApprover, handle: (*Server).unlock},
	{method: http.MethodPost, path: "/v1/presence/set", need: needApprover, handle: (*Server).setPIN},
	{method: http.MethodPost, path: "/v1/presence/lock", need: needApprover, handle: (*Server).lock},
	{method: http.MethodPost, path: "/v1/presence/reset", need: needAdmin, handle: (*Server).resetPIN},
	{method: http.MethodGet, path: "/v1/passkeys", need: needApprover, handle: (*Server).listPasskeys},
	{method: http.MethodPost, path: "/v1/passkeys/challenge", need: needApprover, widens: true, handle: (*Server).enrolPasskey},
	{method: http.MethodPost, path: "/v1/passkeys", need: needApprover, widens: true, handle: (*Server).addPasskey},
	{method: http.MethodDelete, path: "/v1/passkeys/{id}", need: needApprover, handle: (*Server).revokePasskey},
	{method: http.MethodGet, path: "/v1/push", need: needApprover, handle: (*Server).listPush},
	{method: http.MethodPost, path: "/v1/push", need: needApprover, handle: (*Server).addPush},
	{method: http.MethodDelete, path: "/v1/push/{id}", need: needApprover, handle: (*Server).removePush},
	{method: http.MethodGet, path: "/v1/tokens", need: needAdmin, handle: (*Server).listTokens},
	{method: http.MethodPost, path: "/v1/tokens", need: needAdmin, widens: true, handle: (*Server).createToken},
	{method: http.MethodPost, path: "/v1/tokens/{name}/rotate", need: needAdmin, widens: true, handle: (*Server).rotateToken},
	{method: http.MethodPost, path: "/v1/tokens/{name}/revoke", need: needAdmin, handle: (*Server).revokeToken},
	{method: http.MethodPost, path: "/v1/console", need: needApprover, handle: (*Server).openConsole},
	{method: http.MethodGet, path: "/v1/nodes", need: needApprover, handle: (*Server).listNodes},
	{method: http.MethodGet, path: "/v1/hooks", need: needApprover, handle: (*Server).listHooks},
	{method: http.MethodGet, path: "/v1/events", need: needApprover, handle: (*Server).events},
}

// handler is all routes behind the guard.
func (s *Server) handler() http.Handler {
	mux, paths := http.NewServeMux(), http.NewServeMux()
	known := map[string]bool{}
	for _, rt := range routes {
		if !known[rt.path] {
			known[rt.path] = true
			paths.Handle(rt.path, http.NotFoundHandler()) // only lists existing paths
		}
		mux.HandleFunc(rt.method+" "+rt.path, func(w http.ResponseWriter, r *http.Request) {
			caller, err := s.entitled(w, r, rt.need)
			r, done := whileInForce(w, r)
			defer done()
			if err == nil && rt.widens {
				err = s.present(r, caller)
			}
			if err == nil {
				err = rt.handle(s, w, r, caller)
			}
			if err != nil {
				s.auditRefusal(r, caller, err)
				s.refuse(w, err, caller)
			}
		})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		err := failure(http.StatusNotFound, protocol.CodeNotFound, "unknown operation; the operations are listed in /v1/openapi.json")
		if _, pattern := paths.Handler(r); pattern != "" {
			err = failure(http.StatusMethodNotAllowed, protocol.CodeBadRequest, "method not allowed here; the operations are listed in /v1/openapi.json")
		}
		if caller, refused := s.entitled(w, r, needToken); refused == nil {
			s.auditRefusal(r, caller, err)
		}
		s.refuse(w, err, authority.Caller{})
	})
	return s.guarded(mux)
}
