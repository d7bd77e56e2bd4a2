package slash

import (
	"context"
	"errors"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/approval/ask"
	"github.com/callgate/callgate/host/internal/approval/card"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/link"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
)

// proposal is a completion: the text to read and the value to send.
type proposal struct{ text, value string }

// same are proposals whose text is their value.
func same(texts []string) []proposal {
	out := make([]proposal, len(texts))
	for i, t := range texts {
		out[i] = proposal{t, t}
	}
	return out
}

// complete proposes completions. A person without access to commands gets none, and neither
// does an error.
func (h *Handler) complete(ctx context.Context, i *link.Interaction, who asker) {
	choices := []*discordgo.ApplicationCommandOptionChoice{}
	if r, err := readRequest(i.Interaction); err == nil && h.may(who) {
		ctx, cancel := context.WithTimeout(ctx, h.c.Patience)
		defer cancel()
		all, err := h.proposals(ctx, r)
		if err != nil {
			h.c.Log.Warn("an option of a slash command could not be completed", "error", err)
		}
		choices = matching(all, wanted(r))
	}
	if err := i.Respond(ctx, link.Response{Type: discordgo.InteractionApplicationCommandAutocompleteResult, Choices: choices}); err != nil {
		h.c.Log.Debug("Discord did not take a completion", "error", err)
	}
}

// wanted is the text proposals have to contain: the typed one. Behind a tool's bracket it is a
// pattern of the person's own, and need not be like any example.
func wanted(r request) string {
	typed := strings.TrimSpace(r.texts[r.focused])
	if r.focused == optRule && !strings.HasPrefix(typed, "-") && strings.Contains(typed, "(") {
		return ""
	}
	return typed
}

// matching are the first proposals containing the typed text, in any case, each once. It omits
// one with a value too long to send: it can be typed.
func matching(all []proposal, typed string) []*discordgo.ApplicationCommandOptionChoice {
	out := []*discordgo.ApplicationCommandOptionChoice{}
	typed = strings.ToLower(typed)
	seen := map[string]bool{"": true}
	for _, p := range all {
		if len(out) == message.MaxOptions {
			break
		}
		plain := p.value == card.Line(p.value)
		if seen[p.value] || !plain || message.Units(p.value) > message.MaxOptionText || !strings.Contains(strings.ToLower(p.text), typed) {
			continue
		}
		seen[p.value] = true
		out = append(out, &discordgo.ApplicationCommandOptionChoice{Name: label(p.text, message.MaxOptionText), Value: p.value})
	}
	return out
}

// proposals are all completions of the option being typed.
func (h *Handler) proposals(ctx context.Context, r request) ([]proposal, error) {
	switch r.focused {
	case optForget:
		return h.folderProposals(ctx)
	case optAgent:
		names, err := h.agents(ctx)
		return same(names), err
	case optSession:
		return h.sessionProposals(ctx, r, false)
	case optResume:
		return h.sessionProposals(ctx, r, true)
	case optProject:
		return h.projectProposals(ctx)
	case optRule:
		return h.ruleProposals(ctx, r)
	case optRemove:
		return h.storedProposals(ctx, r)
	case optTool:
		return same(h.toolNames()), nil
	case optProfile:
		all, err := h.c.Gate.Profiles(ctx)
		var names []string
		for _, p := range all.Profiles {
			names = append(names, p.Name)
		}
		return same(names), err
	case optID:
		var out []proposal
		for _, a := range h.c.Asks.Waiting(ask.Filter{}) {
			out = append(out, proposal{a.ID + " " + a.Agent + " " + a.Tool, a.ID})
		}
		return out, nil
	}
	return nil, nil
}

func (h *Handler) sessionProposals(ctx context.Context, r request, paused bool) ([]proposal, error) {
	var agents []string
	if agent := r.texts[optAgent]; agent != "" {
		agents = []string{agent}
	}
	all, err := h.sessions(ctx, agents, paused)
	var out []proposal
	for _, s := range all {
		out = append(out, proposal{s.ID + " (" + s.Agent + ")", s.ID})
	}
	return out, err
}

// projectProposals are the projects of the sessions seen last.
func (h *Handler) projectProposals(ctx context.Context) ([]proposal, error) {
	all, err := h.sessions(ctx, nil, false)
	var out []string
	seen := map[string]bool{"": true}
	for _, s := range all {
		if !seen[s.ProjectRoot] {
			seen[s.ProjectRoot] = true
			out = append(out, s.ProjectRoot)
		}
	}
	return same(out), err
}

// ruleProposals are tools and, behind a tool's name and a bracket, its examples; behind a dash,
// the rules of the list.
func (h *Handler) ruleProposals(ctx context.Context, r request) ([]proposal, error) {
	typed := strings.TrimSpace(r.texts[optRule])
	if strings.HasPrefix(typed, "-") {
		rules, err := h.storedRules(ctx, r)
		var out []string
		for _, rule := range rules {
			out = append(out, "-"+rule.String())
		}
		return same(out), err
	}
	tool, _, inside := strings.Cut(typed, "(")
	if !inside {
		return same(h.toolNames()), nil
	}
	own := typed
	if !strings.HasSuffix(own, ")") {
		own += ")"
	}
	out := []string{own}
	for _, t := range h.c.Tools() {
		for _, e := range t.RuleExamples {
			if example := t.Name + "(" + e.Content + ")"; strings.EqualFold(t.Name, tool) && e.Content != "" && example != own {
				out = append(out, example)
			}
		}
	}
	return same(out), nil
}

// storedProposals are the rules of the list, by their ids.
func (h *Handler) storedProposals(ctx context.Context, r request) ([]proposal, error) {
	rules, err := h.storedRules(ctx, r)
	var out []proposal
	for _, rule := range rules {
		out = append(out, proposal{rule.String() + " (" + strings.TrimSpace(string(rule.Scope)+" "+rule.ScopeKey) + ")", byID + rule.ID})
	}
	return out, err
}

// storedRules are the rules of the command's list: in its place, or in all places where none is
// named.
func (h *Handler) storedRules(ctx context.Context, r request) ([]engine.Rule, error) {
	b, err := engine.ParseBehavior(r.name)
	if err != nil {
		return nil, err
	}
	where, err := h.placeOf(r)
	if err != nil && !errors.Is(err, errWhich) {
		return nil, nil // two places: the command says so
	}
	rules, err := h.c.Gate.Rules(ctx, store.RuleFilter{Behavior: &b, Scope: where.Scope, Key: where.Key})
	var out []engine.Rule
	for _, rule := range rules {
		if rule.Source != config.Source {
			out = append(out, rule)
		}
	}
	return out, err
}

// toolNames are the tools for rules.
func (h *Handler) toolNames() []string {
	var out []string
	for _, t := range h.c.Tools() {
		if !t.Fallback {
			out = append(out, t.Name)
		}
	}
	return out
}
