package discordtest

import (
	"encoding/base64"
	"strconv"
	"time"
)

// epoch is the zero of snowflakes in milliseconds, the first of 2015.
const epoch = 1420070400000

// newID makes the id of something older than the test: a user, a guild, a channel. They are the
// same in every run. s.mu is held, as for all ids.
func (s *Server) newID() string {
	return s.stampedID(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC))
}

// stampedID makes a snowflake of a time. No two have the same low bits, so they sort by
// creation as long as the clock does not go back.
func (s *Server) stampedID(at time.Time) string {
	s.lastID++
	return strconv.FormatInt((at.UnixMilli()-epoch)<<22|s.lastID&(1<<22-1), 10)
}

// actedAt is the apparent time of an account's action: people take their time.
func (s *Server) actedAt(userID string) time.Time {
	if u := s.users[userID]; u != nil && u.Bot {
		return s.opts.Now()
	}
	return s.opts.Now().Add(s.opts.Patience)
}

// madeUpToken has the form of a real token: the bot's id, a time, a signature.
func madeUpToken(botID string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(botID)) + ".Gtests.abcdefghijklmnopqrstuvwxyz-_0123456789"
}
