package config_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/config"
)

func TestConsole(t *testing.T) {
	t.Parallel()
	const good = "console: {listen: '0.0.0.0:8443', origin: 'https://gate.example.org:8443', tls: {cert_file: /c, key_file: /k}, oidc: {issuer: 'https://i.example.org', client_id: c}}\n"
	for name, tt := range map[string]struct{ old, new, want string }{
		"good":                  {"", "", ""},
		"without a provider":    {", oidc: {issuer: 'https://i.example.org', client_id: c}", "", ""},
		"the default port":      {"org:8443", "org", ""},
		"no port to listen at":  {"0.0.0.0:8443", "0.0.0.0", "console.listen"},
		"no such port":          {"0.0.0.0:8443", "0.0.0.0:70000", "console.listen"},
		"a name to listen at":   {"0.0.0.0:8443", "gate.example.org:8443", "console.listen"},
		"no TLS in the origin":  {"https://gate", "http://gate", "console.origin"},
		"a path in the origin":  {"org:8443", "org:8443/", "console.origin"},
		"capitals":              {"gate", "Gate", "console.origin"},
		"a user in the origin":  {"https://gate", "https://a@gate", "console.origin"},
		"an address":            {"gate.example.org", "192.0.2.1", "console.origin"},
		"a bare name":           {"gate.example.org", "gate", "console.origin"},
		"port 443":              {"org:8443", "org:443", "console.origin"},
		"an empty port":         {"org:8443", "org:", "console.origin"},
		"no origin":             {"origin: 'https://gate.example.org:8443', ", "", "console.origin"},
		"no certificate":        {"cert_file: /c, ", "", "console.tls"},
		"a relative key":        {"key_file: /k", "key_file: k", "console.tls.key_file"},
		"an issuer without TLS": {"https://i.example.org", "http://i.example.org", "console.oidc.issuer"},
		"passkeys of nobody":    {", oidc:", ", passkeys: true, oidc:", "console.passkeys"},
		"no client":             {", client_id: c", "", "console.oidc.client_id"},
		"one subject for two":   {"", "people: {ann: {oidc: u}, bob: {oidc: u}}\n", "people.bob.oidc"},
	} {
		text := strings.Replace(good, tt.old, tt.new, 1)
		if tt.old == "" {
			text = good + tt.new
		}
		_, err := config.Parse("callgate.yaml", []byte(text), config.Dirs{Home: "/home/ann"})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want+":") {
			t.Errorf("%s: got %v, want an error of %q", name, err, tt.want)
		}
	}
	_, err := config.Parse("callgate.yaml", []byte("people: {ann: {oidc: u}}\n"), config.Dirs{Home: "/home/ann"})
	if err == nil || !strings.Contains(err.Error(), "people.ann.oidc") {
		t.Errorf("a subject without a provider: got %v", err)
	}
}
