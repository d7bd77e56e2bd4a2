package card

import (
	"slices"

	"github.com/callgate/callgate/host/wire"
)

// Lines are a card drawn for other approvers, in its order: they lay nothing out by
// themselves. The texts are safe to show.
func Lines(c Card) []wire.CardLine {
	var list []wire.CardLine
	row := func(style wire.CardStyle, r Row) {
		if r.Empty() {
			return
		}
		switch {
		case r.Warn:
			style = wire.CardWarning
		case r.Small:
			style = wire.CardSmall
		}
		list = append(list, wire.CardLine{Style: style, Text: r.Text()})
	}
	if len(c.Ended) > 0 {
		row(wire.CardPlain, c.Ended[0])
		row(wire.CardHeadline, c.Ended[1])
		return list
	}
	for _, r := range slices.Concat([]Row{c.Careful}, c.Changed) {
		row(wire.CardPlain, r)
	}
	list = append(list, wire.CardLine{Style: wire.CardHeadline, Text: headText(c.Headline)})
	for _, p := range c.Call {
		style := wire.CardCall
		if p.Gap {
			style = wire.CardWarning
		}
		name := p.Name
		if p.JSON {
			name += " (JSON)"
		}
		list = append(list, wire.CardLine{Style: style, Name: name, Text: p.Text})
	}
	for _, r := range c.Does {
		row(wire.CardPlain, r)
	}
	if c.Odd != "" {
		row(wire.CardWarning, Row{Pieces: []Piece{own(c.Odd)}, Warn: true})
	}
	for _, r := range slices.Concat(c.Why, []Row{c.Who}, c.Asked) {
		row(wire.CardPlain, r)
	}
	if c.Until != "" {
		row(wire.CardSmall, Row{Pieces: []Piece{own(c.Until)}, Small: true})
	}
	if c.Confirm != "" {
		row(wire.CardWarning, Row{Pieces: []Piece{own(c.Confirm)}, Warn: true})
	}
	return list
}
