package console

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/callgate/callgate/host/internal/client/protocol"
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

// check is one line of the page of health.
type check struct {
	State, Name, Text, Fix string
}

func (s *Server) health(w http.ResponseWriter, r *http.Request, of *session) error {
	if err := only(r.URL.Query()); err != nil {
		return err
	}
	h, err := of.client.Health(r.Context())
	if err != nil {
		return err
	}
	checks := daemonChecks(h)
	if p, err := of.client.Presence(r.Context()); err == nil {
		switch {
		case p.Locked:
			checks = append(checks, check{"error", "Approver PIN", "The PIN is locked: " + p.Why, "callgate pin reset"})
		case !p.Set:
			checks = append(checks, check{"warning", "Approver PIN", "No PIN is set, so no approval is possible on this machine.", "callgate pin set"})
		default:
			checks = append(checks, check{"passed", "Approver PIN", "A PIN is set.", ""})
		}
	}
	if hooks, err := of.client.Hooks(r.Context()); err == nil {
		for _, p := range hooks.Probes {
			if !p.Judged() {
				checks = append(checks, check{"error", "Hook of " + p.Client, p.Text, "callgate agents --probe"})
			}
		}
	}
	if c, err := of.client.ConfigState(r.Context()); err == nil {
		switch {
		case c.Problem != "":
			checks = append(checks, check{"error", "Configuration", c.Problem, "callgate config check"})
		case c.Pending != "":
			checks = append(checks, check{"warning", "Configuration", "Changes of the file wait until a person accepts them.", "callgate config accept"})
		default:
			checks = append(checks, check{"passed", "Configuration", "The file holds as it is.", ""})
		}
	}
	return s.render(w, http.StatusOK, "health", framed(r, of, "Health", "/health", checks))
}

// sandboxChecks are those of the modules' sandbox: a missing feature costs time, not safety.
func sandboxChecks(s *wire.Sandbox) (checks []check) {
	if s == nil {
		return nil
	}
	if !s.Tracking {
		checks = append(checks, check{"warning", "Sandbox", "The memory of modules is restored completely after each call, which is slower.", ""})
	}
	if !s.Kept {
		checks = append(checks, check{"warning", "Sandbox", "Compiled modules are not cached: each start compiles them again.", ""})
	}
	if !s.Apart {
		checks = append(checks, check{"warning", "Sandbox", "Modules are compiled in the daemon's own process: a malicious module may slow it down.", ""})
	}
	state := "passed"
	if s.UsedMiB > s.MemoryMiB/10*9 {
		state = "warning"
	}
	return append(checks, check{state, "Sandbox memory", fmt.Sprintf("Modules use %d of %d MiB of memory.", s.UsedMiB, s.MemoryMiB), ""})
}

// daemonChecks are the daemon's own findings.
func daemonChecks(h protocol.Health) []check {
	checks := []check{{"passed", "Daemon", "Version " + h.Version + ", up since " + h.StartedAt.Local().Format(time.DateTime) + ".", ""}}
	for _, id := range h.RefusedRules {
		checks = append(checks, check{"error", "Rule " + id, "It was changed outside Callgate and is not used.", "callgate rules remove " + id})
	}
	for _, problem := range h.ModuleProblems {
		checks = append(checks, check{"error", "Tool module", problem, "callgate tool list"})
	}
	if len(h.RefusedRules)+len(h.ModuleProblems) == 0 {
		checks = append(checks, check{"passed", "Rules and modules", "Stored rules are intact; every module is usable.", ""})
	}
	if places := slices.DeleteFunc(slices.Clone(h.Surfaces), func(name string) bool { return name == "api" }); len(places) > 0 {
		checks = append(checks, check{"passed", "Approvers", "Asks are shown at: " + strings.Join(places, ", ") + ".", ""})
	} else {
		checks = append(checks, check{"warning", "Approvers", "No approver is connected. Asks will time out and be denied.", "callgate asks watch"})
	}
	checks = append(checks, sandboxChecks(h.Sandbox)...)
	if d := h.Discord; d != nil {
		state := "passed"
		if d.Configured && !d.Connected {
			state = "warning"
		}
		fix := ""
		if state != "passed" {
			fix = d.Fix()
		}
		checks = append(checks, check{state, "Discord", d.String(), fix})
	}
	return checks
}
