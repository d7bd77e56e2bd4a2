package discordtest

import (
	"time"
)

// The types of interactions, and of their answers.
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

// interaction is one made by a person.
type interaction struct {
	id, token, user string
	channel, guild  string
	kind            int
	source          string // the message of the component, or of the form's component
	begun           time.Time
	answered        int // how; 0 not yet
	expired         bool
	original        string // the answering message
	seen            Seen
	done            chan struct{} // closed when answered or expired
}

// Seen is the answer to a person's action, as they see it.
type Seen struct {
	// Interaction is its id; Answer one of AnswerMessage and so on.
	Interaction string
	Answer      int
	// Message is the one posted, or the one clicked as it is now; nil while deferred.
	Message *Message
	// Modal is a form to Submit; Choices are the results of autocompletion.
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

// payload is the interaction's data for the bot.
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

// expire marks one past its time; only one without an answer.
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
