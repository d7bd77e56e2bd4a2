package slash

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/builder"
	"github.com/callgate/callgate/host/discord/message"
	"github.com/callgate/callgate/host/gate"
	"github.com/callgate/callgate/host/store"
)

// The verbs of the builder, in the order of its steps.
const (
	verbTool    message.Verb = "btool"    // the tool was chosen
	verbName    message.Verb = "bname"    // the form for a name that a tool of many names has
	verbKind    message.Verb = "bkind"    // what the rule is to match was chosen
	verbAsk     message.Verb = "bask"     // show the form for the pattern again
	verbPattern message.Verb = "bpattern" // the form for the pattern
	verbDoes    message.Verb = "bdoes"    // what the rule does was chosen
	verbWhere   message.Verb = "bwhere"   // where it holds was chosen
	verbLasts   message.Verb = "blasts"   // how long
	verbStore   message.Verb = "bstore"   // store what was shown
	verbDrop    message.Verb = "bdrop"    // forget it
)

// maxPattern bounds a pattern that is typed into the form, in characters.
const maxPattern = 500

// build begins a rule.
func (h *Handler) build(ctx context.Context, who asker, r request) (answer, error) {
	d := draft{}
	for _, t := range h.c.Tools() {
		if !t.Fallback {
			d.tools = append(d.tools, t)
		}
	}
	var err error
	if d.places, d.labels, err = h.builderPlaces(ctx, r); err != nil {
		return answer{}, err
	}
	if name := strings.TrimSpace(r.texts[optTool]); name != "" {
		if err := d.toolNamed(name); err != nil {
			return answer{}, err
		}
		id := h.flows.add(flow{account: who.Account})
		return h.askKind(ctx, id, who, d)
	}
	if len(d.tools) == 0 {
		return answer{}, badRequest{errors.New("no tool is known")}
	}
	id := h.flows.add(flow{account: who.Account, draft: &d})
	text := "**Rule builder.** Which tool?"
	if len(d.tools) > message.MaxOptions {
		text += fmt.Sprintf(" These are %d of %d: any other is named by the option tool.", message.MaxOptions, len(d.tools))
	}
	var labels []string
	for _, t := range d.tools {
		labels = append(labels, t.Name)
	}
	m := message.Ephemeral(text)
	m.Components = append(m.Components, h.menu(verbTool, id, "Tool", labels, -1))
	return answer{message: m}, nil
}

// builderPlaces are where a rule may hold, what the channel is for first.
func (h *Handler) builderPlaces(ctx context.Context, r request) ([]gate.Where, []string, error) {
	places, labels, err := h.candidates(ctx, r, false)
	here, noted := h.placeOfChannel(r.channel)
	if err != nil || noted != nil {
		return places, labels, err
	}
	all, names := []gate.Where{here}, []string{fmt.Sprintf("the %s %s", here.Scope, here.Key)}
	for i, w := range places {
		room := len(all) < message.MaxOptions-1 || w.Scope == engine.Global
		if w != here && room {
			all, names = append(all, w), append(names, labels[i])
		}
	}
	return all, names, nil
}

// builderStep goes on with a rule; ours is false for the verbs of other commands.
func (h *Handler) builderStep(ctx context.Context, who asker, id message.CustomID, values []string) (_ answer, ours bool, _ error) {
	step, ours := map[message.Verb]func(context.Context, string, asker, draft, []string) (answer, error){
		verbTool: h.choseTool, verbName: h.typedName, verbKind: h.choseKind, verbAsk: h.askAgain, verbPattern: h.typedPattern,
		verbDoes: h.chose(func(d *draft) (*int, int) { return &d.behavior, len(behaviors) }), verbWhere: h.chose(func(d *draft) (*int, int) { return &d.place, len(d.places) }),
		verbLasts: h.chose(func(d *draft) (*int, int) { return &d.lasts, len(spans) }), verbStore: h.store, verbDrop: h.drop,
	}[id.Verb]
	if !ours {
		return answer{}, false, nil
	}
	f, ok := h.flows.get(id.Arg, who.Account)
	if !ok || f.draft == nil {
		return answer{}, true, errOver
	}
	out, err := step(ctx, id.Arg, who, *f.draft, values)
	return out, true, err
}

// keep replaces the draft of a flow.
func (h *Handler) keep(id string, who asker, d draft) error {
	f, ok := h.flows.get(id, who.Account)
	if f.draft = &d; !ok || !h.flows.set(id, f) {
		return errOver
	}
	return nil
}

