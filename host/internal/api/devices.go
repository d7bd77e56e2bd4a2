package api

import (
	"context"
	"net/http"

	"github.com/callgate/callgate/host/internal/approval/authority"
)

// deviceOwner is the person of a request about their devices, by their name in the configuration;
// missing is the error of a daemon that keeps none.
func (s *Server) deviceOwner(by string, caller authority.Caller, kept bool, missing error) (string, error) {
	if !kept {
		return "", missing
	}
	return s.c.Gate.Person(caller, by, nil, false).Name, nil
}

// removeDevice ends a device of the caller's person, or anybody's for an admin. It only narrows, so it
// wants no PIN.
func removeDevice[T any](s *Server, r *http.Request, caller authority.Caller, kept bool, missing error, remove func(ctx context.Context, id, only, by string) (T, error)) (gone T, err error) {
	by, err := byParam(r, caller)
	if err != nil {
		return gone, err
	}
	whose, err := s.deviceOwner(by, caller, kept, missing)
	if err != nil {
		return gone, err
	}
	only := whose
	if caller.Kind == authority.Admin {
		only = ""
	}
	return remove(r.Context(), r.PathValue("id"), only, whose)
}
