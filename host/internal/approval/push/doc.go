// Package push tells people's browsers about waiting asks (Web Push, RFC 8030, with VAPID).
//
// It owns the devices that people have subscribed and the key that signs messages to their push
// services. A message holds the ask's id and nothing of the call: the page that it opens fetches the
// rest with the person's session. A push service is a stranger's server whose address comes from a
// browser, so only public hosts over TLS are reached, without redirects. No message answers anything.
//
// It may import the asks and the store's types; the API subscribes by it, the daemon runs it.
//
// RATIONALE.md, "What does a push message say?".
package push
