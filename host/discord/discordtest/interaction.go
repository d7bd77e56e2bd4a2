package discordtest

import (
	"encoding/json"
	"slices"
	"time"
)

// The types of interactions, and of what answers them.
const (
	typePing         = 1
	typeCommand      = 2
	typeComponent    = 3
	typeAutocomplete = 4
	typeModal        = 5

	AnswerPong           = 1
	AnswerMessage        = 4
	AnswerDeferred       = 5
	AnswerDeferredUpdate = 6
	AnswerUpdate         = 7
	AnswerChoices        = 8
	AnswerModal          = 9
)

// tokenFor is how long an interaction's token may be used.
const tokenFor = 15 * time.Minute

// interaction is one that somebody made.
type interaction struct {
	id, token, user string
	channel, guild  string
	kind            int
	source          string // the message of the component, or of the form's component
	begun           time.Time
	answered        int // how; 0 not yet
	expired         bool
	original        string // the message that answers it
	seen            Seen
	done            chan struct{} // closed when answered or expired
}

// Seen is what somebody sees as the answer of what they did.
type Seen struct {
	// Interaction is its id; Answer one of AnswerMessage and so on.
	Interaction string
	Answer      int
	// Message is the one posted, or the one clicked as it is now; nil while deferred.
	Message *Message
	// Modal is a form to Submit; Choices are what autocompletion offers.
	Modal   *Modal
	Choices []Choice

	human Human
}

// begin makes an interaction of a person in a channel; s.mu is held.
func (s *Server) begin(kind int, userID string, c *channel, source string) *interaction {
	id := s.stampedID(s.actedAt(userID))
	i := &interaction{id: id, token: "interaction-token-" + id, user: userID, kind: kind, source: source,
		begun: s.opts.Now(), done: make(chan struct{})}
	if c != nil {
		i.channel, i.guild = c.id, c.guild
	}
	s.interactions[i.id], s.tokens[i.token] = i, i
	return i
}

// payload is what the bot is sent of it.
func (s *Server) payload(i *interaction, data any) object {
	v := object{
		"id": i.id, "application_id": s.Application, "type": i.kind, "token": i.token, "version": 1,
		"locale": "en-US", "entitlements": []any{}, "attachment_size_limit": 10 << 20,
		"authorizing_integration_owners": object{}, "channel_id": i.channel, "data": data, "context": 1,
	}
	if c := s.channels[i.channel]; c != nil {
		channel := s.channelView(c)
		v["app_permissions"] = permissionsOf(s.permissions(c, s.Bot))
		channel["permissions"] = permissionsOf(s.permissions(c, i.user))
		v["channel"] = channel
	}
	if g := s.guilds[i.guild]; g != nil {
		v["guild_id"], v["guild_locale"], v["context"] = g.id, "en-US", 0
		v["guild"] = object{"id": g.id, "locale": "en-US", "features": []string{}}
		v["authorizing_integration_owners"] = object{"0": g.id}
		member := s.memberView(g, i.user, true)
		member["permissions"] = permissionsOf(s.permissions(s.channels[i.channel], i.user))
		v["member"] = member
	} else {
		v["user"] = s.userView(i.user)
	}
	if m := s.messages[i.source]; m != nil {
		message := s.messageView(m, true)
		if m.GuildID != "" {
			message["guild_id"] = m.GuildID
		}
		v["message"] = message
	}
	return v
}

// finish ends the wait for an answer.
func (i *interaction) finish() {
	select {
	case <-i.done:
	default:
		close(i.done)
	}
}

// expire marks one whose time went by; only one without an answer.
func (s *Server) expire(i *interaction) {
	if i.answered == 0 {
		i.expired = true
		i.finish()
	}
}

// callback answers an interaction by REST.
func (s *Server) callback(c *call) *answer {
	i := s.interactions[c.params["interaction_id"]]
	if i == nil || i.token != c.params["interaction_token"] || i.expired {
		return fail(404, 10062, "Unknown interaction")
	}
	if i.answered == 0 && s.opts.Now().Sub(i.begun) > s.opts.AckWithin {
		s.expire(i)
		return fail(404, 10062, "Unknown interaction")
	}
	if i.answered != 0 {
		return fail(400, 40060, "Interaction has already been acknowledged.")
	}
	if refused := s.respond(c, i, c.body); refused != nil {
		return refused
	}
	if c.query.Get("with_response") != "true" {
		return &answer{status: 204}
	}
	return ok(s.callbackView(i))
}

func (s *Server) callbackView(i *interaction) object {
	v := object{"id": i.id, "type": i.kind}
	out := object{"interaction": v}
	if m := s.messages[i.original]; m != nil && i.answered != AnswerDeferredUpdate {
		v["response_message_id"], v["response_message_loading"] = m.ID, m.loading
		v["response_message_ephemeral"] = m.For != ""
		if i.answered == AnswerMessage || i.answered == AnswerUpdate {
			out["resource"] = object{"type": i.answered, "message": s.messageView(m, true)}
		}
	}
	return out
}

// allowedAnswers are the types that answer each kind of interaction.
var allowedAnswers = map[int][]int{
	typePing:         {AnswerPong},
	typeCommand:      {AnswerMessage, AnswerDeferred, AnswerModal},
	typeComponent:    {AnswerMessage, AnswerDeferred, AnswerDeferredUpdate, AnswerUpdate, AnswerModal},
	typeAutocomplete: {AnswerChoices},
	typeModal:        {AnswerMessage, AnswerDeferred, AnswerDeferredUpdate, AnswerUpdate},
}

// respond does what the answer of an interaction says, by REST or from the endpoint.
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

const callbackFlags = FlagSuppressEmbeds | FlagEphemeral | flagSilent | FlagComponentsV2

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

// deferMessage promises a message, which @original or the first follow-up makes.
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

// respondUpdate edits the message of the component that was clicked.
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
