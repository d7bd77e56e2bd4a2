package slash

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/store"
	"github.com/callgate/callgate/host/internal/store/history"
)

// maxRows is how many rows a page has at most.
const maxRows = 10

// audit shows the decisions, the latest first, or one row.
func (h *Handler) audit(ctx context.Context, who asker, r request) (answer, error) {
	if seq, ok := r.numbers[optRow]; ok {
		return h.auditRow(ctx, seq)
	}
	f := store.Filter{
		Agent: r.texts[optAgent], Session: r.texts[optSession], Tool: r.texts[optTool], Person: r.texts[optPerson],
		Text: r.texts[optText], Decision: store.Outcome(r.texts[optDecision]),
	}
	if f.Decision != "" && !slices.Contains(history.Outcomes(), string(f.Decision)) {
		return answer{}, badRequest{fmt.Errorf("decision %q: want one of %s", f.Decision, strings.Join(history.Outcomes(), ", "))}
	}
	var err error
	if f.Since, err = history.When(optSince, r.texts[optSince], h.c.Now()); err != nil {
		return answer{}, badRequest{err}
	}
	if f.Until, err = history.When(optUntil, r.texts[optUntil], h.c.Now()); err != nil {
		return answer{}, badRequest{err}
	}
	return h.auditPage(ctx, who, f)
}

// auditPage shows as many rows as fit into a message, with buttons for the following pages and
// a menu to show a row whole.
func (h *Handler) auditPage(ctx context.Context, who asker, f store.Filter) (answer, error) {
	f.Newest, f.Limit = true, maxRows+1
	rows, err := history.Rows(ctx, h.c.Audit, f)
	if err != nil {
		return answer{}, err
	}
	if len(rows) == 0 {
		return answer{message: message.Ephemeral("**/audit** There are no rows" + before(f) + " for which all of that holds.")}, nil
	}
	content, n := fitting(rows, f)
	m := message.Ephemeral(content)
	kept := flow{account: who.Account, filter: f}
	var labels []string
	for _, r := range rows[:n] {
		kept.rows = append(kept.rows, r.Seq)
		labels = append(labels, strings.Join(history.Cells(r), " "))
	}
	kept.filter.Before = rows[n-1].Seq
	id := h.flows.add(kept)
	m.Components = append(m.Components, h.menuOf(verbRow, id, "Show one, whole", labels, -1))
	var buttons []discordgo.MessageComponent
	if n < len(rows) {
		buttons = append(buttons, h.button(verbOlder, id, "Older", discordgo.SecondaryButton))
	}
	if f.Before > 0 {
		buttons = append(buttons, h.button(verbNewest, id, "Newest", discordgo.SecondaryButton))
	}
	if len(buttons) > 0 {
		m.Components = append(m.Components, row(buttons...))
	}
	return answer{message: m}, nil
}

func before(f store.Filter) string {
	if f.Before > 0 {
		return fmt.Sprintf(" before row %d", f.Before)
	}
	return ""
}

// fitting is a page of rows, and how many of them it has: at least one.
func fitting(rows []store.Row, f store.Filter) (content string, n int) {
	for n = min(len(rows), maxRows); ; n-- {
		var lines []string
		for _, r := range rows[:n] {
			lines = append(lines, auditLines(r)...)
		}
		content = joined("**/audit** the latest"+before(f)+" first", message.FenceLines(lines))
		if message.Units(content) <= message.MaxContent {
			return content, n
		}
		if n == 1 {
			return fmt.Sprintf("**/audit** row %d is too long for a line: choose it below.", rows[0].Seq), 1
		}
	}
}

// auditLines are the two lines of a row, with action and reason cut; the whole row has them.
func auditLines(r store.Row) []string {
	cells := history.Raw(r) // seq, time, agent, outcome, stage, by, action, reason
	var first []string
	for _, cell := range cells[:6] {
		if cell != "" {
			first = append(first, cell)
		}
	}
	return []string{strings.Join(first, " · "), "  " + cells[6] + " - " + cells[7]}
}

// auditRow shows one row with its context.
func (h *Handler) auditRow(ctx context.Context, seq int64) (answer, error) {
	entry, err := history.Get(ctx, h.c.Audit, h.c.Asks, seq)
	if err != nil {
		return answer{}, err
	}
	var lines []string
	for _, f := range entry.Fields() {
		lines = append(lines, f[0]+": "+f[1])
	}
	return answer{message: listing(fmt.Sprintf("**/audit** row %d", seq), lines, "")}, nil
}
