package discordtest

import (
	"encoding/json"
	"slices"
)

// allowedAnswers are the answering types for each kind of interaction.
var allowedAnswers = map[int][]int{
	typePing:         {AnswerPong},
	typeCommand:      {AnswerMessage, AnswerDeferred, AnswerModal},
	typeComponent:    {AnswerMessage, AnswerDeferred, AnswerDeferredUpdate, AnswerUpdate, AnswerModal},
	typeAutocomplete: {AnswerChoices},
	typeModal:        {AnswerMessage, AnswerDeferred, AnswerDeferredUpdate, AnswerUpdate},
}

// respond carries out the answer of an interaction, by REST or from the endpoint.
func (s *Server) respond(c *call, i *interaction, body []byte) *answer {
	var b struct {
		Type int             `json:"type"`
		Data json.RawMessage `json:"data"`
	}
	if refused := s.decode(c, body, &b); refused != nil {
		return refused
	}
	update := b.Type == AnswerUpdate || b.Type == AnswerDeferredUpdate
	if !slices.Contains(allowedAnswers[i.kind], b.Type) || update && i.source == "" {
		return s.invalid(c, problems{"type: " + itoa(b.Type) + " does not answer an interaction of type " + itoa(i.kind)})
	}
	refused := s.respondWith(c, i, b.Type, b.Data)
	if refused != nil {
		return refused
	}
	i.answered = b.Type
	i.seen.Interaction, i.seen.Answer = i.id, b.Type
	i.finish()
	s.touch()
	return nil
}

func (s *Server) respondWith(c *call, i *interaction, kind int, data json.RawMessage) *answer {
	switch kind {
	case AnswerMessage:
		return s.respondMessage(c, i, data)
	case AnswerDeferred:
		return s.deferMessage(c, i, data)
	case AnswerDeferredUpdate:
		i.original = i.source
	case AnswerUpdate:
		return s.respondUpdate(c, i, data)
	case AnswerChoices:
		var b struct {
			Choices []Choice `json:"choices"`
		}
		if refused := s.decode(c, data, &b); refused != nil {
			return refused
		}
		if p := checkChoices(b.Choices); len(p) > 0 {
			return s.invalid(c, p)
		}
		i.seen.Choices = b.Choices
	case AnswerModal:
		m := &Modal{}
		if refused := s.decode(c, data, m); refused != nil {
			return refused
		}
		if p := checkModal(m); len(p) > 0 {
			return s.invalid(c, p)
		}
		i.seen.Modal = m
	}
	return nil
}

const callbackFlags = FlagSuppressEmbeds | FlagEphemeral | flagSilent

// respondMessage posts the answer; an ephemeral one only its person sees.
func (s *Server) respondMessage(c *call, i *interaction, data json.RawMessage) *answer {
	m, refused := s.hookMessage(c, i, data, callbackMembers)
	if refused != nil {
		return refused
	}
	i.original = m.ID
	copied := *m
	i.seen.Message = &copied
	return nil
}

// hookMessage posts a message for an interaction.
func (s *Server) hookMessage(c *call, i *interaction, data json.RawMessage, members []string) (*Message, *answer) {
	b, refused := s.decodeMessage(c, data, members)
	if refused != nil {
		return nil, refused
	}
	ch := s.channels[i.channel]
	if ch == nil {
		return nil, fail(404, 10003, "Unknown Channel")
	}
	m := s.draft(ch.id, s.Bot)
	m.webhook, m.Interaction = true, i.id
	p := s.apply(m, b, callbackFlags)
	if len(p) > 0 {
		return nil, s.invalid(c, p)
	}
	if m.Flags&FlagEphemeral != 0 {
		m.For = i.user
	}
	s.post(ch, m, b.Mentions)
	return m, nil
}

// deferMessage promises a message, made by @original or the first follow-up.
func (s *Server) deferMessage(c *call, i *interaction, data json.RawMessage) *answer {
	b, refused := s.decodeMessage(c, data, []string{"flags", "content", "embeds", "components", "allowed_mentions", "tts", "attachments"})
	if refused != nil {
		return refused
	}
	if b.Flags&^(FlagEphemeral|FlagSuppressEmbeds) != 0 {
		return s.invalid(c, problems{"flags: " + itoa(b.Flags) + " of a deferred message"})
	}
	ch := s.channels[i.channel]
	if ch == nil {
		return fail(404, 10003, "Unknown Channel")
	}
	m := s.draft(ch.id, s.Bot)
	m.webhook, m.Interaction, m.loading = true, i.id, true
	m.Flags = b.Flags | flagLoading
	if b.Flags&FlagEphemeral != 0 {
		m.For = i.user
	}
	s.post(ch, m, &allowedMentions{})
	i.original = m.ID
	return nil
}

// respondUpdate edits the message of the clicked component.
func (s *Server) respondUpdate(c *call, i *interaction, data json.RawMessage) *answer {
	m := s.messages[i.source]
	if m == nil || m.Deleted {
		return fail(404, 10008, "Unknown Message")
	}
	if refused := s.change(c, m, data, append([]string{"tts"}, editMembers...)); refused.status >= 400 {
		return refused
	}
	i.original = m.ID
	copied := *m
	i.seen.Message = &copied
	return nil
}
