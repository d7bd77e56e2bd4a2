// Package console is the web console: pages for a browser of this machine or, over TLS, of others,
// where people see the waiting asks, answer them and read what the gate has done.
//
// It owns the browser's side: one-time links, signing in at an OpenID Connect provider, sessions, the guard against other pages and other
// names, the templates, the style and the script. It decides nothing and knows no right: each page
// is made by a client of the API inside the daemon's process, with the rights that the person's
// token has there. An ask is drawn from the shared model of package card, in its order. No text of
// a call is ever markup: html/template escapes it, and the script inserts no text as HTML.
//
// It may import the client, card, ask, the store's types and wire, and never the gate, the API or
// the configuration; daemon calls it.
//
// RATIONALE.md, "Why does the console's script fetch pages as documents?".
package console
