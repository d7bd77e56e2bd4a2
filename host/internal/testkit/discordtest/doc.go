// Package discordtest is a Discord-shaped server for tests, and for trying things out without
// an account: the REST API (versions 9 and 10) and the gateway for one bot, and people who
// click, choose, fill in, write and react as in a client. It listens on 127.0.0.1 in plain
// text; many may run in one process.
//
//	s := discordtest.Start(t, discordtest.Options{})  // in a test: checked and closed
//	alice := s.Person("alice", s.AddRole(s.Guild, "approver", 0))
//	… start the bot with s.URL() and s.Token …
//	card, err := s.WaitMessage(ctx, func(m discordtest.Message) bool { return m.ChannelID == s.Channel })
//	seen, err := alice.Click(ctx, card.ID, "Approve")
//
// Nothing sleeps: each wait is for the event itself and ends with the context.
//
// # What it checks
//
// Each request is read strictly and by this package alone: a foreign member, a duplicate one,
// an exceeded limit, an answer of the wrong type are violations, even if Discord accepts them.
// Requests and this server's own answers must fit Discord's description in testdata/discord,
// too (but see Options.HandWritten). Start fails the test on any violation left by
// TakeViolations.
//
// # What can go wrong
//
// Inject gives requests statuses, 429s, delays and cut connections, by count or by chance from
// a seed. The gateway loses sockets (DropSockets, CloseSockets, CutAt), sessions
// (ForgetSessions, Invalidate), heartbeats (MuteHeartbeats) and dials (RefuseDials). Forge,
// ForgeReaction, Dispatch and EditAs act as no client does; PostSigned signs wrongly.
//
// # What it is not
//
// It has text channels, public threads and direct messages; no voice, no forums, no shards, no
// compression, no presence, no embeds, no components V2. A bot without heartbeats is not cut
// off. The limits and codes are those of Discord's documentation, and only some were seen at
// the real one.
package discordtest
