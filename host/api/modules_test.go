package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/api"
	"github.com/callgate/callgate/host/catalog"
	"github.com/callgate/callgate/host/modules"
	"github.com/callgate/callgate/host/pin"
	"github.com/callgate/callgate/host/sandbox"
)

// shelf is a Modules that takes "good" for a module and notes what was asked.
type shelf struct {
	mu    sync.Mutex
	asked []string
	last  modules.Request
}

func (s *shelf) note(what string, r modules.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.last = append(s.asked, what), r
}

func (s *shelf) seen() (string, modules.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.asked, " "), s.last
}

func granted() *pin.Granted {
	return &pin.Granted{
		Name: "deploy", Version: "1", Digest: strings.Repeat("a", 64), Description: strings.Repeat("b", 64), Signature: &pin.Signature{Key: "acme", Value: "x"},
		Grant: pin.Grant{Names: []string{"Deploy"}, Limits: map[string]string{"fuel": "2000000"}, Dev: true}, GrantedBy: "ana", GrantedAt: time.Unix(1, 0),
	}
}

func outcome() catalog.Outcome {
	return catalog.Outcome{Swaps: []catalog.Swap{{File: "d.wasm", What: catalog.Removed, Was: "aa"}}, Problems: []catalog.Problem{{File: "x.wasm", Err: pin.ErrNotPinned}}, Took: 1}
}

func (s *shelf) List() modules.List {
	i := catalog.ModuleInfo{
		File: "d.wasm", Name: "deploy", Version: "1", Summary: "s", Digest: "aa", Found: "bb", Size: 3, Declared: "cc", Pinned: "aa", Dev: true,
		Grant: catalog.Granted{Names: []string{"Deploy"}}, Limits: []catalog.Limit{{Name: "fuel", Value: "1", Default: "2"}}, State: catalog.StandsKept, Problem: "p", Again: time.Unix(2, 0), Since: time.Unix(1, 0),
	}
	return modules.List{Modules: []modules.Module{{ModuleInfo: i, Granted: granted(), Previous: granted()}, {ModuleInfo: catalog.ModuleInfo{File: "bash.wasm", Embedded: true, State: catalog.BuiltIn}}}, Lock: "/l", Problem: "p"}
}

func (s *shelf) propose(what string, r modules.Request) (modules.Proposal, error) {
	s.note(what, r)
	switch string(r.Wasm) {
	case "good", "":
	case "taken":
		return modules.Proposal{}, fmt.Errorf("%w: by bash", catalog.ErrNameTaken)
	case "unsigned":
		return modules.Proposal{}, pin.ErrUnsigned
	case "changed":
		return modules.Proposal{}, modules.ErrNeedsGrant
	default:
		return modules.Proposal{}, catalog.ErrRefused
	}
	p := modules.Proposal{
		File: r.File, Name: "deploy", Version: "2", Summary: "s", Digest: "dd", Size: 4, Description: "ee",
		Tools:      []modules.DeclaredTool{{Name: "Deploy", Aliases: []string{"deploy"}, RuleHelp: "h", Examples: 1}},
		NotGranted: []string{"deploy"}, Signature: &pin.Signature{Key: "acme", Value: "x"}, Replaces: granted(),
		Changes: []pin.Change{{Where: "summary", Was: `"a"`, Will: `"b"`}}, GrantChanges: []pin.Change{{Where: "names"}}, NeedsGrant: true, Suspends: []string{"Deploy(x)"}, Notes: []string{"n"},
	}
	if r.Grant != nil {
		p.Grant = *r.Grant
	}
	return p, nil
}

func (s *shelf) done(what string, r modules.Request) (modules.Done, error) {
	p, err := s.propose(what, r)
	return modules.Done{Proposal: p, Suspended: []string{"Deploy(x)"}, Took: 5}, err
}

