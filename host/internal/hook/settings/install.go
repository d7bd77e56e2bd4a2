package settings

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Change is an edit's change of a text.
type Change struct {
	// Text is the new text.
	Text []byte
	// Added, Updated and Removed are the events with a changed hook; Same those with a correct hook
	// before.
	Added, Updated, Removed, Same []string
	// Restored means Text is the text before the first install, to the byte; Delete that there was
	// no file.
	Restored, Delete bool
}

// Install returns the text of a settings file with Callgate's hooks in it, for all tools and all of
// Events. Older hooks of Callgate are brought up to date in their place, second ones removed; every
// other byte stays. file is the name in errors. A text other than strict JSON with hooks of Claude
// Code's documented shape is an *Error and is not changed.
func Install(file string, text []byte, e Entry) (Change, error) {
	if err := e.check(); err != nil {
		return Change{}, err
	}
	var c Change
	ed := &editor{e.Client, file, text}
	own, err := ed.own("")
	if err != nil {
		return Change{}, err
	}
	e.named(own)
	for _, event := range e.Client.Events() {
		list, err := ed.install(event, e.handler(event))
		if err != nil {
			return Change{}, err
		}
		switch list {
		case added:
			c.Added = append(c.Added, event)
		case updated:
			c.Updated = append(c.Updated, event)
		case same:
			c.Same = append(c.Same, event)
		}
	}
	c.Text = ed.text
	return c, nil
}

// outcome is the result for one event's hook.
type outcome uint8

const (
	added outcome = iota
	updated
	same
)

// install makes one event have the hook once, for all tools.
func (e *editor) install(event string, want jsontext.Value) (outcome, error) {
	own, err := e.own(event)
	if err != nil {
		return 0, err
	}
	keep := slices.IndexFunc(own, func(f found) bool { return allTools(f.hook.Matcher) })
	for i := len(own) - 1; i >= 0; i-- {
		if i != keep {
			if err := e.drop(own[i].handler, nil); err != nil {
				return 0, err
			}
		}
	}
	if keep < 0 {
		if len(own) > 0 {
			return updated, e.append(event, want)
		}
		return added, e.append(event, want)
	}
	// A dropped entry may have moved it.
	if own, err = e.own(event); err != nil {
		return 0, err
	}
	d, kept := own[0].d, own[0]
	if equal(d.raw(kept.node), want) {
		return same, nil
	}
	return updated, e.replace(d, kept.node, want)
}

// found is a hook and where it stands.
type found struct {
	handler
	d    *document
	hook Hook
}

// own finds Callgate's hooks for one event, or for all when event is empty.
func (e *editor) own(event string) ([]found, error) {
	d, err := e.parse()
	if err != nil {
		return nil, err
	}
	var out []found
	err = d.eachHandler(func(h handler) error {
		hook, err := d.hook(h)
		if err == nil && hook.OwnOf(e.client) && (event == "" || event == h.event) {
			out = append(out, found{h, d, hook})
		}
		return err
	})
	return out, err
}

// append adds the hook in a group of its own.
func (e *editor) append(event string, want jsontext.Value) error {
	d, err := e.parse()
	if err != nil {
		return err
	}
	group := slices.Concat([]byte("{"+e.client.group(event)), []byte(`"hooks":[`), want, []byte(`]}`))
	list := slices.Concat([]byte("["), group, []byte("]"))
	object := slices.Concat([]byte("{"), quoted(event), []byte(":"), list, []byte("}"))
	if d.root == nil {
		return e.fresh(object)
	}
	hooks := d.root.member("hooks")
	if hooks == nil {
		return e.add(d, d.root, "hooks", object)
	}
	events := hooks.member(event)
	if events == nil {
		return e.add(d, hooks, event, list)
	}
	return e.add(d, events, "", group)
}

// fresh writes the text of an empty file.
func (e *editor) fresh(hooks jsontext.Value) error {
	text, err := usual.pretty(slices.Concat([]byte(`{"hooks":`), hooks, []byte("}")), "")
	mark := e.text[:0:0]
	if bytes.HasPrefix(e.text, byteOrderMark) {
		mark = byteOrderMark
	}
	e.text = slices.Concat(mark, text, []byte("\n"))
	return err
}

// claudeHandler is Claude Code's entry of an event. At UserPromptSubmit a failure must not cost the
// person the prompt: there it is short, and does not block.
func (e Entry) claudeHandler(event string) jsontext.Value {
	seconds, rest := e.seconds(), slices.Concat([]byte(`,"onFailure":"block","statusMessage":`), quoted(StatusMessage))
	if event == UserPromptSubmit {
		seconds, rest = promptSeconds, nil
	}
	var args []byte
	for i, a := range e.args(seconds) {
		if i > 0 {
			args = append(args, ',')
		}
		args = append(args, quoted(a)...)
	}
	return slices.Concat([]byte(`{"type":"command","command":`), quoted(e.Binary), []byte(`,"args":[`), args,
		[]byte(`],"timeout":`), strconv.AppendInt(nil, int64(seconds), 10), rest, []byte("}"))
}

// equal compares two values but for blanks.
func equal(a, b jsontext.Value) bool {
	x, y := a.Clone(), b.Clone()
	return x.Compact() == nil && y.Compact() == nil && bytes.Equal(x, y)
}

// alone is a managed settings file against every other hook.
const alone = "{\n  \"allowManagedHooksOnly\": true\n}\n"

// ManagedText is a whole managed settings file with the hook in it, out of reach of projects and
// flags, and with allowManagedHooksOnly, so no other hook can change a call after Callgate has
// judged it (threat T08).
func ManagedText(e Entry) ([]byte, error) {
	c, err := Install("managed-settings.json", []byte(alone), e)
	return c.Text, err
}
