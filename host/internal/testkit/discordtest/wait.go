package discordtest

import (
	"cmp"
	"context"
	"slices"
)

// copy returns a message as it is now. It shares components, embeds and attachments with the
// server, which replaces them and never changes them. s.mu is held.
func (m *Message) copy() Message {
	c := *m
	c.Reactions = nil
	for _, r := range m.Reactions {
		c.Reactions = append(c.Reactions, Reaction{r.Emoji, slices.Clone(r.Users)})
	}
	return c
}

// Message returns a message as it is now, or was when it went, visible to anyone or not.
func (s *Server) Message(id string) (Message, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.messages[id]
	if m == nil {
		return Message{}, false
	}
	return m.copy(), true
}

// Messages returns all messages there are, oldest first, ephemeral ones too; deleted
// ones are marked.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Message
	for _, m := range s.messages {
		if !m.loading {
			list = append(list, m.copy())
		}
	}
	slices.SortFunc(list, func(a, b Message) int { return cmp.Compare(a.order, b.order) })
	return list
}

// WaitMessage returns the oldest matching message, waiting until there is one.
func (s *Server) WaitMessage(ctx context.Context, match func(Message) bool) (Message, error) {
	var found Message
	err := s.Wait(ctx, func() bool {
		list := s.Messages()
		at := slices.IndexFunc(list, match)
		if at >= 0 {
			found = list[at]
		}
		return at >= 0
	})
	return found, err
}

// WaitEdit returns a message as soon as it is so.
func (s *Server) WaitEdit(ctx context.Context, id string, match func(Message) bool) (Message, error) {
	return s.WaitMessage(ctx, func(m Message) bool { return m.ID == id && match(m) })
}

// WaitDeleted returns when a message is gone.
func (s *Server) WaitDeleted(ctx context.Context, id string) error {
	_, err := s.WaitMessage(ctx, func(m Message) bool { return m.ID == id && m.Deleted })
	return err
}

// WaitConnected returns when the bot has a session with a socket.
func (s *Server) WaitConnected(ctx context.Context) error {
	return s.Wait(ctx, func() bool { n, _ := s.Sessions(); return n > 0 })
}

// WaitDisconnected returns when no session has a socket.
func (s *Server) WaitDisconnected(ctx context.Context) error {
	return s.Wait(ctx, func() bool { n, _ := s.Sessions(); return n == 0 })
}

// WaitRequests returns n such requests of the bot, waiting for them.
func (s *Server) WaitRequests(ctx context.Context, method, route string, n int) ([]Request, error) {
	var list []Request
	err := s.Wait(ctx, func() bool {
		list = s.Requests(method, route)
		return len(list) >= n
	})
	return list, err
}

// WaitCommands returns when the bot registered a command.
func (s *Server) WaitCommands(ctx context.Context) error {
	return s.Wait(ctx, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.commands) > 0
	})
}