func (s *shelf) ProposeAdd(_ context.Context, r modules.Request) (modules.Proposal, error) {
	return s.propose("would add", r)
}
func (s *shelf) ProposePin(_ context.Context, r modules.Request) (modules.Proposal, error) {
	return s.propose("would pin", r)
}
func (s *shelf) ProposeRollback(_ context.Context, r modules.Request) (modules.Proposal, error) {
	return s.propose("would roll back", r)
}
func (s *shelf) Add(_ context.Context, r modules.Request) (modules.Done, error) {
	return s.done("add", r)
}
func (s *shelf) Pin(_ context.Context, r modules.Request) (modules.Done, error) {
	return s.done("pin", r)
}
func (s *shelf) Rollback(_ context.Context, r modules.Request) (modules.Done, error) {
	return s.done("roll back", r)
}
func (s *shelf) Reload(context.Context) (catalog.Outcome, error) { return catalog.Outcome{}, nil }
func (s *shelf) Remove(_ context.Context, file, by string) (catalog.Outcome, error) {
	s.note("remove "+file+" by "+by, modules.Request{})
	if file == "none.wasm" {
		return catalog.Outcome{}, pin.ErrNotPinned
	}
	return outcome(), nil
}

// modules drives the operations of modules.
func (x *exchange) modules() {
	x.t.Helper()
	put := func(query, body string, want int) {
		x.t.Helper()
		got := x.w.mustRaw(x.t, rawRequest{method: "PUT", path: "/v1/modules/d.wasm" + query, token: "admin", body: body, contentType: "application/wasm"})
		if got.status != want {
			x.t.Errorf("PUT %s: got %d, want %d: %s", query, got.status, want, got.body)
		}
		x.d.answer(x.t, "PUT", "/v1/modules/{file}", got)
		x.driven["PUT /v1/modules/{file}"] = true
	}
	x.do("GET", "/v1/modules", "", "", 200)
	put("?by=ana&names=Deploy,deploy_*&may_allow=true&may_read_only=true&dev=true&limits=fuel%3D2000000,timeout%3D2s&replaces=none&digest=dd", "good", 200)
	put("?dry_run=true", "good", 200)
	put("", "taken", 409)
	put("", "unsigned", 409)
	put("", "rubbish", 409)
	put("?signature=AAAA", "good", 400)
	put("?may_allow=yes", "good", 400)
	x.do("PUT", "/v1/modules/{file}", "d.wasm", "{}", 415)
	x.do("POST", "/v1/modules/{file}/pin", "d.wasm/pin?by=ana", `{"grant":{"names":["Deploy"],"may_read_only":true},"digest":"dd","replaces":"none"}`, 200)
	x.do("POST", "/v1/modules/{file}/pin", "d.wasm/pin", `{"dry_run":true}`, 200)
	x.do("POST", "/v1/modules/{file}/pin", "d.wasm/pin", `{"may_allow":true}`, 400)
	x.do("POST", "/v1/modules/{file}/rollback", "d.wasm/rollback", `{}`, 200)
	x.do("POST", "/v1/modules/{file}/rollback", "d.wasm/rollback", `{"grant":{}}`, 400)
	x.do("POST", "/v1/modules/reload", "", "", 200)
	x.do("DELETE", "/v1/modules/{file}", "d.wasm?by=ana", "", 200)
	x.do("DELETE", "/v1/modules/{file}", "none.wasm", "", 404)
}

