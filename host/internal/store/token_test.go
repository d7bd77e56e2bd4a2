package store_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/callgate/callgate/host/internal/store"
)

func token(name string, kind store.TokenKind, agent string) store.Token {
	return store.Token{Name: name, Kind: kind, Agent: agent, Sum: sha256.Sum256([]byte(name)), CreatedBy: "ann"}
}

// byName returns the last token of a name.
func byName(t *testing.T, s *store.Store, name string) store.Token {
	t.Helper()
	tokens, _, err := s.Tokens(t.Context())
	must(t, err)
	var found store.Token
	for _, k := range tokens {
		if k.Name == name {
			found = k
		}
	}
	return found
}

func TestToken_lives(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := opened(t, path, store.Options{})
	if tokens, begun, err := s.Tokens(t.Context()); err != nil || begun || len(tokens) != 0 {
		t.Fatalf("before any: got %v, %t, %v", tokens, begun, err)
	}
	admin, err := s.CreateToken(t.Context(), token("admin", store.TokenAdmin, ""), "first")
	must(t, err)
	check, err := s.CreateToken(t.Context(), token("check:ci", store.TokenCheck, "ci"), "first")
	must(t, err)
	at := time.Now().Add(time.Second).UTC()
	must(t, s.NoteTokenUse(t.Context(), check.ID, at))
	next := token("check:ci", store.TokenCheck, "ci")
	next.Sum = sha256.Sum256([]byte("another"))
	rotated, err := s.ReplaceToken(t.Context(), next, "rotated")
	must(t, err)
	must(t, s.Close())
	s = opened(t, path, store.Options{})
	tokens, begun, err := s.Tokens(t.Context())
	must(t, err)
	if len(tokens) != 3 || !begun {
		t.Fatalf("got %+v, %t, want 3", tokens, begun)
	}
	now := time.Now()
	if tokens[0].ID != admin.ID || tokens[1].ID != check.ID || tokens[2].ID != rotated.ID || tokens[2].Sum != next.Sum ||
		!tokens[0].Usable(now) || tokens[1].Usable(now) || !tokens[2].Usable(now) || !tokens[1].LastUsedAt.Equal(at) {
		t.Errorf("got %+v", tokens)
	}
	var events []store.Event
	for row, err := range s.Audit(t.Context(), store.Filter{}) {
		must(t, err)
		events = append(events, row.Event)
		if row.RuleText != "token admin" && row.RuleText != "token check:ci" {
			t.Errorf("row says %q", row.RuleText)
		}
	}
	if len(events) != 4 || events[2] != store.EventTokenRevoked || events[3] != store.EventTokenCreated {
		t.Errorf("audit: got %v", events)
	}
}

func TestToken_refusals(t *testing.T) {
	t.Parallel()
	s := fresh(t)
	_, err := s.CreateToken(t.Context(), token("admin", store.TokenAdmin, ""), "")
	must(t, err)
	_, err = s.CreateToken(t.Context(), token("check:ci", store.TokenCheck, "ci"), "")
	must(t, err)
	other := token("elsewhere", store.TokenCheck, "ci")
	if _, err := s.CreateToken(t.Context(), other, ""); !errors.Is(err, store.ErrTokenExists) {
		t.Errorf("second check token of an agent: got %v, want ErrTokenExists", err)
	}
	if _, err := s.CreateToken(t.Context(), token("admin", store.TokenIntegrator, ""), ""); !errors.Is(err, store.ErrTokenExists) {
		t.Errorf("second of a name: got %v, want ErrTokenExists", err)
	}
	if _, err := s.RevokeToken(t.Context(), "nobody", "ann"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("revoke an unknown one: got %v, want ErrNotFound", err)
	}
	brief := token("admin2", store.TokenAdmin, "")
	brief.ExpiresAt = time.Now().Add(time.Hour)
	_, err = s.CreateToken(t.Context(), brief, "")
	must(t, err)
	if _, err := s.RevokeToken(t.Context(), "admin", "ann"); err != nil {
		t.Errorf("revoke one of two admins: %v", err)
	}
	if _, err := s.RevokeToken(t.Context(), "admin2", "ann"); !errors.Is(err, store.ErrLastAdmin) {
		t.Errorf("revoke the last admin: got %v, want ErrLastAdmin", err)
	}
	if got := byName(t, s, "admin2"); !got.Usable(time.Now()) {
		t.Errorf("the last admin after it: %+v, want it in force", got)
	}
	for name, bad := range map[string]store.Token{
		"no kind":           token("a", "", ""),
		"no name":           token("", store.TokenAdmin, ""),
		"check of nobody":   token("b", store.TokenCheck, ""),
		"admin of an agent": token("c", store.TokenAdmin, "ci"),
		"no digest":         {Name: "d", Kind: store.TokenAdmin},
		"expired":           {Name: "e", Kind: store.TokenAdmin, Sum: store.Hash{1}, ExpiresAt: time.Now().Add(-time.Second)},
	} {
		if _, err := s.CreateToken(t.Context(), bad, ""); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// TestT15_TokenWithoutItsRow: a token put into the file, changed there or brought back there is
// not used.
func TestT15_TokenWithoutItsRow(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ change, token string }{
		"kind raised":        {"UPDATE tokens SET kind = 'admin', agent = '' WHERE name = 'check:ci'", "check:ci"},
		"secret exchanged":   {"UPDATE tokens SET sha256 = x'00' WHERE name = 'check:ci'", "check:ci"},
		"agent exchanged":    {"UPDATE tokens SET agent = 'root' WHERE name = 'check:ci'", "check:ci"},
		"expiry taken away":  {"UPDATE tokens SET expires_at = 0 WHERE name = 'brief'", "brief"},
		"revocation undone":  {"UPDATE tokens SET revoked_at = 0 WHERE name = 'gone'", "gone"},
		"put in":             {"INSERT INTO tokens SELECT 'x', 'mine', 'admin', '', x'01', 'ann', created_at, 0, 0, 0, audit_seq FROM tokens WHERE name = 'check:ci'", "mine"},
		"audit row altered":  {"UPDATE audit_log SET decided_by = 'eve' WHERE rule_text = 'token brief'", "brief"},
		"audit row is gone":  {"DELETE FROM audit_log WHERE rule_text = 'token brief'", "brief"},
		"row of another one": {"UPDATE tokens SET audit_seq = 1 WHERE name = 'brief'", "brief"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := place(t)
			s := opened(t, path, store.Options{})
			brief := token("brief", store.TokenIntegrator, "")
			brief.ExpiresAt = time.Now().Add(time.Hour)
			for _, k := range []store.Token{token("check:ci", store.TokenCheck, "ci"), brief, token("gone", store.TokenApprover, "")} {
				_, err := s.CreateToken(t.Context(), k, "")
				must(t, err)
			}
			_, err := s.RevokeToken(t.Context(), "gone", "ann")
			must(t, err)
			must(t, s.Close())
			tamper(t, path, tc.change)
			s = opened(t, path, store.Options{})
			if got := byName(t, s, tc.token); got.Usable(time.Now()) || got.Name == "" {
				t.Errorf("got %+v, want it there and not usable", got)
			}
		})
	}
}
