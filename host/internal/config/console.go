package config

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// Console is the web console for browsers of other machines. Without it the console serves this
// machine alone. It holds from the next start on.
type Console struct {
	// Listen is an address with port, such as 0.0.0.0:8443; port 0 picks a free one. Only TLS is
	// spoken there.
	Listen string `yaml:"listen"`
	// Origin is the address in the browser, such as https://gate.example.org:8443. The console
	// answers under this name alone, and passkeys are bound to it.
	Origin string `yaml:"origin"`
	// TLS is the console's certificate.
	TLS ConsoleTLS `yaml:"tls"`
	// OIDC lets people sign in at an OpenID Connect provider. Left out: not there. Without passkeys as
	// well, only the one-time links of callgate console open it.
	OIDC OIDC `yaml:"oidc"`
	// Passkeys lets the people of this file sign in with a passkey that they have added in the console
	// before. Built in: false.
	Passkeys bool `yaml:"passkeys"`
}

// ConsoleTLS names the files of a certificate. They are read again when they change.
type ConsoleTLS struct {
	// CertFile holds the certificate and its chain as PEM.
	CertFile string `yaml:"cert_file"`
	// KeyFile holds the private key as PEM; only the daemon's account may read it.
	KeyFile string `yaml:"key_file"`
}

// OIDC is an OpenID Connect provider. Its redirect URI for Callgate is ORIGIN/signin/done.
type OIDC struct {
	// Issuer is the provider's URL, as its discovery document has it.
	Issuer string `yaml:"issuer"`
	// ClientID is the ID that the provider gave to Callgate.
	ClientID string `yaml:"client_id"`
	// ClientSecretFile holds the client's secret; only the daemon's account may read it. Left out
	// for a public client: then PKCE alone protects the code.
	ClientSecretFile string `yaml:"client_secret_file"`
}

// Host is the host in the console's origin; empty without one.
func (c Console) Host() string {
	u, err := url.Parse(c.Origin)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// console checks the console for other machines.
func (ck *checker) console(c *Config) {
	k := &c.Console
	if *k == (Console{}) {
		for _, name := range sortedKeys(c.People) {
			if c.People[name].OIDC != "" {
				ck.add("people."+name+".oidc", "nothing reads it without console.oidc; set that, or remove this")
			}
		}
		return
	}
	ck.path(&k.TLS.CertFile, "console.tls.cert_file")
	ck.path(&k.TLS.KeyFile, "console.tls.key_file")
	ck.path(&k.OIDC.ClientSecretFile, "console.oidc.client_secret_file")
	if host, port, err := net.SplitHostPort(k.Listen); err != nil || !isPort(port) || host != "" && net.ParseIP(host) == nil {
		ck.add("console.listen", "%q: want an address with port, such as 0.0.0.0:8443", k.Listen)
	}
	if why := originProblem(k.Origin); why != "" {
		ck.add("console.origin", "%.80q: %s", k.Origin, why)
	}
	if k.TLS.CertFile == "" || k.TLS.KeyFile == "" {
		ck.add("console.tls", "want cert_file and key_file: beyond this machine the console speaks TLS alone")
	}
	ck.oidc(k.OIDC)
	if k.Passkeys && len(c.People) == 0 {
		ck.add("console.passkeys", "only people of this file may sign in, and it has none: add them as people, or remove this")
	}
}

func isPort(text string) bool {
	_, err := strconv.ParseUint(text, 10, 16)
	return err == nil
}

// originProblem says what is wrong with the origin of a console.
func originProblem(origin string) string {
	u, err := url.Parse(origin)
	switch {
	case err != nil || u.Scheme != "https" || u.Host == "" || u.Host != strings.ToLower(u.Host) || origin != "https://"+u.Host || u.Port() == "443":
		return "want https://HOST or https://HOST:PORT in lower case, without a path, and without the port 443"
	case u.Port() == "" && strings.HasSuffix(u.Host, ":"):
		return "a port is missing behind the colon"
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil || !strings.Contains(u.Hostname(), ".") && u.Hostname() != "localhost" {
		return "want a host name such as gate.example.org: browsers bind passkeys to names alone"
	}
	return ""
}

func (ck *checker) oidc(o OIDC) {
	if o == (OIDC{}) {
		return
	}
	if err := CheckEndpoint(o.Issuer); err != nil {
		ck.add("console.oidc.issuer", "%v", err)
	}
	if strings.TrimSpace(o.ClientID) == "" {
		ck.add("console.oidc.client_id", "missing: want the ID that the provider gave to Callgate")
	}
}

// OIDCPerson is the name of the person with this subject at the console's provider; empty for none.
func (c *Config) OIDCPerson(subject string) string {
	if subject == "" {
		return ""
	}
	for _, name := range sortedKeys(c.People) {
		if c.People[name].OIDC == subject {
			return name
		}
	}
	return ""
}

// subjects refuses one subject for two people.
func (ck *checker) subjects(c *Config) {
	owner := map[string]string{}
	for _, name := range sortedKeys(c.People) {
		subject := c.People[name].OIDC
		if other := owner[subject]; other != "" && subject != "" {
			ck.add("people."+name+".oidc", "%.80q is also the subject of %s; a subject belongs to one person", subject, other)
		}
		owner[subject] = name
	}
}
