package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// address is where a URL leads.
type address struct {
	// host is canonical: lower case ASCII without a trailing dot, an IPv4 address
	// as four decimal numbers, an IPv6 address as RFC 5952 writes it, bare.
	host string
	// ip is valid when the host is an address.
	ip netip.Addr
	// port is the written one, else the scheme's own.
	port string
	// ownPort means it is the scheme's own.
	ownPort bool
	// path is as it is written, with its first slash, without query and fragment.
	path string
	// canonical is the URL as a browser writes it, without anything after the path.
	canonical string
	// plain means the URL spells the host canonically (but for letter case). Only then do
	// allowances count.
	plain bool
}

var errScheme = errors.New("only http and https addresses are fetched")

// parse reads a URL as the WHATWG standard, and so a browser, does, but refuses the standard's
// silent repairs: control characters, blanks, backslashes, user names, missing slashes.
func parse(text string) (address, error) {
	switch {
	case len(text) > 8192:
		return address{}, errors.New("the address is longer than 8192 bytes")
	case strings.ContainsFunc(text, func(r rune) bool { return r <= 0x20 || 0x7f <= r && r <= 0xa0 || r == '\uFFFD' }):
		return address{}, errors.New("the address holds a blank or a control character")
	case strings.Contains(text, `\`):
		return address{}, errors.New("the address holds a backslash")
	}
	scheme, rest, ok := strings.Cut(text, ":")
	if !ok || !isScheme(scheme) {
		return address{}, errors.New("the address does not begin with http:// or https://")
	}
	scheme = strings.ToLower(scheme)
	if scheme != "http" && scheme != "https" {
		if strings.Contains(scheme, ".") { // "github.com:443/x" is a host without a scheme
			return address{}, errors.New("the address does not begin with http:// or https://")
		}
		return address{}, fmt.Errorf("%w, not %s", errScheme, scheme)
	}
	authority, ok := strings.CutPrefix(rest, "//")
	if !ok || strings.HasPrefix(authority, "/") {
		return address{}, errors.New("the address does not begin with http:// or https://")
	}
	path, tail := "/", ""
	if i := strings.IndexAny(authority, "/?#"); i >= 0 {
		path, tail = authority[i:], ""
		if end := strings.IndexAny(path, "?#"); end >= 0 {
			path, tail = path[:end], path[end:]
		}
		path, authority = cmp.Or(path, "/"), authority[:i]
	}
	if strings.Contains(authority, "@") {
		return address{}, errors.New("the address holds a user name")
	}
	written, port, err := splitPort(authority)
	if err != nil {
		return address{}, err
	}
	a, err := parseHost(written)
	if err != nil {
		return address{}, err
	}
	own := map[string]string{"http": "80", "https": "443"}[scheme]
	a.path, a.port, a.ownPort = path, cmp.Or(port, own), port == "" || port == own
	a.canonical = scheme + "://" + bracketed(a.host)
	if !a.ownPort {
		a.canonical += ":" + a.port
	}
	a.canonical += withoutDots(path) + tail
	return a, nil
}

// Host is the host of an http or https address as a target names it: canonical,
// an IPv6 address in brackets.
func Host(text string) (string, error) {
	a, err := parse(text)
	return bracketed(a.host), err
}

func isScheme(s string) bool {
	if s == "" || s[0]|0x20 < 'a' || s[0]|0x20 > 'z' {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool {
		return !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("+-.", r))
	}) < 0
}

func splitPort(authority string) (host, port string, err error) {
	i := strings.LastIndexByte(authority, ':')
	if i < 0 || strings.HasSuffix(authority, "]") {
		return authority, "", nil
	}
	host, port = authority[:i], authority[i+1:]
	if port == "" {
		return host, "", nil
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return "", "", fmt.Errorf("the port %q is not a number", port)
	}
	return host, port, nil
}

// parseHost makes a host canonical.
func parseHost(written string) (address, error) {
	if inner, ok := strings.CutPrefix(written, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		ip, err := netip.ParseAddr(inner)
		if !ok || err != nil || !ip.Is6() || ip.Zone() != "" {
			return address{}, fmt.Errorf("%s is not an IPv6 address", written)
		}
		canonical := ip.Unmap()
		return address{host: canonical.String(), ip: canonical, plain: canonical.String() == inner}, nil
	}
	decoded, err := url.PathUnescape(written)
	if err != nil || !utf8.ValidString(decoded) {
		return address{}, fmt.Errorf("the host %q holds a broken escape", written)
	}
	host, err := browser.ToASCII(decoded)
	if err != nil {
		return address{}, fmt.Errorf("the host %q is not a host name", written)
	}
	if strings.Contains(host, "xn--") { // a label with an encoded one inside is none
		if again, err := browser.ToASCII(host); err != nil || again != host {
			return address{}, fmt.Errorf("the host %q is not a host name", written)
		}
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if err := checkName(host); err != nil {
		return address{}, err
	}
	a := address{host: host}
	if endsInNumber(host) {
		if a.ip, err = parseIPv4(host); err != nil {
			return address{}, err
		}
		a.host = a.ip.String()
	}
	a.plain = a.host == lowerASCII(written)
	return a, nil
}

// browser maps host names as browsers do: UTS 46, non-transitional, without the
// STD3 rules.
var browser = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.StrictDomainName(false), idna.CheckHyphens(false), idna.VerifyDNSLength(false))

func checkName(host string) error {
	if host == "" {
		return errors.New("the address has no host")
	}
	if len(host) > 253 {
		return errors.New("the host is longer than 253 bytes")
	}
	for _, label := range strings.Split(host, ".") {
		if label == "" || len(label) > 63 {
			return fmt.Errorf("the host %q has an empty or overlong label", host)
		}
	}
	for i := range len(host) {
		c := host[i]
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_') {
			return fmt.Errorf("the host %q holds the character %q", host, c)
		}
	}
	return nil
}

func lowerASCII(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// endsInNumber reports, as WHATWG does, whether a host can only be an IPv4 address.
func endsInNumber(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	if strings.Trim(last, "0123456789") == "" {
		return true
	}
	_, err := parseNumber(last)
	return err == nil
}

// parseIPv4 reads the spellings a browser takes for an IPv4 address: decimal,
// octal and hexadecimal numbers, and fewer than four of them.
func parseIPv4(host string) (netip.Addr, error) {
	bad := fmt.Errorf("the host %q is not an IPv4 address", host)
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, bad
	}
	var value uint64
	for i, part := range parts {
		n, err := parseNumber(part)
		if err != nil {
			return netip.Addr{}, bad
		}
		if i < len(parts)-1 {
			if n > 255 {
				return netip.Addr{}, bad
			}
			value |= n << (8 * (3 - i))
			continue
		}
		if n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, bad
		}
		value |= n
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), nil
}

func parseNumber(s string) (uint64, error) {
	base := 10
	switch {
	case s == "0x":
		return 0, nil
	case strings.HasPrefix(s, "0x"):
		s, base = s[2:], 16
	case len(s) > 1 && s[0] == '0':
		s, base = s[1:], 8
	}
	return strconv.ParseUint(s, base, 33)
}
