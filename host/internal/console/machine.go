package console

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/callgate/callgate/host/internal/machine/checkup"
	"github.com/callgate/callgate/host/internal/machine/finding"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// toolsPage are the tool modules with their permissions, and the tools.
type toolsPage struct {
	Modules wire.ModuleList
	Tools   []wire.Tool
	Servers []wire.MCPServer
}

func (s *Server) tools(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	var body toolsPage
	var err error
	if body.Modules, err = of.client.Modules(r.Context()); err != nil {
		return err
	}
	if body.Tools, err = of.client.Tools(r.Context()); err != nil {
		return err
	}
	if body.Servers, err = of.client.MCPServers(r.Context()); err != nil {
		return err
	}
	return s.render(w, http.StatusOK, "tools", framed(r, of, "Tools", "/tools", body))
}

// maxSessionsShown bounds the sessions on the page of agents.
const maxSessionsShown = 100

// agentsPage are the sessions by agent, the folders trusted for them, and the last probes of the hooks.
type agentsPage struct {
	Sessions []seenSession
	Folders  []wire.Folder
	Hooks    wire.HookProbes
	// Accounts are those of agents that the daemon holds apart from its own, by UID; Apart is level B.
	Accounts []int
	Apart    bool
}

// seenSession is a session and whether it was in use of late.
type seenSession struct {
	store.Session
	Alive bool
}

// aliveFor is how long after its last call a session counts as in use.
const aliveFor = 5 * time.Minute

func (s *Server) agents(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	sessions, err := of.client.Sessions(r.Context(), store.SessionFilter{Limit: maxSessionsShown})
	if err != nil {
		return err
	}
	var body agentsPage
	for _, one := range sessions {
		body.Sessions = append(body.Sessions, seenSession{one, s.c.Now().Sub(one.SeenAt) < aliveFor})
	}
	if body.Folders, err = of.client.Folders(r.Context(), ""); err != nil {
		return err
	}
	if body.Hooks, err = of.client.Hooks(r.Context()); err != nil {
		return err
	}
	h, err := of.client.Health(r.Context())
	if err != nil {
		return err
	}
	body.Accounts, body.Apart = h.AgentAccounts, len(h.AgentAccounts) > 0
	return s.render(w, http.StatusOK, "agents", framed(r, of, "Agents", "/agents", body))
}

// health shows the findings of the check-up that `callgate doctor` makes of the daemon, the worst first.
func (s *Server) health(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	h, err := of.client.Health(r.Context())
	if err != nil {
		return err
	}
	found := checkup.Run(r.Context(), checkup.Subject{Daemon: of.client, Health: h, Now: s.c.Now()})
	slices.SortStableFunc(found, func(a, b finding.Finding) int {
		return cmp.Compare(slices.Index(gravest, a.State), slices.Index(gravest, b.State))
	})
	return s.render(w, http.StatusOK, "health", framed(r, of, "Health", "/health", found))
}

// gravest are the states of checks in the order of the page.
var gravest = []finding.State{finding.Error, finding.Warning, finding.Skipped, finding.Passed}
