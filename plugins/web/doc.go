// Package web judges calls to the web: WebFetch and WebSearch.
//
// A rule of WebFetch names a host, exactly, or its subdomains. Hosts are parsed as a browser does;
// an oddly spelled address is never allowed by a rule and always caught by one. Addresses of the
// machine, the local network and cloud metadata are a bypass-immune ask. Source: docs/seeds.md, "4.
// Domain Patterns (WebFetch/WebSearch)".
package web
