package api

import (
	"context"
	"net/http"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/gate/folder"
	"github.com/callgate/callgate/host/internal/gate/target"
	"github.com/callgate/callgate/host/wire"
)

// Folders are the project folders trusted by people for agents.
type Folders interface {
	Find(ctx context.Context, dir string) (target.Folder, error)
	Trust(ctx context.Context, t folder.Trusting) (wire.Folder, error)
	List(ctx context.Context, agent string) ([]wire.Folder, error)
	Forget(ctx context.Context, id, by string) (wire.Folder, error)
	ForgetAll(ctx context.Context, by string) error
}

func (s *Server) listFolders(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	q, err := query(r, "agent")
	if err != nil {
		return err
	}
	out := wire.FolderList{}
	if out.Folders, err = s.c.Folders.List(r.Context(), q["agent"]); err != nil {
		return err
	}
	if out.Folders == nil {
		out.Folders = []wire.Folder{}
	}
	return reply(w, http.StatusOK, out)
}

func (s *Server) trustFolder(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	var body protocol.NewFolder
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return err
	}
	defer release()
	agent, err := person("agent", body.Agent, config.DefaultAgent)
	if err != nil {
		return err
	}
	access, err := wire.ParseFolderAccess(string(body.Access))
	switch {
	case err != nil:
		return badField("access", err.Error())
	case !filepath.IsAbs(body.Path):
		return badField("path", "want an absolute path")
	}
	if err := s.c.Gate.MayTrustFolder(caller, agent); err != nil {
		return err
	}
	found, err := s.c.Folders.Find(r.Context(), body.Path)
	if err != nil {
		return err
	}
	if found.Path != filepath.Clean(body.Path) {
		return badField("path", "the project of this directory is "+found.Path+": name that")
	}
	kept, err := s.c.Folders.Trust(r.Context(), folder.Trusting{Agent: agent, Folder: found, Access: access, By: by})
	if err != nil {
		return err
	}
	return reply(w, http.StatusCreated, kept)
}

func (s *Server) forgetFolder(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	gone, err := s.c.Folders.Forget(r.Context(), r.PathValue("id"), by)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, gone)
}

// forgetFolders takes every folder back. It is the way out when the list cannot be read.
func (s *Server) forgetFolders(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := s.bodiless(r, caller)
	if err != nil {
		return err
	}
	if err := s.c.Folders.ForgetAll(r.Context(), by); err != nil {
		return err
	}
	return reply(w, http.StatusOK, struct{}{})
}
