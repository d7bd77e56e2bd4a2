package web

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/callgate/callgate/plugins/internal/paths"
)

// pattern is a rule's content: one host, or every subdomain of one, with one
// port when a port is written, and below one path when a path is.
type pattern struct {
	host       string
	subdomains bool
	// port is empty where the rule names none.
	port string
	// path are the decoded segments at the beginning of a URL's path; none for every path.
	path []string
	// below means the path itself, without more after it, is not meant.
	below bool
}

// parsePattern reads "github.com", "*.npmjs.com", "domain:github.com",
// "localhost:3000", "github.com/org/*" and their combinations.
func parsePattern(content string) (pattern, error) {
	p := pattern{}
	content, p.subdomains = strings.CutPrefix(strings.TrimPrefix(content, "domain:"), "*.")
	host, rest, hasPath := strings.Cut(content, "/")
	if strings.ContainsAny(host, `*?#@%\`) || strings.ContainsAny(rest, `?#\`) || strings.Contains(content, "://") {
		return p, fmt.Errorf("%q is no host: want one like github.com, *.github.com for its subdomains, or github.com/org/* for what is below a path", content)
	}
	if strings.Count(host, ":") > 1 && !strings.HasPrefix(host, "[") {
		host = "[" + host + "]"
	}
	host, port, err := splitPort(host)
	if err != nil {
		return p, err
	}
	a, err := parseHost(host)
	if err != nil {
		return p, err
	}
	if p.subdomains && a.ip.IsValid() {
		return p, errors.New("an address has no subdomains")
	}
	p.host, p.port = a.host, port
	if !hasPath {
		return p, nil
	}
	rest, star := strings.CutSuffix(rest, "*")
	p.below = star || strings.HasSuffix(rest, "/")
	if strings.Contains(rest, "*") || star && rest != "" && !strings.HasSuffix(rest, "/") {
		return p, fmt.Errorf(`%q: a path ends in "/*", and has no other "*"`, content)
	}
	if rest = strings.TrimSuffix(rest, "/"); rest == "" {
		return pattern{host: p.host, subdomains: p.subdomains, port: p.port}, nil
	}
	segments, canonical := readPath("/" + rest)
	if !canonical {
		return p, fmt.Errorf(`%q: write the path without dot segments, empty segments and escaped slashes`, content)
	}
	p.path = segments
	return p, nil
}

// names compares hosts by labels: "*.example.com" is not evilexample.com.
func (p pattern) names(a address) bool {
	if p.subdomains {
		return strings.HasSuffix(a.host, "."+p.host)
	}
	return a.host == p.host
}

// reaches compares hosts as a deny or ask rule does. "*.example.com" holds for example.com, too, as
// its author means; and a name or address of this machine holds for all of them, because each
// reaches the same server.
func (p pattern) reaches(a address) bool {
	return p.names(a) || p.subdomains && a.host == p.host || thisMachine(p.host) && (thisMachine(a.host) || a.below(anyAddress))
}

// thisMachine reports whether a canonical host is a name or an address of the
// machine itself.
func thisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	if err == nil {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	switch host {
	case "localhost", "localhost.localdomain", "localhost6", "ip6-localhost", "ip6-loopback":
		return true
	}
	return strings.HasSuffix(host, ".localhost")
}

// allows reports whether the rule lets an address through: one spelt canonically as far as the rule
// looks at it, with the scheme's own port unless the rule names one.
func (p pattern) allows(a address) bool {
	if !p.names(a) || !a.plain || p.port == "" && !a.ownPort || p.port != "" && p.port != a.port {
		return false
	}
	if len(p.path) == 0 {
		return true
	}
	segments, canonical := readPath(a.path)
	return canonical && p.covers(segments, func(want, got string) bool { return want == got })
}

// anyPath is the path of an address with only a known host: for the gate's question whether a rule
// holds for another tool's call to the host.
const anyPath = "/*"

// catches reports whether the rule holds for an address in any spelling: for its path, as any
// server might read it.
func (p pattern) catches(a address) bool {
	if !p.reaches(a) {
		return false
	}
	if a.path == anyPath {
		return true
	}
	if p.port != "" && p.port != a.port {
		return false
	}
	if len(p.path) == 0 {
		return true
	}
	readings, settled := pathReadings(a.path)
	if !settled {
		return true
	}
	for _, segments := range readings {
		// A server may take "/org" for "/org/".
		if (pattern{path: p.path}).covers(segments, func(want, got string) bool { return paths.Fold(want) == got }) {
			return true
		}
	}
	return false
}

// covers compares segment by segment. The last segment of a path with a slash at its end is empty.
func (p pattern) covers(segments []string, same func(want, got string) bool) bool {
	if len(segments) < len(p.path) || p.below && len(segments) == len(p.path) {
		return false
	}
	for i, want := range p.path {
		if !same(want, segments[i]) {
			return false
		}
	}
	return true
}

// bracketed puts a URL's brackets around a bare IPv6 address.
func bracketed(host string) string {
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		return "[" + host + "]"
	}
	return host
}
