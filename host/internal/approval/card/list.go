package card

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/host/internal/approval/ask"
)

// List draws several asks of one session for a terminal, as Terminal does: a numbered line each,
// and below it what it does and, where an approval of all does not reach it, why.
func List(asks []ask.Ask, columns int, color bool) string {
	p := newPage(columns, color)
	if len(asks) == 0 {
		return ""
	}
	head := fmt.Sprintf("── %d asks of session %s · agent %s ", len(asks), spoken(ShortSession(asks[0].Session)), spoken(short(asks[0].Agent)))
	p.line("", p.style(styleDim), head+strings.Repeat("─", max(2, p.columns-columnsOf(head))))
	for i, a := range asks {
		e := EntryOf(a)
		mark, style := fmt.Sprintf("%3d  ", i+1), styleBold
		if e.Row.Warn {
			mark, style = fmt.Sprintf("%3d! ", i+1), styleWarn
		}
		p.hanging(mark, p.style(style), e.Row.Text())
		p.hanging("     ", p.style(styleDim), "ask "+e.ID)
		for _, r := range e.Does {
			mark, style := "     ", p.style(styleDim)
			if r.Warn {
				mark, style = "   ! ", p.style(styleWarn)
			}
			p.hanging(mark, style, r.Text())
		}
		if e.Alone != "" {
			p.hanging("   ! ", p.style(styleWarn), "on its own card: "+e.Alone)
		}
	}
	var keys []string
	if numbers := Reached(asks); len(numbers) > 1 {
		keys = append(keys, "[a] allow "+strings.Join(numbers, ", "))
	}
	keys = append(keys, "[n] deny all", fmt.Sprintf("[1-%d] one of them", len(asks)), "[b] back to the card")
	p.hanging("", p.style(styleBold), strings.Join(keys, "  "))
	p.line("", p.style(styleDim), strings.Repeat("─", p.columns))
	return p.out.String()
}

// Reached are the places of the asks, from 1, that an approval of all of them approves.
func Reached(asks []ask.Ask) []string {
	var numbers []string
	for i, a := range asks {
		if EntryOf(a).Alone == "" && !Grave(a) {
			numbers = append(numbers, strconv.Itoa(i+1))
		}
	}
	return slices.Clip(numbers)
}
