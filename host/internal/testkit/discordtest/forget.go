package discordtest

// ForgetHistory drops everything kept for tests to look at, and to send again: requests, steps,
// messages, answered interactions, nonces and sent events. It is for tests that measure memory;
// nothing earlier can be clicked or resumed any more.
func (s *Server) ForgetHistory() {
	s.ForgetRequests()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.nonces)
	for id, i := range s.interactions {
		if i.answered != 0 || i.expired {
			delete(s.interactions, id)
			delete(s.tokens, i.token)
		}
	}
	clear(s.messages)
	for _, c := range s.channels {
		c.messages = nil
	}
	for _, n := range s.sessions {
		n.events, n.dropped = nil, n.seq
	}
}
