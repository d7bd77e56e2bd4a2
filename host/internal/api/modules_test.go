package api_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/client/protocol"
	"github.com/callgate/callgate/host/internal/modules"
	"github.com/callgate/callgate/host/wire"

	"github.com/callgate/callgate/host/internal/modules/sandbox"
)

// shelf is a Modules accepting "good" as a module and recording its requests.
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

func granted() *wire.GrantedModule {
	return &wire.GrantedModule{
		Name: "deploy", Version: "1", Digest: strings.Repeat("a", 64), Description: strings.Repeat("b", 64), Signature: &wire.ModuleSignature{Key: "acme", Value: "x"},
		Grant: wire.Grant{Names: []string{"Deploy"}, Limits: map[string]string{"fuel": "2000000"}, Dev: true}, GrantedBy: "ana", GrantedAt: time.Unix(1, 0),
	}
}

func outcome() modules.Outcome {
	return modules.Outcome{Swaps: []wire.ModuleSwap{{File: "d.wasm", What: wire.SwapRemoved, Was: "aa"}}, Problems: []modules.Problem{{File: "x.wasm", Err: modules.ErrNotPinned}}, Took: 1}
}

func (s *shelf) List() wire.ModuleList {
	i := wire.ModuleInfo{
		File: "d.wasm", Name: "deploy", Version: "1", Summary: "s", Digest: "aa", Found: "bb", Size: 3, Declared: "cc", Pinned: "aa", Dev: true,
		Grant: wire.ModuleRights{Names: []string{"Deploy"}}, Limits: []wire.Limit{{Name: "fuel", Value: "1", Default: "2"}}, State: wire.ModuleKept, Problem: "p", Again: time.Unix(2, 0), Since: time.Unix(1, 0),
	}
	return wire.ModuleList{Modules: []wire.Module{{ModuleInfo: i, Granted: granted(), Previous: granted()}, {ModuleInfo: wire.ModuleInfo{File: "bash.wasm", Embedded: true, State: wire.ModuleBuiltIn}}}, Lock: "/l", Problem: "p"}
}

func (s *shelf) propose(what string, r modules.Request) (wire.ModuleChange, error) {
	s.note(what, r)
	switch string(r.Wasm) {
	case "good", "":
	case "taken":
		return wire.ModuleChange{}, fmt.Errorf("%w: by bash", modules.ErrNameTaken)
	case "unsigned":
		return wire.ModuleChange{}, modules.ErrUnsigned
	case "changed":
		return wire.ModuleChange{}, modules.ErrNeedsGrant
	default:
		return wire.ModuleChange{}, modules.ErrRefused
	}
	p := wire.ModuleProposal{
		File: r.File, Name: "deploy", Version: "2", Summary: "s", Digest: "dd", Size: 4, Description: "ee",
		Tools:      []wire.DeclaredTool{{Name: "Deploy", Aliases: []string{"deploy"}, RuleHelp: "h", Examples: 1}},
		NotGranted: []string{"deploy"}, Signature: &wire.ModuleSignature{Key: "acme", Value: "x"}, Replaces: granted(),
		Changes: []wire.MemberChange{{Where: "summary", Was: `"a"`, Will: `"b"`}}, GrantChanges: []wire.MemberChange{{Where: "names"}}, NeedsGrant: true, Suspends: []string{"Deploy(x)"}, Notes: []string{"n"},
	}
	if r.Grant != nil {
		p.Grant = *r.Grant
	}
	return wire.ModuleChange{ModuleProposal: p}, nil
}

func (s *shelf) done(what string, r modules.Request) (wire.ModuleChange, error) {
	done, err := s.propose(what, r)
	done.Suspended, done.Took, done.Changed = []string{"Deploy(x)"}, 5, true
	return done, err
}

func (s *shelf) ProposeAdd(_ context.Context, r modules.Request) (wire.ModuleChange, error) {
	return s.propose("would add", r)
}
func (s *shelf) ProposePin(_ context.Context, r modules.Request) (wire.ModuleChange, error) {
	return s.propose("would pin", r)
}
func (s *shelf) ProposeRollback(_ context.Context, r modules.Request) (wire.ModuleChange, error) {
	return s.propose("would roll back", r)
}
func (s *shelf) Add(_ context.Context, r modules.Request) (wire.ModuleChange, error) {
	return s.done("add", r)
}
func (s *shelf) Pin(_ context.Context, r modules.Request) (wire.ModuleChange, error) {
	return s.done("pin", r)
}
func (s *shelf) Rollback(_ context.Context, r modules.Request) (wire.ModuleChange, error) {
	return s.done("roll back", r)
}
func (s *shelf) Reload(context.Context) (modules.Outcome, error) { return modules.Outcome{}, nil }
func (s *shelf) Remove(_ context.Context, file, by string) (modules.Outcome, error) {
	s.note("remove "+file+" by "+by, modules.Request{})
	if file == "none.wasm" {
		return modules.Outcome{}, modules.ErrNotPinned
	}
	return outcome(), nil
}

