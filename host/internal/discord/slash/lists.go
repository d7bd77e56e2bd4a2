package slash

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/admin"
	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/wire"
)

// byID begins a value of the option remove naming a stored rule by its id: no tool has a name
// with it.
const byID = "#"

// list shows a list, adds a rule to it, or takes one off it.
func (h *Handler) list(ctx context.Context, who asker, r request) (answer, error) {
	rule, remove := strings.TrimSpace(r.texts[optRule]), strings.TrimSpace(r.texts[optRemove])
	if rule != "" && remove != "" {
		return answer{}, badRequest{errors.New("give rule or remove, not both")}
	}
	where, err := h.placeOf(r)
	if id, ok := strings.CutPrefix(remove, byID); ok {
		if where, remove, err = h.stored(ctx, r.name, id); err != nil {
			return answer{}, err
		}
	}
	if remove != "" {
		rule = "-" + strings.TrimPrefix(remove, "-")
	}
	if off, removes := strings.CutPrefix(rule, "-"); removes && !r.named() && (err == nil || errors.Is(err, errWhich)) {
		where, err = h.whereItStands(ctx, r.name, strings.TrimSpace(off), where, err)
	}
	if errors.Is(err, errWhich) {
		return h.which(ctx, who, r, false)
	}
	if err != nil {
		return answer{}, err
	}
	return h.command(ctx, who, where, strings.TrimSpace("/"+r.name+" "+rule))
}

// whereItStands is the place for removing a rule without a named place: the channel's place, if
// the rule is there; else its only place. From a deny or ask list rules are removed only in the
// channel's place: that widens.
func (h *Handler) whereItStands(ctx context.Context, list, text string, channels admin.Where, found error) (admin.Where, error) {
	b, err := engine.ParseBehavior(list)
	if err != nil || found == nil && b != engine.Allow {
		return channels, err
	}
	rules, err := h.c.Gate.Rules(ctx, store.RuleFilter{Behavior: &b})
	if err != nil {
		return admin.Where{}, err
	}
	var places []admin.Where
	for _, r := range rules {
		place := admin.Where{Scope: r.Scope, Key: r.ScopeKey}
		if r.Source != config.Source && r.String() == text && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	if len(places) != 1 || slices.Contains(places, channels) {
		return channels, found
	}
	return places[0], nil
}

// stored is the place of a rule and its text, by its id: it is on the list of that name.
func (h *Handler) stored(ctx context.Context, list, id string) (admin.Where, string, error) {
	b, err := engine.ParseBehavior(list)
	if err != nil {
		return admin.Where{}, "", err
	}
	rules, err := h.c.Gate.Rules(ctx, store.RuleFilter{Behavior: &b, Expired: true})
	if err != nil {
		return admin.Where{}, "", err
	}
	for _, r := range rules {
		if r.ID == id && r.Source != config.Source {
			return admin.Where{Scope: r.Scope, Key: r.ScopeKey}, r.String(), nil
		}
	}
	return admin.Where{}, "", badRequest{fmt.Errorf("no rule of the %s list has the id %q: it may be gone already", list, id)}
}

// command executes a text command and describes the result.
func (h *Handler) command(ctx context.Context, who asker, where admin.Where, text string) (answer, error) {
	out, err := h.c.Gate.Command(ctx, who.change(), where, text)
	if err != nil {
		return answer{}, err
	}
	if !out.OK {
		return answer{}, badRequest{errors.New(out.Message)}
	}
	name, arg, _ := strings.Cut(text, " ")
	head := fmt.Sprintf("**%s** %s", name, placeText(out.Scope, out.ScopeKey))
	lines, tail := strings.Split(out.Message, "\n"), undo(name, out)
	switch {
	case name == "/permissions":
		lines, err = h.overview(ctx, out)
	case arg == "" && name != "/permission":
		lines, err = h.ofList(ctx, name, out)
		tail = ""
	}
	if err != nil {
		return answer{}, err
	}
	for _, n := range out.Notes {
		lines = append(lines, "note: "+n)
	}
	return answer{message: listing(head, lines, tail)}, nil
}

// undo says how to revert the change.
func undo(name string, out wire.CommandResult) string {
	switch {
	case len(out.Added) == 1:
		return fits("To take it back: ", name+" -"+out.Added[0].String())
	case len(out.Removed) == 1:
		return fits("To put it back: ", name+" "+out.Removed[0].String())
	}
	return ""
}

// fits is a sentence with a command in code, if that is short enough to be typed.
func fits(text, command string) string {
	if code := message.Code(command); message.Units(code) <= 500 {
		return text + code
	}
	return ""
}

// overview is all of the lists, in the order of evaluation.
func (h *Handler) overview(ctx context.Context, out wire.CommandResult) ([]string, error) {
	var lines []string
	for _, name := range listNames {
		lines = append(lines, listed(name, out)...)
	}
	others, err := h.beside(ctx, out, listNames...)
	lines = append(lines, others...)
	profile := out.Lists.Profile
	if profile == "" {
		profile = "none"
	}
	return append(lines, "the mode is "+out.Mode, "the profile is "+profile, "deny comes before ask, ask before allow, and the mode decides the rest"), err
}

// ofList is one list, with further rules of the same effect.
func (h *Handler) ofList(ctx context.Context, name string, out wire.CommandResult) ([]string, error) {
	others, err := h.beside(ctx, out, name)
	return append(listed(name, out), others...), err
}

// listed is one list, a rule a line.
func listed(name string, out wire.CommandResult) []string {
	rules := map[string][]string{"/deny": out.Lists.Deny, "/ask": out.Lists.Ask, "/allow": out.Lists.Allow}[name]
	if len(rules) == 0 {
		return []string{fmt.Sprintf("the %s list is empty", name[1:])}
	}
	lines := []string{fmt.Sprintf("the %s list:", name[1:])}
	for _, r := range rules {
		lines = append(lines, "  "+r)
	}
	return lines
}

// show shows the lists, the mode and the profile.
func (h *Handler) show(ctx context.Context, who asker, r request) (answer, error) {
	where, err := h.placeOf(r)
	if errors.Is(err, errWhich) {
		return h.which(ctx, who, r, false)
	}
	if err != nil {
		return answer{}, err
	}
	return h.command(ctx, who, where, "/permissions")
}
