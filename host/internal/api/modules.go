package api

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// Modules lists and changes the tool modules; see modules.Catalog.
type Modules interface {
	List() wire.ModuleList
	ProposeAdd(ctx context.Context, r modules.Request) (wire.ModuleChange, error)
	ProposePin(ctx context.Context, r modules.Request) (wire.ModuleChange, error)
	ProposeRollback(ctx context.Context, r modules.Request) (wire.ModuleChange, error)
	Add(ctx context.Context, r modules.Request) (wire.ModuleChange, error)
	Pin(ctx context.Context, r modules.Request) (wire.ModuleChange, error)
	Rollback(ctx context.Context, r modules.Request) (wire.ModuleChange, error)
	Versions(ctx context.Context, r modules.Request, back bool, use func(was, is modules.Version) error) error
	Remove(ctx context.Context, file, by string) (modules.Outcome, error)
	Reload(ctx context.Context) (modules.Outcome, error)
}

func (s *Server) listModules(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	return reply(w, http.StatusOK, s.c.Modules.List())
}

// putModule takes a module's bytes and pins them, with the parameters' grant. A dry run changes
// nothing and requires no presence.
func (s *Server) putModule(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	req, dry, err := uploaded(r, caller)
	if err == nil && !dry {
		err = s.present(r, caller)
	}
	if err != nil {
		return err
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != protocol.WasmType || r.Header.Get("Content-Encoding") != "" {
		return failure(http.StatusUnsupportedMediaType, protocol.CodeMediaType, "send the module file itself, with the header Content-Type: "+protocol.WasmType)
	}
	body, release, err := s.readBody(w, r, caller, sandbox.MaxModuleBytes)
	if err != nil {
		return err
	}
	defer release()
	req.Wasm = body
	return s.changeModule(w, r, req, dry, s.c.Modules.ProposeAdd, s.c.Modules.Add)
}

// uploaded reads the parameters of an upload.
func uploaded(r *http.Request, caller authority.Caller) (req modules.Request, dry bool, err error) {
	q, err := query(r, "by", "dry_run", "names", "may_allow", "may_read_only", "limits", "dev", "signature", "digest", "replaces")
	if err != nil {
		return req, false, err
	}
	g := &wire.Grant{Limits: limitsOf(q["limits"])}
	for name, into := range map[string]*bool{"dry_run": &dry, "may_allow": &g.MayAllow, "may_read_only": &g.MayReadOnly, "dev": &g.Dev} {
		if *into, err = q.flag(name); err != nil {
			return req, false, err
		}
	}
	if q["names"] != "" {
		g.Names = strings.Split(q["names"], ",")
	}
	req = modules.Request{File: r.PathValue("file"), Grant: g, Digest: q["digest"], Replaces: q["replaces"]}
	if q["signature"] != "" {
		signature, err := modules.ParseSignature([]byte(q["signature"]))
		if err != nil {
			return req, false, badField("signature", err.Error())
		}
		req.Signature = &signature
	}
	req.By, err = inNameOf("by", q["by"], caller)
	return req, dry, err
}

// limitsOf reads "fuel=2000000,timeout=2s"; an unknown limit is refused with the grant.
func limitsOf(text string) map[string]string {
	if text == "" {
		return nil
	}
	out := map[string]string{}
	for one := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(one, "=")
		out[name] = value
	}
	return out
}

func (s *Server) pinModule(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	req, dry, err := s.moduleRequest(w, r, caller)
	if err != nil {
		return err
	}
	return s.changeModule(w, r, req, dry, s.c.Modules.ProposePin, s.c.Modules.Pin)
}

func (s *Server) rollbackModule(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	req, dry, err := s.moduleRequest(w, r, caller)
	if err != nil {
		return err
	}
	if req.Grant != nil || req.Signature != nil {
		return badField("grant", "not allowed with a rollback, which restores the grant and the signature of its version")
	}
	return s.changeModule(w, r, req, dry, s.c.Modules.ProposeRollback, s.c.Modules.Rollback)
}

// moduleRequest reads a PinModule. Unless it is a dry run, a person has to be present.
func (s *Server) moduleRequest(w http.ResponseWriter, r *http.Request, caller authority.Caller) (req modules.Request, dry bool, err error) {
	by, err := byParam(r, caller)
	if err != nil {
		return req, false, err
	}
	var body protocol.PinModule
	release, err := s.readJSON(w, r, caller, &body)
	if err != nil {
		return req, false, err
	}
	release() // it is decoded
	if !body.DryRun {
		err = s.present(r, caller)
	}
	return modules.Request{
		File: r.PathValue("file"), Grant: body.Grant, Signature: body.Signature, Digest: body.Digest, Replaces: body.Replaces, By: by,
	}, body.DryRun, err
}

// changeModule proposes a change or makes it.
func (s *Server) changeModule(
	w http.ResponseWriter, r *http.Request, req modules.Request, dry bool,
	propose, do func(context.Context, modules.Request) (wire.ModuleChange, error),
) error {
	if dry {
		do = propose
	}
	out, err := do(r.Context(), req)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// removeModule removes a module. Its denials and its asks go with it, so a person must be present.
func (s *Server) removeModule(w http.ResponseWriter, r *http.Request, caller authority.Caller) error {
	by, err := byParam(r, caller)
	if err != nil {
		return err
	}
	outcome, err := s.c.Modules.Remove(r.Context(), r.PathValue("file"), by)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, outcomeOf(outcome))
}

func (s *Server) reloadModules(w http.ResponseWriter, r *http.Request, _ authority.Caller) error {
	if err := jsonContent(r); err != nil {
		return err
	}
	if _, err := query(r); err != nil {
		return err
	}
	outcome, err := s.c.Modules.Reload(r.Context())
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, outcomeOf(outcome))
}

// outcomeOf is an outcome in wire form, with empty lists for nil.
func outcomeOf(o modules.Outcome) wire.ModuleOutcome {
	out := wire.ModuleOutcome{Swaps: append([]wire.ModuleSwap{}, o.Swaps...), Problems: make([]wire.ModuleProblem, len(o.Problems)), Trying: o.Trying, Took: o.Took}
	for i, p := range o.Problems {
		out.Problems[i] = wire.ModuleProblem{File: p.File, Error: p.Err.Error()}
	}
	return out
}

// tooLarge names the bound of a body.
func tooLarge(most int64) *protocol.Error {
	return failure(http.StatusRequestEntityTooLarge, protocol.CodeTooLarge, fmt.Sprintf("the body is larger than %d MiB", most>>20))
}
