package console

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/wire"
)

// TestModulePage: a person sees all that a module may do before approving it.
func TestModulePage(t *testing.T) {
	page := func(p wire.ModuleProposal) string {
		out := httptest.NewRecorder()
		if err := (&Server{}).render(out, 200, "module", frame{Body: modulePage{ModuleProposal: p}}); err != nil {
			t.Fatal(err)
		}
		_, text := shape(t, out.Body.String())
		return text
	}
	full := page(wire.ModuleProposal{
		Grant:      wire.Grant{Names: []string{"Deploy"}, MayAllow: true, MayReadOnly: true, Limits: map[string]string{"fuel": "2000000000"}, Dev: true},
		NotGranted: []string{"Bash"}, ReplacesBuiltIn: "git",
	})
	least := page(wire.ModuleProposal{Grant: wire.Grant{Names: []string{"Deploy"}}})
	for _, want := range []string{"may allow", "may call a call read-only", "fuel 2000000000", "whenever its file changes", "Bash (other modules answer for it)", "It replaces the built-in module git."} {
		if !strings.Contains(full, want) || strings.Contains(least, want) {
			t.Errorf("%q is not on the page, or on that of a module without it:\n%s\n%s", want, full, least)
		}
	}
}
