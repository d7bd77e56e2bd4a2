package settings

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// Before is the content of a settings file before the first install. The zero value means unknown.
type Before struct {
	// Known means Text is the former content.
	Known bool
	Text  []byte
}

// Uninstall removes Callgate's hooks for a client from a text. When nothing else has changed since the install,
// the result is before's text to the byte, or Delete is true when there was no file. Otherwise it
// removes the hooks, and containers of nothing else.
func Uninstall(client Client, file string, text []byte, before Before) (Change, error) {
	ed := &editor{client, file, text}
	own, err := ed.own("")
	if err != nil || len(own) == 0 {
		return Change{Text: text}, err
	}
	c := Change{Text: text}
	for _, f := range own {
		if !slices.Contains(c.Removed, f.event) {
			c.Removed = append(c.Removed, f.event)
		}
	}
	froms := [][]byte{before.Text}
	if !before.Known {
		froms = append(froms, client.bases()...) // see InstallFile
	}
	for _, from := range froms {
		if again, ok := reinstall(client, file, from, own); ok && bytes.Equal(again, text) {
			c.Text, c.Restored, c.Delete = before.Text, before.Known, !before.Known
			return c, nil
		}
	}
	// A corrupt backup only costs the empty lists it had.
	was, _ := parse(file, before.Text)
	for i := len(own) - 1; i >= 0; i-- {
		if err := ed.drop(own[i].handler, was); err != nil {
			return Change{}, err
		}
	}
	c.Text = ed.text
	return c, nil
}

// reinstall puts the found hooks into the former text, as their install did.
func reinstall(client Client, file string, before []byte, own []found) (text []byte, ok bool) {
	ed := &editor{client, file, before}
	if had, err := ed.own(""); err != nil || len(had) > 0 {
		return nil, false
	}
	for _, f := range own {
		if err := ed.append(f.event, jsontext.Value(f.d.raw(f.node))); err != nil {
			return nil, false
		}
	}
	return ed.text, true
}

// drop removes one hook, and the group, list and member without other content. A list or member
// also empty in was stays. The hook is found by its event, group and place in the group, so drop
// from the last to the first.
func (e *editor) drop(h handler, was *document) error {
	d, err := e.parse()
	if err != nil {
		return err
	}
	hooks := d.root.member("hooks")
	events := hooks.member(h.event)
	handlers := events.items[h.group].value.member("hooks")
	if len(handlers.items) > 1 {
		e.remove(handlers, h.at)
		return nil
	}
	if len(events.items) > 1 || was.holds("hooks", h.event) {
		e.remove(events, h.group)
		return nil
	}
	if len(hooks.items) > 1 || was.holds("hooks") {
		e.remove(hooks, hooks.index(h.event))
		return nil
	}
	e.remove(d.root, d.root.index("hooks"))
	return nil
}

// holds reports whether the document has a member at this path. A nil document
// has none.
func (d *document) holds(path ...string) bool {
	if d == nil {
		return false
	}
	n := d.root
	for _, name := range path {
		if n = n.member(name); n == nil {
			return false
		}
	}
	return n != nil
}
