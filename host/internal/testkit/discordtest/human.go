package discordtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

var (
	// ErrRefused means: a client prevents the action, as the button is disabled, or the message
	// invisible to the person.
	ErrRefused = errors.New("a client refuses that")
	// ErrNoAnswer means: the bot did not answer in time; the client shows it.
	ErrNoAnswer = errors.New("this interaction failed: the application did not respond in time")
)

// Human acts as a person does with a client. Get one with Server.As.
type Human struct {
	s *Server
	// ID is the account's.
	ID string
}

// As returns the person with an account.
func (s *Server) As(userID string) Human { return Human{s: s, ID: userID} }

// Person makes an account in the first guild with these roles.
func (s *Server) Person(name string, roles ...string) Human {
	id := s.AddUser(name)
	s.SetRoles(s.Guild, id, roles...)
	return s.As(id)
}

// DM opens the person's direct channel with the bot, and returns its id.
func (h Human) DM() string {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	h.s.mustUser(h.ID)
	return h.s.directChannel(h.ID).id
}

// Message returns a message as it is now, if the person can see it.
func (h Human) Message(id string) (Message, bool) {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	m, _, err := h.sees(id)
	if err != nil {
		return Message{}, false
	}
	return m.copy(), true
}

// Messages returns the messages visible to the person in a channel, oldest first.
func (h Human) Messages(channelID string) []Message {
	h.s.mu.Lock()
	defer h.s.mu.Unlock()
	var list []Message
	for _, id := range h.s.mustChannel(channelID).messages {
		if m, _, err := h.sees(id); err == nil {
			list = append(list, m.copy())
		}
	}
	return list
}

// sees finds a message visible to the person; s.mu is held.
func (h Human) sees(id string) (*Message, *channel, error) {
	m := h.s.messages[id]
	if m == nil || m.Deleted || m.loading {
		return nil, nil, fmt.Errorf("%w: there is no message %s", ErrRefused, id)
	}
	if m.For != "" && m.For != h.ID {
		return nil, nil, fmt.Errorf("%w: message %s is for another person only", ErrRefused, id)
	}
	c, err := h.in(m.ChannelID, PermReadHistory)
	return m, c, err
}

// in finds a channel with the permissions for the person.
func (h Human) in(channelID string, needed int64) (*channel, error) {
	c := h.s.channels[channelID]
	if c == nil {
		return nil, fmt.Errorf("%w: there is no channel %s", ErrRefused, channelID)
	}
	have := h.s.permissions(c, h.ID)
	if have&PermViewChannel == 0 {
		return nil, fmt.Errorf("%w: the person does not see channel %s", ErrRefused, channelID)
	}
	if have&needed != needed {
		return nil, fmt.Errorf("%w: the person lacks permissions %d in channel %s", ErrRefused, needed&^have, channelID)
	}
	return c, nil
}

// Click presses the button with this custom_id or label, and waits for the answer.
func (h Human) Click(ctx context.Context, messageID, button string) (*Seen, error) {
	return h.component(ctx, messageID, "button", func(c *Component) ([]string, bool, error) {
		return nil, c.Type == Button && c.Style < 5 && (c.CustomID == button || c.Label == button), nil
	}, button)
}

// Select chooses options, by their values or labels, in their menu, and waits for the answer.
func (h Human) Select(ctx context.Context, messageID string, options ...string) (*Seen, error) {
	return h.component(ctx, messageID, "menu", func(c *Component) ([]string, bool, error) {
		if c.Type != StringSelect {
			return nil, false, nil
		}
		var values []string
		for _, want := range options {
			at := slices.IndexFunc(c.Options, func(o Option) bool { return o.Value == want || o.Label == want })
			if at < 0 {
				return nil, false, nil
			}
			values = append(values, c.Options[at].Value)
		}
		if len(values) < *c.MinValues || len(values) > *c.MaxValues {
			return nil, false, fmt.Errorf("%w: %d options of %d to %d", ErrRefused, len(values), *c.MinValues, *c.MaxValues)
		}
		return values, true, nil
	}, fmt.Sprint(options))
}

