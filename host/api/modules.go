package api

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/pin"
	"github.com/callgate/callgate/host/sandbox"
)

// Modules lists and changes the tool modules; see modules.Manager.
type Modules interface {
	List() modules.List
	ProposeAdd(ctx context.Context, r modules.Request) (modules.Proposal, error)
	ProposePin(ctx context.Context, r modules.Request) (modules.Proposal, error)
	ProposeRollback(ctx context.Context, r modules.Request) (modules.Proposal, error)
	Add(ctx context.Context, r modules.Request) (modules.Done, error)
	Pin(ctx context.Context, r modules.Request) (modules.Done, error)
	Rollback(ctx context.Context, r modules.Request) (modules.Done, error)
	Remove(ctx context.Context, file, by string) (catalog.Outcome, error)
	Reload(ctx context.Context) (catalog.Outcome, error)
}

// ModuleChange is what became of a change of a module, or with Changed false what
// would.
type ModuleChange struct {
	modules.Done
	Changed bool `json:"changed"`
}

// wasmType is the content type of a module.
const wasmType = "application/wasm"

func (s *Server) listModules(w http.ResponseWriter, r *http.Request, _ gate.Caller) error {
	if _, err := query(r); err != nil {
		return err
	}
	return reply(w, http.StatusOK, s.c.Modules.List())
}

// putModule takes a module's bytes and pins them, with what the parameters grant. A
// dry run changes nothing and needs nobody's presence.
func (s *Server) putModule(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	req, dry, err := uploaded(r, caller)
	if err == nil && !dry {
		err = s.present(r, caller)
	}
	if err != nil {
		return err
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != wasmType || r.Header.Get("Content-Encoding") != "" {
		return failure(http.StatusUnsupportedMediaType, CodeMediaType, "send the module itself, with the header Content-Type: "+wasmType)
	}
	body, release, err := s.readUpTo(w, r, caller, sandbox.MaxModuleBytes)
	if err != nil {
		return err
	}
	defer release()
	req.Wasm = body
	return s.changeModule(w, r, req, dry, s.c.Modules.ProposeAdd, s.c.Modules.Add)
}

// uploaded reads the parameters of an upload.
func uploaded(r *http.Request, caller gate.Caller) (req modules.Request, dry bool, err error) {
	q, err := query(r, "by", "dry_run", "names", "may_allow", "may_read_only", "limits", "dev", "signature", "digest", "replaces")
	if err != nil {
		return req, false, err
	}
	g := &pin.Grant{Limits: limitsOf(q["limits"])}
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
		signature, err := pin.ParseSignature([]byte(q["signature"]))
		if err != nil {
			return req, false, badField("signature", err.Error())
		}
		req.Signature = &signature
	}
	req.By, err = inNameOf("by", q["by"], caller)
	return req, dry, err
}

// limitsOf reads "fuel=2000000,timeout=2s"; what is no limit is refused with the grant.
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

// PinModule asks for the bytes that are in the directory of modules to be pinned, or
// for the version before.
type PinModule struct {
	// Grant is a new grant; nil keeps the one that it has. Not for a rollback.
	Grant     *pin.Grant     `json:"grant,omitempty"`
	Signature *pin.Signature `json:"signature,omitempty"`
	// Digest and Replaces are what was shown; see modules.Request.
	Digest   string `json:"digest,omitempty"`
	Replaces string `json:"replaces,omitempty"`
	// DryRun only says what would happen.
	DryRun bool `json:"dry_run,omitempty"`
}

func (s *Server) pinModule(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	req, dry, err := s.moduleRequest(w, r, caller)
	if err != nil {
		return err
	}
	return s.changeModule(w, r, req, dry, s.c.Modules.ProposePin, s.c.Modules.Pin)
}

func (s *Server) rollbackModule(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
	req, dry, err := s.moduleRequest(w, r, caller)
	if err != nil {
		return err
	}
	if req.Grant != nil || req.Signature != nil {
		return badField("grant", "a rollback brings the grant and the signature of its version back: leave it out")
	}
	return s.changeModule(w, r, req, dry, s.c.Modules.ProposeRollback, s.c.Modules.Rollback)
}

// moduleRequest reads a PinModule. Unless it is a dry run, a person has to be present.
func (s *Server) moduleRequest(w http.ResponseWriter, r *http.Request, caller gate.Caller) (req modules.Request, dry bool, err error) {
	by, err := byParam(r, caller)
	if err != nil {
		return req, false, err
	}
	var body PinModule
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
	propose func(context.Context, modules.Request) (modules.Proposal, error), do func(context.Context, modules.Request) (modules.Done, error),
) (err error) {
	out := ModuleChange{Changed: !dry}
	if dry {
		out.Proposal, err = propose(r.Context(), req)
	} else {
		out.Done, err = do(r.Context(), req)
	}
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, out)
}

// removeModule takes a module away. That its denials and its asks go with it is what
// a person has to be present for.
func (s *Server) removeModule(w http.ResponseWriter, r *http.Request, caller gate.Caller) error {
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

func (s *Server) reloadModules(w http.ResponseWriter, r *http.Request, _ gate.Caller) error {
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

// outcomeOf has lists where there is nothing to tell.
func outcomeOf(o catalog.Outcome) catalog.Outcome {
	o.Swaps, o.Problems = append([]catalog.Swap{}, o.Swaps...), append([]catalog.Problem{}, o.Problems...)
	return o
}

// tooLarge names the bound of a body.
func tooLarge(most int64) *Error {
	return failure(http.StatusRequestEntityTooLarge, CodeTooLarge, fmt.Sprintf("the body is larger than %d MiB", most>>20))
}
