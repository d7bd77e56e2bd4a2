package web

import (
	"net/netip"
	"strings"
)

// private says why an address is not one of the public web, or "".
func private(a address) string {
	if a.ip.IsValid() {
		return privateIP(a.ip)
	}
	labels := strings.Split(a.host, ".")
	switch last := labels[len(labels)-1]; {
	case last == "localhost":
		return "this machine"
	case strings.Contains(a.host, "metadata") && (last == "internal" || len(labels) == 1), a.host == "instance-data":
		return "a cloud metadata service"
	case len(labels) == 1, privateSuffixes[last], strings.HasSuffix(a.host, ".home.arpa"):
		return "a name of the local network"
	}
	for _, suffix := range []string{"nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me"} {
		if a.host == suffix || strings.HasSuffix(a.host, "."+suffix) {
			return "a name that can stand for any local address"
		}
	}
	return ""
}

var privateSuffixes = map[string]bool{"local": true, "internal": true, "lan": true, "intranet": true, "corp": true, "home": true, "private": true, "localdomain": true}

// reserved are the ranges that netip has no word for.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("2001::/32"),
	netip.MustParsePrefix("::/96"),
	netip.MustParsePrefix("fec0::/10"),
}

func privateIP(ip netip.Addr) string {
	ip = ip.Unmap()
	switch {
	case ip == netip.AddrFrom4([4]byte{169, 254, 169, 254}), ip == netip.MustParseAddr("fd00:ec2::254"):
		return "a cloud metadata service"
	case ip.IsLoopback(), ip.IsUnspecified():
		return "this machine"
	case ip.IsPrivate(), ip.IsLinkLocalUnicast(), ip.IsMulticast():
		return "an address of the local network"
	}
	for _, prefix := range reserved {
		if prefix.Contains(ip) {
			return "an address outside the public internet"
		}
	}
	return ""
}