// Versions are two whose code is not there: each question to one fails in the same way. They differ in
// the names that they answer for.
func (s *shelf) Versions(_ context.Context, r modules.Request, back bool, use func(was, is modules.Version) error) error {
	s.note(fmt.Sprintf("compare back=%t", back), r)
	if r.File == "none.wasm" {
		return modules.ErrNotPinned
	}
	of := func(names ...string) modules.Described {
		return modules.Described{Name: "deploy", Version: "1", Tools: []modules.ToolDescription{{Name: names[0], Aliases: names[1:]}}}
	}
	return use(modules.Version{Digest: "aa", Description: of("Bash", "shell", "sh")}, modules.Version{Digest: "bb", Description: of("Bash", "shell")})
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
	x.do("POST", "/v1/modules/{file}/diff", "d.wasm/diff", `{"back":true,"digest":"dd","replaces":"aa","days":1,"rows":1,"seconds":60}`, 200)
	x.do("POST", "/v1/modules/{file}/diff", "d.wasm/diff", `{}`, 200)
	x.do("POST", "/v1/modules/{file}/diff", "none.wasm/diff", `{}`, 404)
	x.do("POST", "/v1/modules/{file}/diff", "d.wasm/diff", `{"days":366}`, 400)
	x.do("POST", "/v1/modules/{file}/diff", "d.wasm/diff", `{"rows":-1}`, 400)
	x.do("POST", "/v1/modules/{file}/diff", "d.wasm/diff", `{"seconds":61}`, 400)
	x.do("POST", "/v1/modules/reload", "", "", 200)
	x.do("DELETE", "/v1/modules/{file}", "d.wasm?by=ana", "", 200)
	x.do("DELETE", "/v1/modules/{file}", "none.wasm", "", 404)
}

// TestModules_whatIsAskedFor: the client's words arrive, and only a harmless request goes
// without a person.
func TestModules_whatIsAskedFor(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	w := newWorld(t, func(c *api.Config) { c.Modules = s })
	client := w.client("admin")
	want := protocol.PinModule{
		Digest: "dd", Replaces: "none", Signature: &wire.ModuleSignature{Key: "acme", Value: strings.Repeat("A", 86) + "=="},
		Grant: &wire.Grant{Names: []string{"A", "b_*"}, MayAllow: true, Dev: true, Limits: map[string]string{"fuel": "2000000", "timeout": "2s"}},
	}
	out, err := client.PutModule(t.Context(), "ana", "d.wasm", []byte("good"), want)
	must(t, err)
	what, got := s.seen()
	if what != "add" || fmt.Sprintf("%+v %+v %+v", got.Grant, got.Signature, string(got.Wasm)) != fmt.Sprintf("%+v %+v %+v", want.Grant, want.Signature, "good") || got.By != "ana" || got.Replaces != "none" || !out.Changed || out.Took != 5 {
		t.Errorf("got %s, %+v, answered %+v", what, got, out)
	}
	if out, err = client.PutModule(t.Context(), "", "d.wasm", []byte("good"), protocol.PinModule{Grant: &wire.Grant{}, DryRun: true}); err != nil || out.Changed {
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
	_, err = client.PinModule(t.Context(), "ana", "d.wasm", protocol.PinModule{Grant: &wire.Grant{MayReadOnly: true}})
	must(t, err)
	_, err = client.RollbackModule(t.Context(), "ana", "d.wasm", protocol.PinModule{DryRun: true})
	must(t, err)
	if what, _ := s.seen(); !strings.HasSuffix(what, "pin would roll back") {
		t.Errorf("got %s", what)
	}
}

// TestModules_needAPerson: without the PIN a module cannot be changed, but the pending change
// can be seen.
func TestModules_needAPerson(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	w := newWorld(t, func(c *api.Config) { c.Modules, c.Presence = s, c.Presence.(somebody).Keeper })
	client := w.client("admin")
	for name, do := range map[string]func() error{
		"add": func() error {
			_, err := client.PutModule(t.Context(), "", "d.wasm", []byte("good"), protocol.PinModule{})
			return err
		},
		"pin": func() error { _, err := client.PinModule(t.Context(), "", "d.wasm", protocol.PinModule{}); return err },
		"roll back": func() error {
			_, err := client.RollbackModule(t.Context(), "", "d.wasm", protocol.PinModule{})
			return err
		},
		"remove": func() error { _, err := client.RemoveModule(t.Context(), "", "d.wasm"); return err },
	} {
		if err := do(); !protocol.NeedsPresence(err) {
			t.Errorf("%s: got %v, want that nobody is there", name, err)
		}
	}
	if what, _ := s.seen(); what != "" {
		t.Errorf("got %s", what)
	}
	if _, err := client.PutModule(t.Context(), "", "d.wasm", []byte("good"), protocol.PinModule{DryRun: true}); err != nil {
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
	// One byte more, so all of it is sent before the answer: a connection closed during a write
	// can lose the answer.
	if got := send("POST", "/v1/modules/d.wasm/pin", "", 16<<20+1); got != http.StatusRequestEntityTooLarge {
		t.Errorf("too much for a request: got %d", got)
	}
}
