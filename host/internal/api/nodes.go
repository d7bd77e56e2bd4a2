package api

import (
	"context"
	"net/http"
	"os"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// Team are the daemons of one store.
type Team interface {
	Nodes(ctx context.Context) ([]store.Node, error)
	// Epoch and CatchUp are those of store.Store.
	Epoch() int64
	CatchUp(ctx context.Context) error
}

func (s *Server) listNodes(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	out := wire.NodeList{Nodes: []wire.Node{}}
	if s.c.Team != nil {
		nodes, err := s.c.Team.Nodes(r.Context())
		if err != nil {
			return err
		}
		for _, n := range nodes {
			out.Nodes = append(out.Nodes, wire.Node(n))
		}
	}
	if len(out.Nodes) == 0 {
		host, _ := os.Hostname() // a name is a help, not a need
		out.Nodes = append(out.Nodes, wire.Node{Name: host, Version: s.c.Version, Since: s.started.UTC(), Seen: s.c.Now().UTC(), Alive: true, Self: true})
	}
	return reply(w, http.StatusOK, out)
}
