package link

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// DefaultAPI is the address of Discord's REST API, with the version in use.
const DefaultAPI = "https://discord.com/api/v10"

// gatewayVersion is the matching version of the gateway.
const gatewayVersion = "10"

// apiAddress checks the address of a Discord-shaped server: https, or http on this
// machine. Without a path it gets the path of Discord's own.
func apiAddress(text string) (*url.URL, error) {
	if text == "" {
		text = DefaultAPI
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("discord.api_url is no address: write it as %s", DefaultAPI)
	}
	switch {
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("discord.api_url has a user, a query or a fragment: write it as %s", DefaultAPI)
	case u.Scheme == "http" && !loopback(u.Hostname()):
		return nil, fmt.Errorf("discord.api_url %q is http, which anybody on the way can read: use https (http only to this machine)", u.Redacted())
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("discord.api_url begins with %q: use https", u.Scheme)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	if u.Path == "" {
		u.Path = "/api/v10"
	}
	return u, nil
}

// loopback tells whether a host is this machine by its name alone: nothing is looked up.
func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// gatewayAddress checks where the server says its gateway is: wss, or ws on this
// machine when the REST API is there too.
func gatewayAddress(text string, api *url.URL) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
		return nil, fmt.Errorf("the server names a gateway that is no address")
	case u.Scheme == "wss":
	case u.Scheme == "ws" && api.Scheme == "http" && loopback(u.Hostname()):
	default:
		return nil, fmt.Errorf("the server names a gateway at %s://%s: only wss is taken (ws from a server on this machine)", u.Scheme, u.Host)
	}
	if u.Path == "" {
		u.Path = "/"
	}
	u.RawQuery = url.Values{"v": {gatewayVersion}, "encoding": {"json"}}.Encode()
	return u, nil
}

// The only texts allowed in a path.
var (
	snowflake = regexp.MustCompile(`^[0-9]{1,20}$`)
	ticket    = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`) // of an interaction; see isTicket
	anyPath   = regexp.MustCompile(`^(/[A-Za-z0-9._~%@:-]+)+(\?[A-Za-z0-9._~%=&-]*)?$`)
)

// isTicket reports whether a text is an interaction's token. The length is no part of the pattern:
// RATIONALE.md, "Why do patterns not count?".
func isTicket(text string) bool { return len(text) <= 1000 && ticket.MatchString(text) }

// plainPath reports whether a path is plain: no step up, no empty step.
func plainPath(path string) bool {
	return anyPath.MatchString(path) && !strings.Contains(path, "/.")
}