// component uses the first fitting component.
func (h Human) component(ctx context.Context, messageID, what string, fits func(*Component) ([]string, bool, error), name string) (*Seen, error) {
	h.s.mu.Lock()
	m, ch, err := h.sees(messageID)
	if err != nil {
		h.s.mu.Unlock()
		return nil, err
	}
	var found *Component
	var values []string
	walk(m.Components, func(c *Component) {
		if found != nil || err != nil {
			return
		}
		v, ok, problem := fits(c)
		if err = problem; ok {
			copied := *c
			found, values = &copied, v
		}
	})
	switch {
	case err != nil:
	case found == nil:
		err = fmt.Errorf("%w: message %s has no %s %q:\n%s", ErrRefused, messageID, what, name, m)
	case found.Disabled:
		err = fmt.Errorf("%w: the %s %q is disabled", ErrRefused, what, name)
	case m.Author.ID != h.s.Bot:
		err = fmt.Errorf("%w: message %s is not the bot's", ErrRefused, messageID)
	}
	if err != nil {
		h.s.mu.Unlock()
		return nil, err
	}
	i := h.s.begin(typeComponent, h.ID, ch, m.ID)
	data := object{"id": found.ID, "custom_id": found.CustomID, "component_type": found.Type}
	if found.Type != Button {
		data["values"] = values
	}
	return h.s.sendLocked(ctx, i, data)
}

// Submit fills a form in and sends it. values are by custom_id or label; an unnamed input keeps
// its initial value.
func (h Human) Submit(ctx context.Context, shown *Seen, values map[string]string) (*Seen, error) {
	if shown == nil || shown.Modal == nil || shown.human.ID != h.ID {
		return nil, fmt.Errorf("%w: no form was shown to this person", ErrRefused)
	}
	form, used := clone(shown.Modal.Components), 0
	var rows []object
	for i := range form {
		label, input := form[i].Label, form[i].Component
		if form[i].Type == ActionRow {
			input = &form[i].Components[0]
			label = input.Label
		}
		if input == nil {
			continue
		}
		value, named := values[input.CustomID]
		if !named {
			value, named = values[label]
		}
		if named {
			input.Value = value
			used++
		}
		if err := fillable(input); err != nil {
			return nil, err
		}
		filled := object{"type": input.Type, "id": 10 + i, "custom_id": input.CustomID, "value": input.Value}
		if form[i].Type == Label {
			rows = append(rows, object{"type": Label, "id": i + 1, "component": filled})
			continue
		}
		rows = append(rows, object{"type": ActionRow, "id": i + 1, "components": []object{filled}})
	}
	if used != len(values) {
		return nil, fmt.Errorf("%w: the form %q lacks some of the inputs of %v", ErrRefused, shown.Modal.Title, values)
	}
	h.s.mu.Lock()
	before := h.s.interactions[shown.Interaction]
	i := h.s.begin(typeModal, h.ID, h.s.channels[before.channel], before.source)
	return h.s.sendLocked(ctx, i, object{"custom_id": shown.Modal.CustomID, "components": rows, "resolved": object{}})
}

// fillable makes a client's checks before an input is sent.
func fillable(input *Component) error {
	low, high := lengths(input)
	required := input.Required == nil || *input.Required
	n := units(input.Value)
	switch {
	case n == 0 && !required:
		return nil
	case n == 0:
		return fmt.Errorf("%w: the input %q is required", ErrRefused, input.CustomID)
	case n < low || n > high:
		return fmt.Errorf("%w: the input %q takes %d to %d characters, not %d", ErrRefused, input.CustomID, low, high, n)
	}
	return nil
}

// sendLocked delivers an interaction and waits for its answer. s.mu is held when it is
// called, and not when it returns.
func (s *Server) sendLocked(ctx context.Context, i *interaction, data any) (*Seen, error) {
	return s.deliverLocked(ctx, i, s.payload(i, data))
}

// deliverLocked is sendLocked of an interaction in JSON: through the gateway or, where
// the application has one, to its endpoint.
func (s *Server) deliverLocked(ctx context.Context, i *interaction, payload object) (*Seen, error) {
	endpoint := s.endpoint
	if endpoint == "" {
		s.dispatch("INTERACTION_CREATE", alwaysSent, "", payload)
	}
	s.mu.Unlock()
	if endpoint != "" {
		if err := s.postInteraction(ctx, endpoint, i, payload); err != nil {
			return nil, err
		}
	}
	return s.seen(ctx, i)
}

// seen waits for an interaction's answer.
func (s *Server) seen(ctx context.Context, i *interaction) (*Seen, error) {
	timer := time.NewTimer(s.opts.AckWithin)
	defer timer.Stop()
	select {
	case <-i.done:
	case <-timer.C:
	case <-ctx.Done():
		return nil, fmt.Errorf("discordtest: nobody answered the interaction yet: %w\n%s", ctx.Err(), s.tail(8))
	case <-s.stop:
		return nil, errors.New("discordtest: the server is closed")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.expire(i); i.expired {
		return nil, ErrNoAnswer
	}
	seen := i.seen
	seen.human = s.As(i.user)
	if seen.Message != nil {
		copied := seen.Message.copy()
		seen.Message = &copied
	}
	return &seen, nil
}
