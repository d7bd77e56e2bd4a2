package tool

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// encode writes an answer: the frequent ones without reflection, the others, and all with an
// invalid text, by the complete encoder. Both write the same; TestEncode holds that.
func encode(answer any) ([]byte, error) {
	w := writer{out: make([]byte, 0, 512)}
	switch a := answer.(type) {
	case matched:
		w.matched(a)
	case Verdict:
		w.verdict(a)
	case ReadOnly:
		w.readOnly(a)
	case Description:
		w.description(&a)
	default:
		w.failed = true
	}
	if !w.failed {
		return w.out, nil
	}
	return json.Marshal(answer, json.Deterministic(true))
}

// writer appends JSON to out. more tells that a member or an item stands before.
type writer struct {
	out    []byte
	more   bool
	failed bool
}

// string writes a text.
func (w *writer) string(text string) {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			var err error
			if w.out, err = jsontext.AppendQuote(w.out, text); err != nil {
				w.failed = true
			}
			return
		}
	}
	w.out = append(w.out, '"')
	w.out = append(w.out, text...)
	w.out = append(w.out, '"')
}

func (w *writer) bool(b bool) { w.out = strconv.AppendBool(w.out, b) }

// item begins another member or item.
func (w *writer) item() {
	if w.more {
		w.out = append(w.out, ',')
	}
	w.more = true
}

// name begins a member.
func (w *writer) name(name string) {
	w.item()
	w.out = append(w.out, '"')
	w.out = append(w.out, name...)
	w.out = append(w.out, '"', ':')
}

// text writes a member unless it is empty, yes one unless it is false.
func (w *writer) text(name, text string) {
	if text != "" {
		w.name(name)
		w.string(text)
	}
}

func (w *writer) yes(name string, b bool) {
	if b {
		w.name(name)
		w.bool(b)
	}
}

// within writes an object or a list.
func (w *writer) within(open, closing byte, inner func()) {
	w.out, w.more = append(w.out, open), false
	inner()
	w.out, w.more = append(w.out, closing), true
}

// objects writes a member with a list of objects unless it is nil.
func objects[T any](w *writer, name string, list []T, object func(*T)) {
	if list == nil {
		return
	}
	w.name(name)
	w.within('[', ']', func() {
		for i := range list {
			w.item()
			w.within('{', '}', func() { object(&list[i]) })
		}
	})
}

// texts writes a member with a list of texts unless it is nil.
func (w *writer) texts(name string, list []string) {
	if list != nil {
		w.list(name, list)
	}
}

// list writes a member with a list of texts.
func (w *writer) list(name string, list []string) {
	w.name(name)
	w.within('[', ']', func() {
		for _, text := range list {
			w.item()
			w.string(text)
		}
	})
}

func (w *writer) matched(a matched) {
	w.out = append(w.out, `{"matched":[`...)
	for i, n := range a.Matched {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		w.out = strconv.AppendInt(w.out, int64(n), 10)
	}
	w.out = append(w.out, ']', '}')
}

func (w *writer) verdict(a Verdict) {
	w.within('{', '}', func() {
		w.name("behavior")
		w.string(string(a.Behavior))
		w.text("message", a.Message)
		w.text("reason", a.Reason)
		w.yes("bypass_immune", a.BypassImmune)
	})
}

func (w *writer) readOnly(a ReadOnly) {
	w.within('{', '}', func() {
		w.name("read_only")
		w.bool(a.ReadOnly)
		w.text("reason", a.Reason)
	})
}

func (w *writer) description(a *Description) {
	w.within('{', '}', func() {
		w.text("action", a.Action)
		w.texts("actions", a.Actions)
		w.text("title", a.Title)
		w.text("preview", a.Preview)
		w.text("language", a.Language)
		objects(w, "targets", a.Targets, w.target)
		w.yes("targets_unknown", a.TargetsUnknown)
		if a.Analysed != nil {
			w.name("analysed")
			w.bool(*a.Analysed)
		}
		w.yes("moves", a.Moves)
		w.texts("changes_shell", a.ChangesShell)
		objects(w, "marks", a.Marks, func(m *Mark) { w.thing(m.Kind, m.Value, "access", m.Access) })
		objects(w, "effects", a.Effects, func(e *Effect) {
			w.thing(e.Kind, e.Value, "", "")
			w.name("certain")
			w.bool(e.Certain)
			w.text("how", e.How)
		})
		if words := a.RuleWords; words != nil {
			w.name("rule_words")
			w.within('{', '}', func() {
				w.list("allow", words.Allow)
				w.list("other", words.Other)
			})
		}
	})
}

// target writes a target as a module names it, without the host's members.
func (w *writer) target(t *Target) {
	if *t != (Target{Kind: t.Kind, Value: t.Value, Access: t.Access}) {
		w.failed = true
	}
	w.thing(t.Kind, t.Value, "access", t.Access)
}

// thing writes kind and value, and a further member if it has a name.
func (w *writer) thing(kind, value, name, text string) {
	w.name("kind")
	w.string(kind)
	w.name("value")
	w.string(value)
	if name != "" {
		w.name(name)
		w.string(text)
	}
}
