package message

import (
	"strings"

	"github.com/callgate/callgate/host/ask"
	"github.com/callgate/callgate/host/card"
)

// less is something that a person need not know to answer. It stands above the last line
// of a body where there is room, and else in what "Show all" shows.
type less struct {
	name  string
	write func(*writer)
}

// addLess puts what there is room for into the body, and notes what is left.
func (l *layout) addLess(c call) {
	last := lastLine(c.Ask, false)
	above := strings.TrimSuffix(strings.TrimSuffix(l.body, last), "\n")
	free := min(roomBody-Units(l.body), MaxContent-roomRest-Units(l.head)-Units(l.body)-Units(l.rules)-2)
	for _, field := range lessOf(c) {
		text, all := line(0, field.write)
		if n := Units(text) + 1; all && n <= free {
			above, free = join(above, text), free-n
			continue
		}
		l.left = append(l.left, field.name)
	}
	l.body = join(above, last)
}

// lessOf are these things, the most useful first.
func lessOf(c call) []less {
	a := c.Ask
	var list []less
	add := func(name, says, value string) {
		if value != "" {
			list = append(list, less{name: name, write: func(w *writer) {
				w.own(says + " ")
				w.raw(value)
			}})
		}
	}
	if longSession(a.Session) {
		add("session", "session", a.Session)
	}
	for _, f := range card.Why(a)[1:] {
		if f.Value != "" {
			list = append(list, less{name: f.Name, write: aboutWhy(f)})
		}
	}
	add("user", "user", a.User)
	add("MCP server", "MCP server", a.Decision.Server)
	if _, repeats := c.saidByInput(); !repeats {
		add("action", "-# action", a.Action)
	}
	return list
}

// aboutWhy writes a field of card.Why.
func aboutWhy(f card.Field) func(*writer) {
	name := f.Name
	if f.Module {
		name += ", unchecked"
	}
	return func(w *writer) {
		w.own(name + ": ")
		w.field(f)
	}
}

// saidByInput reports whether the action only repeats the one parameter, behind the name
// of an operation, which it returns.
func (c call) saidByInput() (operation string, yes bool) {
	if len(c.Action) > ask.MaxShownBytes || len(c.Input) > 8*ask.MaxShownBytes {
		return "", false
	}
	list := c.in.Parameters()
	if len(list) != 1 {
		return "", false
	}
	operation, yes = strings.CutSuffix(card.Visible(c.Action), list[0].Text)
	return operation, yes && strings.HasSuffix(operation, ":")
}