func (h *Handler) choseTool(ctx context.Context, id string, who asker, d draft, values []string) (answer, error) {
	n, err := numbered(values, len(d.tools))
	if err != nil {
		return answer{}, err
	}
	d.info, d.tool = d.tools[n], d.tools[n].Name
	if !strings.ContainsAny(d.tool, "*?") {
		return h.askKind(ctx, id, who, d)
	}
	if err := h.keep(id, who, d); err != nil {
		return answer{}, err
	}
	return h.form(verbName, id, "Which of them?", "A name, or a pattern of names", d.tool, 200), nil
}

func (h *Handler) typedName(ctx context.Context, id string, who asker, d draft, values []string) (answer, error) {
	if len(values) != 1 {
		return answer{}, errOver
	}
	if err := d.named(strings.TrimSpace(values[0])); err != nil {
		return answer{}, err
	}
	return h.askKind(ctx, id, who, d)
}

// askKind asks what the rule is to match, after what is set and how the tool's rules
// are written.
func (h *Handler) askKind(ctx context.Context, id string, who asker, d draft) (answer, error) {
	d.kinds = builder.Kinds(d.info)
	if err := h.keep(id, who, d); err != nil {
		return answer{}, err
	}
	rules, err := h.c.Gate.Rules(ctx, store.RuleFilter{})
	if err != nil {
		return answer{}, err
	}
	var lines, labels []string
	if d.info.RuleHelp != "" {
		lines = append(lines, d.info.RuleHelp)
	}
	for _, r := range rules {
		if engine.MatchName(r.Tool, d.tool) {
			lines = append(lines, fmt.Sprintf("set: %s %s (%s)", r.Behavior, r, strings.TrimSpace(string(r.Scope)+" "+r.ScopeKey)))
		}
	}
	for _, k := range d.kinds {
		labels = append(labels, k.Label())
	}
	head := "**Rule builder.** What should a rule for " + short(d.tool) + " match?"
	m := listing(head, lines, "")
	if len(m.Files) > 0 { // it would stay at the messages after
		m = message.Ephemeral(head + " What is set for it already does not fit here: /allow, /ask and /deny show it.")
	}
	m.Components = append(m.Components, h.menu(verbKind, id, "What it matches", labels, -1))
	return answer{message: m}, nil
}

func (h *Handler) choseKind(ctx context.Context, id string, who asker, d draft, values []string) (answer, error) {
	n, err := numbered(values, len(d.kinds))
	if err != nil {
		return answer{}, err
	}
	if d.kind = d.kinds[n]; d.kind == builder.Whole {
		d.text = ""
		return h.preview(ctx, id, who, d)
	}
	if err := h.keep(id, who, d); err != nil {
		return answer{}, err
	}
	return h.askAgain(ctx, id, who, d, nil)
}

// askAgain shows the form for the pattern.
func (h *Handler) askAgain(_ context.Context, id string, _ asker, d draft, _ []string) (answer, error) {
	if d.kind == "" || d.kind == builder.Whole {
		return answer{}, errOver
	}
	return h.form(verbPattern, id, "The pattern", label(d.kind.Label(), message.MaxInputLabel), d.text, maxPattern), nil
}

func (h *Handler) form(verb message.Verb, id, title, text, value string, most int) answer {
	return answer{modal: &message.Modal{CustomID: h.custom(verb, id), Title: title, Components: []discordgo.MessageComponent{row(discordgo.TextInput{
		CustomID: "text", Label: text, Style: discordgo.TextInputShort, Value: value, Required: true, MinLength: 1, MaxLength: most,
	})}}}
}

func (h *Handler) typedPattern(ctx context.Context, id string, who asker, d draft, values []string) (answer, error) {
	if len(values) != 1 || d.kind == "" {
		return answer{}, errOver
	}
	d.text = values[0]
	out, err := h.preview(ctx, id, who, d)
	var bad badRequest
	if !errors.As(err, &bad) && !errors.Is(err, gate.ErrBadRule) {
		return out, err
	}
	m := h.failed(err) // with a way to type it anew
	if len(m.Files) > 0 {
		m = message.Ephemeral("**Nothing was changed.** The pattern cannot be used, and is too long to be repeated here.")
	}
	m.Components = append(m.Components, row(
		h.button(verbAsk, id, "Type it anew", discordgo.PrimaryButton), h.button(verbDrop, id, "Discard", discordgo.SecondaryButton)))
	return answer{message: m}, nil
}
