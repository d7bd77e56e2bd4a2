package slash

import (
	"context"
	"fmt"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/builder"
	"github.com/callgate/callgate/host/command"
	"github.com/callgate/callgate/host/discord/message"
)

// chose takes one of the three menus below the preview.
func (h *Handler) chose(which func(*draft) (at *int, of int)) func(context.Context, string, asker, draft, []string) (answer, error) {
	return func(ctx context.Context, id string, who asker, d draft, values []string) (answer, error) {
		if d.shown == nil {
			return answer{}, errOver
		}
		at, of := which(&d)
		n, err := numbered(values, of)
		if err != nil {
			return answer{}, err
		}
		*at = n
		return h.preview(ctx, id, who, d)
	}
}

// preview shows what would be stored, what it matches of the last calls and what makes
// it dangerous, with menus for the rest. A rule that its tool cannot read is ErrBadRule.
func (h *Handler) preview(ctx context.Context, id string, who asker, d draft) (answer, error) {
	r, err := d.rule(h.c.Now())
	if err != nil {
		return answer{}, err
	}
	if command.Unseen(r.String()) {
		return answer{}, badRequest{fmt.Errorf("the rule holds characters that cannot be seen, or that turn the text around: %+q; type it anew", d.text)}
	}
	plan, err := h.c.Gate.ChangeRules(ctx, who.change(), []engine.Rule{r}, nil, true)
	if err != nil {
		return answer{}, err
	}
	stored := plan.Rules[0].Rule
	report, err := h.report(ctx, d, stored)
	if err != nil {
		return answer{}, err
	}
	lines := builder.Preview(stored, plan.Rules[0].Exists, plan.Rules[0].Notes)
	m := listing("**Rule builder.** This would be stored:", append(lines, report), "")
	if len(m.Files) > 0 {
		m = listing("**Rule builder.** This would be stored:", lines, "What it matches of the last calls does not fit here.")
	}
	if len(m.Files) > 0 {
		return answer{}, errTooLong
	}
	d.shown = &r
	f, ok := h.flows.get(id, who.Account)
	f.draft = &d
	if ok { // what is pressed below this rule stores this one, whatever else was shown at once
		id, ok = h.flows.renew(id, f)
	}
	if !ok {
		return answer{}, errOver
	}
	m.Components = h.previewMenus(id, d)
	return answer{message: m}, nil
}

func (h *Handler) previewMenus(id string, d draft) []discordgo.MessageComponent {
	var does, lasts []string
	for _, b := range behaviors {
		does = append(does, b.label)
	}
	for _, s := range spans {
		lasts = append(lasts, s.label)
	}
	buttons := []discordgo.MessageComponent{h.button(verbStore, id, "Store it", discordgo.SuccessButton)}
	if d.kind != builder.Whole {
		buttons = append(buttons, h.button(verbAsk, id, "Change the pattern", discordgo.SecondaryButton))
	}
	buttons = append(buttons, h.button(verbDrop, id, "Discard", discordgo.SecondaryButton))
	return []discordgo.MessageComponent{
		h.menu(verbDoes, id, "What it does", does, d.behavior), h.menu(verbWhere, id, "Where it holds", d.labels, d.place),
		h.menu(verbLasts, id, "For how long", lasts, d.lasts), row(buttons...),
	}
}

// store stores the rule that was shown, once.
func (h *Handler) store(ctx context.Context, id string, who asker, _ draft, _ []string) (answer, error) {
	f, ok := h.flows.take(id, who.Account)
	if !ok || f.draft == nil || f.draft.shown == nil {
		return answer{}, errOver
	}
	done, err := h.c.Gate.ChangeRules(ctx, who.change(), []engine.Rule{*f.draft.shown}, nil, false)
	if err != nil {
		return answer{}, err
	}
	r := done.Rules[0].Rule
	tail := fits("To take it back: ", fmt.Sprintf("/%s %s:%s%s", r.Behavior, optRemove, byID, r.ID))
	return answer{message: listing("**Stored.**", builder.Preview(r, false, done.Rules[0].Notes), tail)}, nil
}

func (h *Handler) drop(_ context.Context, id string, who asker, _ draft, _ []string) (answer, error) {
	h.flows.take(id, who.Account)
	return answer{message: message.Ephemeral("Discarded: nothing was stored.")}, nil
}
