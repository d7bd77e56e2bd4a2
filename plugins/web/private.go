package web

import (
	"net/netip"
	"slices"
	"strconv"
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
	case strings.Contains(a.host, "metadata") && (last == "internal" || len(labels) == 1), a.host == "instance-data", a.below(metadataNames):
		return "a cloud metadata service"
	case len(labels) == 1, privateSuffixes[last]:
		return "a name of the local network"
	case a.below(anyAddress), spellsPrivate(labels):
		return "a name that can stand for any local address"
	}
	return ""
}

// below reports whether the host is one of zones or below one.
func (a address) below(zones []string) bool {
	return slices.ContainsFunc(zones, func(zone string) bool { return a.host == zone || strings.HasSuffix(a.host, "."+zone) })
}

var (
	privateSuffixes = map[string]bool{
		"local": true, "internal": true, "lan": true, "intranet": true, "corp": true, "home": true, "private": true, "localdomain": true,
		"svc": true, "consul": true, "docker": true, "arpa": true,
	}
	metadataNames = []string{"metadata.goog", "metadata.tencentyun.com", "metadata.platformequinix.com", "metadata.packet.net"}
	// anyAddress are public services with names for local addresses, or for any address spelled in
	// the name.
	anyAddress = []string{
		"nip.io", "sslip.io", "xip.io", "xip.name", "localtest.me", "lvh.me", "vcap.me", "lacolhost.com", "localho.st", "traefik.me", "local.gd",
		"backname.io", "1u.ms", "rbndr.us", "lndo.site", "ddev.site", "localdev.me",
	}
)

// spellsPrivate reports whether labels hold an address of the local network, as four labels
// (10.0.0.1.dns.example) or in one (app-10-0-0-1.dns.example): a service may answer such a name
// with this address.
func spellsPrivate(labels []string) bool {
	for i, label := range labels {
		if i+4 <= len(labels) && spells(labels[i:i+4]) {
			return true
		}
		if words := strings.Split(label, "-"); len(words) >= 4 && spells(words[len(words)-4:]) {
			return true
		}
	}
	return false
}

// spells reports whether four texts are the numbers of a private IPv4 address.
func spells(four []string) bool {
	var octets [4]byte
	for i, text := range four {
		n, err := strconv.ParseUint(text, 10, 8)
		if err != nil {
			return false
		}
		octets[i] = byte(n)
	}
	ip := netip.AddrFrom4(octets)
	return octets[0] != 0 && privateIP(ip) != ""
}

// reserved are the IPv4 ranges of IANA's registry of special purposes unknown to netip. Those for
// documentation lead nowhere and do no harm.
var reserved = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("240.0.0.0/4"),
}

// globalUnicast is all public IPv6, but for tunnelled: the ranges of it that carry an IPv4 address
// or are set apart by IANA.
var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	documentation = netip.MustParsePrefix("2001:db8::/32")
	tunnelled     = []netip.Prefix{netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2002::/16")}
)

// metadataIPs are the addresses of cloud metadata services: of most clouds, of
// AWS over IPv6, of Azure's host, Alibaba and Oracle.
var metadataIPs = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), netip.MustParseAddr("169.254.170.2"), netip.MustParseAddr("fd00:ec2::254"), netip.MustParseAddr("fd20:ce::254"),
	netip.MustParseAddr("168.63.129.16"), netip.MustParseAddr("100.100.100.200"), netip.MustParseAddr("192.0.0.192"),
}

func privateIP(ip netip.Addr) string {
	ip = ip.Unmap()
	switch {
	case slices.Contains(metadataIPs, ip):
		return "a cloud metadata service"
	case ip.IsLoopback(), ip.IsUnspecified():
		return "this machine"
	case ip.IsPrivate(), ip.IsLinkLocalUnicast(), ip.IsMulticast():
		return "an address of the local network"
	case ip.Is4() && contains(reserved, ip), ip.Is6() && (!globalUnicast.Contains(ip) || contains(tunnelled, ip)) && !documentation.Contains(ip):
		return "an address outside the public internet"
	}
	return ""
}

func contains(prefixes []netip.Prefix, ip netip.Addr) bool {
	return slices.ContainsFunc(prefixes, func(p netip.Prefix) bool { return p.Contains(ip) })
}
