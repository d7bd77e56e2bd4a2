package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/wire"
)

// Gateway answers a gateway before it forwards a request to an MCP server, in the HTTP form of
// Envoy's ext_authz: the request itself, with its body, at /mcp/SERVER followed by its own path.
// Status 200 lets it pass; any other refuses it, with a JSON-RPC error for the client. A tools/call
// is judged as mcp__SERVER__TOOL for the agent of the check token, and may wait for a person.
// RATIONALE.md, "How does a gateway ask?".
func (s *Server) Gateway() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp/{server}/{rest...}", s.gateway)
	mux.HandleFunc("/mcp/{server}", s.gateway)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		refuseMCP(w, http.StatusNotFound, nil, "the gateway asks at another path than /mcp/SERVER: set its path prefix")
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		out := &tracked{ResponseWriter: w}
		defer s.recover(out, r)
		out.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(out, r)
	})
}

func (s *Server) gateway(w http.ResponseWriter, r *http.Request) {
	caller, err := s.entitled(w, r, needCheck)
	r, done := whileInForce(w, r)
	defer done()
	if err == nil && caller.Kind != authority.Checker {
		err = failure(http.StatusForbidden, protocol.CodeForbidden, "a gateway needs the check token of one agent")
	}
	if err == nil {
		err = s.judgeMCP(w, r, caller)
	}
	if err != nil {
		s.auditRefusal(r, caller, err)
		e := errorOf(err, caller)
		refuseMCP(w, max(e.Status, http.StatusBadRequest), nil, "Denied: "+e.Message+".")
	}
}

// maxServer bounds the name of a server, in bytes.
const maxServer = 64

// judgeMCP answers one request of a gateway. Its error is a refusal.
func (s *Server) judgeMCP(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	server := r.PathValue("server")
	if len(server) > maxServer || strings.Trim(server, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || strings.Contains(server, "__") {
		return badField("server", "the name of an MCP server has letters, digits, - and single _")
	}
	if !s.checks.enter(caller.Token) {
		return s.tooManyChecks()
	}
	defer s.checks.leave(caller.Token)
	body, release, err := s.readBody(w, r, caller, maxGateway)
	if err != nil {
		return err
	}
	defer release()
	switch {
	case r.Header.Get("X-Envoy-Auth-Partial-Body") == "true":
		return failure(http.StatusRequestEntityTooLarge, protocol.CodeTooLarge, "the gateway cut the request's body; raise max_request_bytes")
	case r.Header.Get("Content-Encoding") != "":
		return failure(http.StatusUnsupportedMediaType, protocol.CodeBadRequest, "a compressed body cannot be read")
	case r.Method == http.MethodGet || r.Method == http.MethodDelete:
		if len(body) > 0 {
			return failure(http.StatusBadRequest, protocol.CodeBadRequest, r.Method+" with a body is no request of MCP")
		}
		return passMCP(w)
	case r.Method != http.MethodPost:
		return failure(http.StatusMethodNotAllowed, protocol.CodeBadRequest, "MCP uses GET, POST and DELETE")
	}
	m, err := readMCP(body)
	if err != nil {
		return err
	}
	if m.call == nil {
		return passMCP(w)
	}
	req := wire.Request{Tool: "mcp__" + server + "__" + m.call.Name, Input: json.RawMessage(m.call.Arguments)}
	req.Context.Session = r.Header.Get("Mcp-Session-Id")
	res, err := s.c.Gate.Check(r.Context(), caller, req, nil)
	s.feed.publish(protocol.EventDecision, decisionEvent(req, caller, res))
	switch {
	case err != nil:
		return err
	case res.Decision.Behavior == engine.Allow:
		return passMCP(w)
	}
	refuseMCP(w, http.StatusForbidden, m.id, cmp.Or(res.Decision.Message, res.Decision.Reason, "Denied."))
	return nil
}

// maxGateway is the largest body of a gateway, in bytes.
const maxGateway = 4 << 20

func passMCP(w http.ResponseWriter) error {
	patient(w)
	w.WriteHeader(http.StatusOK)
	return nil
}

// refusedMCP is the code of a JSON-RPC error for a denied call, in the range of servers.
const refusedMCP = -32001

// refuseMCP answers with a JSON-RPC error, which a gateway hands to the client.
func refuseMCP(w http.ResponseWriter, status int, id json.RawMessage, message string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": refusedMCP, "message": message}})
	if err != nil {
		body = nil // the status alone refuses
	}
	patient(w)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client has left
}

// mcpMessage is one JSON-RPC message.
type mcpMessage struct {
	id   json.RawMessage
	call *mcpCall // of tools/call; nil for a message that calls no tool
}

// mcpCall are the parameters of tools/call.
type mcpCall struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments,omitempty"`
	Meta      jsontext.Value `json:"_meta,omitempty"`
	Task      jsontext.Value `json:"task,omitempty"`
}

// callsNothing are the methods that call no tool. Any other is refused.
var callsNothing = map[string]bool{
	"initialize": true, "ping": true, "server/discover": true, "tools/list": true, "logging/setLevel": true, "completion/complete": true,
	"resources/list": true, "resources/templates/list": true, "resources/read": true, "resources/subscribe": true, "resources/unsubscribe": true,
	"prompts/list": true, "prompts/get": true, "tasks/get": true, "tasks/result": true, "tasks/list": true, "tasks/cancel": true,
	"notifications/initialized": true, "notifications/cancelled": true, "notifications/progress": true, "notifications/roots/list_changed": true,
	"notifications/tasks/status": true,
}

// readMCP reads one message. A member that another parser could read as one of ours ("Method") is
// refused, and so are batches.
func readMCP(body []byte) (m mcpMessage, err error) {
	var raw struct {
		Version string         `json:"jsonrpc"`
		ID      jsontext.Value `json:"id,omitempty"`
		Method  *string        `json:"method,omitempty"`
		Params  jsontext.Value `json:"params,omitempty"`
		Result  jsontext.Value `json:"result,omitempty"`
		Error   jsontext.Value `json:"error,omitempty"`
	}
	if err := decodeStrict(body, &raw); err != nil {
		return m, err
	}
	if k := raw.ID.Kind(); len(raw.ID) > 0 && k != '"' && k != '0' {
		return m, badField("id", "want a text or a number")
	}
	m.id = json.RawMessage(raw.ID)
	answer := len(raw.Result) > 0 || len(raw.Error) > 0
	switch {
	case raw.Version != "2.0":
		return m, badField("jsonrpc", `want "2.0"`)
	case raw.Method == nil && answer, raw.Method != nil && !answer && callsNothing[*raw.Method]:
		return m, nil
	case raw.Method == nil || answer || *raw.Method != "tools/call":
		return m, badField("method", "Callgate does not know this method of MCP, so it does not pass")
	}
	m.call = &mcpCall{}
	if err := jsonv2.Unmarshal(raw.Params, m.call, jsonv2.RejectUnknownMembers(true)); err != nil {
		return m, badField("params", "these are no parameters of tools/call: "+err.Error())
	}
	if m.call.Name == "" {
		return m, badField("params.name", "missing")
	}
	if m.call.Arguments == nil {
		m.call.Arguments = jsontext.Value("{}")
	}
	if !bytes.HasPrefix(m.call.Arguments, []byte("{")) {
		return m, badField("params.arguments", "want an object")
	}
	return m, nil
}
