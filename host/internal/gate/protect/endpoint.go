package protect

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// endpoint is where the daemon answers: a socket, or a port of this machine.
type endpoint struct {
	socket [][]string // folded components of its path, in all forms; the last is a glob for its lock too
	port   string
}

func newEndpoint(network, address string) *endpoint {
	e := &endpoint{}
	if network == "unix" {
		for _, form := range forms(address) {
			socket := components(form)
			socket[len(socket)-1] += "*"
			e.socket = append(e.socket, socket)
		}
		return e
	}
	if _, port, err := net.SplitHostPort(address); err == nil {
		e.port = port
	}
	return e
}

// isSocket tells whether a path of these components can mean the socket or its lock, or hold them.
func (j *judge) isSocket(parts []string) (is, holds bool) {
	for _, e := range j.endpoints() {
		for _, socket := range e.socket {
			within, above := match(parts, place{parts: socket, file: true})
			is, holds = is || within, holds || above
		}
	}
	return is, holds
}

// address judges "HOST PORT". Our port is denied at every host except certain other machines: a
// name may mean this one.
func (j *judge) address(value string) string {
	ours := j.ports()
	if value == unknown {
		value = unknown + " " + unknown
	}
	host, port, _ := strings.Cut(value, " ")
	port = normalPort(port)
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	switch {
	case len(ours) == 0 || !slices.Contains(ours, port) && port != unknown:
		return ""
	case port == unknown && !j.here(host):
		return ""
	case port != unknown && elsewhere(host):
		return ""
	}
	return fmt.Sprintf("it reaches %s port %s, where Callgate answers on port %s", host, port, strings.Join(ours, " and "))
}

// normalPort is a port as reached: with a sign or zeros before it, and beyond 65535 or below 0
// by its last sixteen bits, for glibc's getaddrinfo, and so bash's /dev/tcp, accept such.
// Anything but a number is unknown.
func normalPort(text string) string {
	if text == unknown {
		return text
	}
	digits := strings.TrimLeft(text, "+-")
	if digits == "" || len(text)-len(digits) > 1 || strings.Trim(digits, "0123456789") != "" {
		return unknown
	}
	var n uint16 // higher bits are cut off
	for _, digit := range digits {
		n = n*10 + uint16(digit-'0')
	}
	if text[0] == '-' {
		n = -n
	}
	return strconv.Itoa(int(n))
}

// elsewhere reports whether a host is an address outside this machine's loopback.
func elsewhere(host string) bool {
	ip, ok := parseIP(host)
	return ok && !ip.IsLoopback() && !ip.IsUnspecified()
}

// here tells whether a host is a known name, or an address, of this machine.
func (j *judge) here(host string) bool {
	if ip, ok := parseIP(host); ok {
		return ip.IsLoopback() || ip.IsUnspecified()
	}
	switch host {
	case "", "localhost", "localhost.localdomain", "ip6-localhost", "ip6-loopback", "localtest.me", "lvh.me", unknown, "*", strings.ToLower(j.facts.Hostname):
		return true
	}
	return strings.HasSuffix(host, ".localhost") || strings.ContainsAny(host, "$`{*")
}

// parseIP reads the spellings of an address accepted by browsers and the C library: decimal,
// octal, hexadecimal, fewer than four numbers, IPv4 in IPv6.
func parseIP(host string) (netip.Addr, bool) {
	host, _, _ = strings.Cut(host, "%") // a zone
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap(), true
	}
	parts := strings.Split(host, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 33)
		last := i == len(parts)-1
		if err != nil || strings.ContainsAny(part, "_oObB") || !last && n > 255 || last && n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, false
		}
		if last {
			value |= n
		} else {
			value |= n << (8 * (3 - i))
		}
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}
