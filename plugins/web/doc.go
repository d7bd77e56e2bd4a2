// Package web judges calls that reach the web: WebFetch and WebSearch.
//
// A rule of WebFetch names a host, exactly, or its subdomains. Hosts are parsed
// as a browser does; an address that is spelled oddly is never allowed by a
// rule and always caught by one. Addresses of the machine, the local network and
// cloud metadata are a bypass-immune ask.
// Source: the vibing seed's domain patterns; design sections 11 and 13.
package web
