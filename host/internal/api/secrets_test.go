package api_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/api"
	"github.com/callgate/callgate/host/internal/approval/authority"
	"github.com/callgate/callgate/host/internal/gate"
	"github.com/callgate/callgate/host/wire"
)

// T14: canary secrets, searched for in the log and in answers to strangers.
func TestT14_tokensAndInputsStayOutOfLogAndErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	const canary = "canary-4f9a-value"
	bodies := []string{`{"tool":"Bash","input":{"command":"ls ` + canary + `"}}`, `{"tool":"Bash","input":{"command":"panic"}}`, `{"tool":"Bash","input":"` + canary + `"}`, canary}
	for _, body := range bodies {
		for _, path := range []string{"/v1/check", "/v1/evaluate", "/v1/rules"} {
			for _, token := range []string{"default", "admin"} {
				got := w.mustRaw(t, rawRequest{method: "POST", path: path, token: token, body: body})
				if strings.Contains(got.body, w.token(token)) || got.status >= 400 && strings.Contains(got.body, canary) {
					t.Errorf("%s with %s answers with a secret: %s", path, body, got.body)
				}
			}
		}
	}
	got := w.mustRaw(t, rawRequest{method: "GET", path: "/v1/rules", secret: "Bearer " + canary})
	log := w.log.String()
	for name, secret := range map[string]string{"canary": canary, "admin's token": w.token("admin"), "check token": w.token("default")} {
		if strings.Contains(log, secret) {
			t.Errorf("the log tells the %s:\n%s", name, log)
		}
		if strings.Contains(got.body, secret) {
			t.Errorf("a refusal tells the %s: %s", name, got.body)
		}
	}
	if !strings.Contains(log, "panic") {
		t.Error("the log does not tell of the panic")
	}
}

// failingGate fails as a gate with failing parts does.
type failingGate struct{ api.Gate }

func (failingGate) Check(context.Context, authority.Caller, wire.Request, gate.Progress) (wire.Result, error) {
	return wire.Result{}, errors.New("open /home/ana/secret-place: permission denied")
}

// T14: internal errors are for the admin.
func TestT14_internalErrorsAreToldToTheAdminOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *api.Config) { c.Gate = failingGate{c.Gate} })
	for token, told := range map[string]bool{"default": false, "admin": true} {
		got := w.mustRaw(t, rawRequest{method: "POST", path: "/v1/check", token: token, body: `{"tool":"Bash","input":{}}`})
		if got.status != http.StatusInternalServerError || strings.Contains(got.body, "secret-place") != told {
			t.Errorf("%s: got %d %s, want 500, the cause told: %t", token, got.status, got.body, told)
		}
		wantsDeny(t, got)
	}
}
