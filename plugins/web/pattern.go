package web

import (
	"errors"
	"fmt"
	"strings"
)

// pattern is a rule's content: one host, or every subdomain of one.
type pattern struct {
	host       string
	subdomains bool
}

// parsePattern reads "github.com", "*.npmjs.com" or "domain:github.com".
func parsePattern(content string) (pattern, error) {
	content = strings.TrimPrefix(content, "domain:")
	p := pattern{}
	content, p.subdomains = strings.CutPrefix(content, "*.")
	if strings.ContainsAny(content, "*/?#@") {
		return p, fmt.Errorf("%q is not a host: want one like github.com, or *.github.com for its subdomains", content)
	}
	a, err := parseHost(bracketed(content))
	if err != nil {
		return p, err
	}
	if p.subdomains && a.ip.IsValid() {
		return p, errors.New("an address has no subdomains")
	}
	p.host = a.host
	return p, nil
}

// bracketed puts the brackets around a bare IPv6 address that a URL needs.
func bracketed(host string) string {
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		return "[" + host + "]"
	}
	return host
}

// names compares by labels, so that "*.example.com" is not evilexample.com.
func (p pattern) names(a address) bool {
	if p.subdomains {
		return strings.HasSuffix(a.host, "."+p.host)
	}
	return a.host == p.host
}
