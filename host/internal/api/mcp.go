package api

import (
	"cmp"
	"net/http"
	"strconv"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/mcptools"
	"github.com/callgate/callgate/host/wire"
)

// compareMCPTools tells how the definitions of a server's tools stand. With wait it asks a person
// about those not accepted, as about a call: the agent's rules, mode and approvers decide.
func (s *Server) compareMCPTools(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	q, err := query(r, "wait")
	if err != nil {
		return err
	}
	wait, err := strconv.ParseBool(cmp.Or(q["wait"], "false"))
	if err != nil {
		return badField("wait", "want true or false")
	}
	var body wire.MCPToolsRequest
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	server := body.Context.Server
	if server == nil {
		return badField("context.server", "name the MCP server")
	}
	agent := cmp.Or(body.Context.Agent, config.DefaultAgent)
	if caller.Kind == authority.Checker {
		if body.Context.Agent != "" && body.Context.Agent != caller.Agent {
			return badField("context.agent", "this token belongs to another agent")
		}
		agent = caller.Agent
	}
	key := mcptools.Key{Agent: agent, Name: server.Name, Definition: server.Definition}
	compared, err := s.c.MCP.Compare(r.Context(), key, body.Program, body.Tools)
	if err != nil {
		return err
	}
	out := wire.MCPTools{Tools: compared.States}
	if !wait || compared.Tool == "" {
		return reply(w, http.StatusOK, out)
	}
	if !s.checks.enter(caller.Token) {
		return s.tooManyChecks()
	}
	defer s.checks.leave(caller.Token)
	req := wire.Request{Tool: compared.Tool, Input: compared.Input, Texts: compared.Texts, Context: body.Context}
	req.Context.Server = nil // the question is of no tool of the server
	res, err := s.c.Gate.Check(r.Context(), caller, req, func(*ask.Event) {})
	s.feed.publish(protocol.EventDecision, decisionEvent(req, caller, res))
	if err != nil {
		return err
	}
	out.Reason = cmp.Or(res.Decision.Message, res.Decision.Reason)
	if res.Decision.Behavior != engine.Allow {
		return reply(w, http.StatusOK, out)
	}
	if out.Tools, err = s.c.MCP.Accept(r.Context(), compared, cmp.Or(res.DecidedBy, string(res.Decision.Stage)), res.AskID); err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

func (s *Server) listMCPServers(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	all, err := s.c.MCP.List(r.Context())
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, wire.MCPServerList{Servers: all})
}

func (s *Server) acceptMCPTools(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body protocol.AcceptMCPTools
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	if err := s.mayChangeMCP(r, caller); err != nil {
		return err
	}
	out, err := s.c.MCP.AcceptWaiting(r.Context(), r.PathValue("id"), body.Digests, by)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// mayChangeMCP refuses an approver's token a server of an agent whose calls its person may not
// answer alone.
func (s *Server) mayChangeMCP(r *http.Request, caller authority.Caller) error {
	all, err := s.c.MCP.List(r.Context())
	if err != nil {
		return err
	}
	for _, server := range all {
		if server.ID == r.PathValue("id") {
			return s.c.Gate.MayTrustFolder(caller, server.Agent)
		}
	}
	return mcptools.ErrUnknown
}

func (s *Server) forgetMCPServer(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	out, err := s.c.MCP.Forget(r.Context(), r.PathValue("id"), by)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}
