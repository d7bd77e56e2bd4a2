// Package discordtest is a Discord-shaped server for tests, and for trying things out
// without an account: the REST API (versions 9 and 10) and the gateway for one bot, and
// people who click, choose, fill in, write and react as a client lets them. It listens on
// 127.0.0.1 in plain text; many may run in one process.
//
//	s := discordtest.Start(t, discordtest.Options{})  // in a test: checked and closed
//	alice := s.Person("alice", s.AddRole(s.Guild, "approver", 0))
//	… start the bot with s.URL() and s.Token …
//	card, err := s.WaitMessage(ctx, func(m discordtest.Message) bool { return m.ChannelID == s.Channel })
//	seen, err := alice.Click(ctx, card.ID, "Approve")
//
// Nothing sleeps: who waits, waits for the thing itself and ends with the context.
//
// # What it checks
//
// Each request is read strictly and by this package alone: a member that does not belong,
// one that stands there twice, a limit that is passed, an answer of the wrong type are
// violations, also those that Discord lets pass. Where Discord's openapi.json is at hand
// (Options.OpenAPI), requests and this server's own answers must fit its schemas too;
// else Start says that only the hand-written limits held. Start fails the test on any
// violation that TakeViolations did not take.
//
// # What can go wrong
//
// Inject gives requests statuses, 429s, delays and cut connections, by count or by chance
// from a seed. The gateway loses sockets (DropSockets, CloseSockets, CutAt), sessions
// (ForgetSessions, Invalidate), heartbeats (MuteHeartbeats) and dials (RefuseDials).
// Forge, ForgeReaction, Dispatch and EditAs make what no client makes; PostSigned signs
// wrongly.
//
// # What it is not
//
// It has text channels, public threads and direct messages; no voice, no forums, no
// shards, no compression, no presence. A bot that sends no heartbeats is not cut off.
// The limits and codes are those of Discord's documentation, and only some were seen at
// the real one.
package discordtest
