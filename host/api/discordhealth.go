package api

import (
	"fmt"
	"time"
)

// DiscordHealth is how the daemon's connection to Discord stands. The zero value is a
// daemon that has none.
type DiscordHealth struct {
	// Configured tells that the accepted configuration names a server, Server is its id.
	Configured bool   `json:"configured"`
	Server     string `json:"server,omitempty"`
	// Connected tells that cards are shown and answers come in; Since is since when that
	// is so or is not.
	Connected bool      `json:"connected"`
	Since     time.Time `json:"since,omitzero"`
	// Problem says what is wrong, Fatal that only a person can mend it.
	Problem string `json:"problem,omitempty"`
	Fatal   bool   `json:"fatal,omitempty"`
	// Restart tells that other settings were accepted, which hold from the next start on.
	Restart bool `json:"restart,omitempty"`
	// Bot is the bot's account, as NAME (ID); empty while it is not known.
	Bot string `json:"bot,omitempty"`
	// Cards is how many stand open. LastError is what last went wrong, at LastErrorAt.
	Cards       int       `json:"cards"`
	LastError   string    `json:"last_error,omitempty"`
	LastErrorAt time.Time `json:"last_error_at,omitzero"`
}

// String tells it to people, in one line.
func (d DiscordHealth) String() string {
	since := ""
	if !d.Since.IsZero() {
		since = " since " + d.Since.Local().Format(time.DateTime)
	}
	switch {
	case !d.Configured:
		return "not set up: asks are not shown in Discord"
	case d.Connected:
		bot := ""
		if d.Bot != "" {
			bot = " as " + d.Bot
		}
		return fmt.Sprintf("connected%s%s, server %s; %d cards stand open", bot, since, d.Server, d.Cards)
	case d.Problem != "":
		return fmt.Sprintf("not connected%s: %s; asks are answered in a terminal and through the API, or denied at their deadline", since, d.Problem)
	}
	return fmt.Sprintf("not connected%s: asks are answered in a terminal and through the API, or denied at their deadline", since)
}

// Cure says what to do; empty when nothing has to be done.
func (d DiscordHealth) Cure() string {
	switch {
	case !d.Configured:
		return "callgate discord setup"
	case d.Restart:
		return "start callgate serve again: it still has the settings of before"
	case d.Connected:
		return ""
	case d.Fatal:
		return "callgate discord setup, mend what it names, and start callgate serve again"
	}
	return "wait, it is tried again by itself; callgate discord setup looks closer"
}
