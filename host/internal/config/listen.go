package config

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// maxSocketPath is the limit of the smallest sockaddr_un of our systems.
const maxSocketPath = 103

// listen checks the daemon's address and writes it in Endpoint's form.
func (ck *checker) listen(listen *string) {
	if *listen == "" {
		return
	}
	value := strings.TrimPrefix(*listen, "unix:")
	if path, err := ck.dirs.expand(value); err == nil {
		if len(path) > maxSocketPath {
			ck.add("listen", "socket path %s has %d bytes, but sockets are limited to %d; choose a shorter one", path, len(path), maxSocketPath)
		}
		*listen = path
		return
	}
	address, err := loopback(value)
	if err != nil {
		ck.add("listen", "%q: %v", *listen, err)
		return
	}
	*listen = address
}

// loopback reads a loopback address with its port. Names are not looked up: a name server could
// choose the address. localhost is 127.0.0.1.
func loopback(text string) (string, error) {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", fmt.Errorf("want the absolute path of a unix socket, or a loopback address with port such as 127.0.0.1:7433")
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil || ip.Zone() != "" || !ip.Unmap().IsLoopback() {
		return "", fmt.Errorf("host %q is not a loopback address: Callgate only serves the local machine; want 127.0.0.1, [::1] or a socket path", host)
	}
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return "", fmt.Errorf("port %q: want 0 to 65535 (0 picks a free one)", port)
	}
	return netip.AddrPortFrom(ip, uint16(number)).String(), nil
}

// Endpoint returns where the daemon listens in the words of package net:
// "unix" and an absolute path, or "tcp" and a loopback address with port.
func (c *Config) Endpoint() (network, address string) {
	if strings.HasPrefix(c.Listen, "/") {
		return "unix", c.Listen
	}
	if _, err := netip.ParseAddrPort(c.Listen); err == nil {
		return "tcp", c.Listen
	}
	return "unix", c.Listen
}