// TestModules_whatIsAskedFor: the client's words arrive, and only what changes nothing
// goes without a person.
func TestModules_whatIsAskedFor(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	w := newWorld(t, func(c *api.Config) { c.Modules = s })
	client := w.client("admin")
	want := modules.Request{
		File: "d.wasm", Wasm: []byte("good"), Digest: "dd", Replaces: "none", By: "ana", Signature: &pin.Signature{Key: "acme", Value: strings.Repeat("A", 86) + "=="},
		Grant: &pin.Grant{Names: []string{"A", "b_*"}, MayAllow: true, Dev: true, Limits: map[string]string{"fuel": "2000000", "timeout": "2s"}},
	}
	out, err := client.PutModule(t.Context(), want, false)
	must(t, err)
	what, got := s.seen()
	if what != "add" || fmt.Sprintf("%+v %+v %+v", got.Grant, got.Signature, string(got.Wasm)) != fmt.Sprintf("%+v %+v %+v", want.Grant, want.Signature, "good") || got.By != "ana" || got.Replaces != "none" || !out.Changed || out.Took != 5 {
		t.Errorf("got %s, %+v, answered %+v", what, got, out)
	}
	if out, err = client.PutModule(t.Context(), modules.Request{File: "d.wasm", Wasm: []byte("good"), Grant: &pin.Grant{}}, true); err != nil || out.Changed {
		t.Errorf("dry run: got %+v, %v", out, err)
	}
	if what, got = s.seen(); what != "add would add" || got.Grant.Names != nil || got.Grant.MayAllow {
		t.Errorf("got %s, %+v", what, got.Grant)
	}
	if list, err := client.Modules(t.Context()); err != nil || len(list.Modules) != 2 || list.Modules[0].Granted.Names[0] != "Deploy" {
		t.Errorf("list: %+v, %v", list, err)
	}
	if o, err := client.RemoveModule(t.Context(), "ana", "d.wasm"); err != nil || len(o.Swaps) != 1 || o.Problems[0].Error == "" {
		t.Errorf("remove: %+v, %v", o, err)
	}
	if o, err := client.ReloadModules(t.Context()); err != nil || o.Swaps == nil {
		t.Errorf("reload: %+v, %v", o, err)
	}
	_, err = client.PinModule(t.Context(), "ana", "d.wasm", api.PinModule{Grant: &pin.Grant{MayReadOnly: true}})
	must(t, err)
	_, err = client.RollbackModule(t.Context(), "ana", "d.wasm", api.PinModule{DryRun: true})
	must(t, err)
	if what, _ := s.seen(); !strings.HasSuffix(what, "pin would roll back") {
		t.Errorf("got %s", what)
	}
}

// TestModules_needAPerson: whoever has not typed the PIN changes no module, and may look
// at what would change.
func TestModules_needAPerson(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	w := newWorld(t, func(c *api.Config) { c.Modules, c.Presence = s, c.Presence.(somebody).Keeper })
	client := w.client("admin")
	r := modules.Request{File: "d.wasm", Wasm: []byte("good")}
	for name, do := range map[string]func() error{
		"add":       func() error { _, err := client.PutModule(t.Context(), r, false); return err },
		"pin":       func() error { _, err := client.PinModule(t.Context(), "", "d.wasm", api.PinModule{}); return err },
		"roll back": func() error { _, err := client.RollbackModule(t.Context(), "", "d.wasm", api.PinModule{}); return err },
		"remove":    func() error { _, err := client.RemoveModule(t.Context(), "", "d.wasm"); return err },
	} {
		if err := do(); !api.NeedsPresence(err) {
			t.Errorf("%s: got %v, want that nobody is there", name, err)
		}
	}
	if what, _ := s.seen(); what != "" {
		t.Errorf("got %s", what)
	}
	if _, err := client.PutModule(t.Context(), r, true); err != nil {
		t.Errorf("dry run: %v", err)
	}
}

// TestModules_uploadBound: more than any module has is not held in memory; other
// operations take no more than before.
func TestModules_uploadBound(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.Modules = &shelf{} })
	send := func(method, path, kind string, size int) int {
		t.Helper()
		return w.mustRaw(t, rawRequest{method: method, path: path, token: "admin", contentType: kind, body: strings.Repeat("x", size)}).status
	}
	if got := send("PUT", "/v1/modules/d.wasm", "application/wasm", 17<<20); got != http.StatusConflict {
		t.Errorf("17 MiB of rubbish: got %d, want it read and refused as no module", got)
	}
	if got := send("PUT", "/v1/modules/d.wasm", "application/wasm", sandbox.MaxModuleBytes+1); got != http.StatusRequestEntityTooLarge {
		t.Errorf("too much: got %d", got)
	}
	// One byte more, so that all of it is sent before the answer: a connection that is
	// closed while it is written to can lose that.
	if got := send("POST", "/v1/modules/d.wasm/pin", "", 16<<20+1); got != http.StatusRequestEntityTooLarge {
		t.Errorf("too much for a request: got %d", got)
	}
}
