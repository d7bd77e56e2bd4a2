package discordtest

import (
	"encoding/json"
	"strings"
)

func (k *socket) identify(data json.RawMessage) {
	var d struct {
		Token      string          `json:"token"`
		Intents    *int            `json:"intents"`
		Properties json.RawMessage `json:"properties"`
	}
	s := k.server
	if json.Unmarshal(data, &d) != nil || d.Intents == nil || len(d.Properties) == 0 {
		s.Violate("gateway: identify without token, intents or properties")
		k.close(4002, "Decode error.")
		return
	}
	code, reason := s.admit(d.Token, *d.Intents)
	if code != 0 {
		k.close(code, reason)
		return
	}
	s.step("identify") // a cut here has dropped this socket: the bot sees no READY
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.sockets[k] {
		return
	}
	k.session = s.newSession(*d.Intents, k)
	s.ready(k.session, k.version)
	s.touch()
}

// admit decides on an identify: the code to close with, 0 for none.
func (s *Server) admit(token string, intents int) (int, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.startsLeft--; s.startsLeft < 0 && !s.reset {
		s.reset = true
		s.violate("gateway: identified more than %d times in a day: Discord resets the token", s.opts.SessionStarts)
	}
	switch {
	case strings.TrimPrefix(token, "Bot ") != s.Token || s.reset:
		return 4004, "Authentication failed."
	case intents&^knownIntents != 0 || intents < 0:
		s.violate("gateway: unknown intents %d", intents)
		return 4013, "Invalid intent(s)."
	case intents&privilegedIntents&^s.opts.Privileged != 0:
		return 4014, "Disallowed intent(s)."
	}
	return 0, ""
}

func (k *socket) resume(data json.RawMessage) {
	var d struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
	}
	s := k.server
	if json.Unmarshal(data, &d) != nil {
		k.close(4002, "Decode error.")
		return
	}
	s.mu.Lock()
	reset, n := s.reset, s.sessions[d.Session]
	s.mu.Unlock()
	switch {
	case strings.TrimPrefix(d.Token, "Bot ") != s.Token || reset:
		k.close(4004, "Authentication failed.")
		return
	case n == nil:
		k.send(pack(9, false))
		return
	}
	s.step("resume")
	s.mu.Lock()
	ahead := d.Seq > n.seq
	if !ahead && s.sockets[k] {
		k.replay(n, d.Seq)
	}
	s.mu.Unlock()
	if ahead {
		s.Violate("gateway: resumed after event %d, which was never sent", d.Seq)
		k.close(4007, "Invalid seq.")
	}
}

// replay sends the events missed by the session, if they are still kept.
func (k *socket) replay(n *session, seq int64) {
	if seq < n.dropped {
		k.send(pack(9, false))
		return
	}
	n.socket, k.session = k, n
	for _, p := range n.events[seq-n.dropped:] {
		k.send(p)
	}
	n.tell("RESUMED", object{"_trace": []string{"discordtest"}})
	k.server.touch()
}
