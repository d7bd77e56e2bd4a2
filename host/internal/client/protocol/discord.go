package protocol

import (
	"fmt"
	"time"
)

// DiscordHealth is the state of the daemon's connection to Discord. The zero value is a daemon
// without one.
type DiscordHealth struct {
	// Configured reports whether the accepted configuration names a server, Server is its id.
	Configured bool   `json:"configured"`
	Server     string `json:"server,omitempty"`
	// Connected reports whether cards are shown and answers come in; Since is the time of its last
	// change.
	Connected bool      `json:"connected"`
	Since     time.Time `json:"since,omitzero"`
	// Problem is the present problem; Fatal marks one only a person can fix.
	Problem string `json:"problem,omitempty"`
	Fatal   bool   `json:"fatal,omitempty"`
	// Restart means other settings were accepted. They hold from the next start on.
	Restart bool `json:"restart,omitempty"`
	// Bot is the bot's account, as NAME (ID); empty while it is not known.
	Bot string `json:"bot,omitempty"`
	// Cards is the number of open cards. LastError is the last error, at LastErrorAt.
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
		return fmt.Sprintf("connected%s%s, server %s; %d open cards", bot, since, d.Server, d.Cards)
	case d.Problem != "":
		return fmt.Sprintf("not connected%s: %s; asks can be answered in a terminal and through the API, and are denied at their deadline", since, d.Problem)
	}
	return fmt.Sprintf("not connected%s: asks can be answered in a terminal and through the API, and are denied at their deadline", since)
}

// Fix is the way to fix it; empty without a problem.
func (d DiscordHealth) Fix() string {
	switch {
	case !d.Configured:
		return "callgate discord setup"
	case d.Restart:
		return "restart callgate serve: it still uses the previous settings"
	case d.Connected:
		return ""
	case d.Fatal:
		return "run callgate discord setup, fix the errors, and restart callgate serve"
	}
	return "wait: the daemon reconnects by itself. For details run callgate discord setup"
}
