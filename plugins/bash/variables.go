package bash

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// The line itself assigns variables. A value is known where every path through the line to this
// place gives the same one; everywhere else the variable can hold anything.

// variable is a known value.
type variable struct {
	text string
	// glob means: the value is the name of some file matching text, a pattern.
	glob bool
	// plain means: the value is unknown, but one number, date or revision.
	plain bool
}

// maxRounds bounds how often bodies of loops are walked, each of their commands
// counted.
const maxRounds = 96

// change records a new value of name from here on.
func (w *walker) change(name string) {
	w.assigned[name] = true
	delete(w.vars, name)
	if w.looped != nil {
		w.looped[name] = true
	}
}

// set records the value of name from an assignment without a command.
func (w *walker) set(name string, value Word) {
	w.change(name)
	text, known := w.literalValue(value)
	switch {
	case w.odd[name] || !program.OwnVariable(name):
	case known:
		w.vars[name] = variable{text: text}
	case value.Plain:
		w.vars[name] = variable{plain: true}
	}
}

// literalValue returns the text of an unambiguous word.
func (w *walker) literalValue(word Word) (string, bool) {
	home := w.line.Setting.Home
	switch {
	case !word.Literal || word.Glob:
		return "", false
	case word.Tilde && home == "":
		return "", false
	case word.Tilde:
		return home + word.Text[1:], true
	}
	return word.Text, true
}

// forgetWhere drops the values different from those in other.
func (w *walker) forgetWhere(other map[string]variable) {
	maps.DeleteFunc(w.vars, func(name string, v variable) bool { o, ok := other[name]; return !ok || o != v })
}

// given returns the known value of a variable expanded in a word, quoted or not. Without quotes
// a value stays one word, the same in all shells, only if it has no sign that splits or globs.
func (w *walker) given(name string, quoted bool) (variable, bool) {
	v, known := w.vars[name]
	if !known || w.naming || v.plain {
		return variable{}, false
	}
	plain := v.text != "" && !v.glob && !w.assigned["IFS"] && !strings.ContainsFunc(v.text, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:,@%+=", r))
	})
	return v, quoted || plain
}

// loop walks code that runs any number of times. Changes of one round hold for the next: a loop
// that goes elsewhere is walked again from an unknown place, and the outermost assigning one
// without its variables' earlier values.
func (w *walker) loop(walk func()) {
	if w.looped != nil {
		w.round(walk)
		return
	}
	vars, dirs, commands, rounds := maps.Clone(w.vars), slices.Clone(w.dirs), len(w.line.Commands), w.rounds
	w.looped = map[string]bool{}
	if w.round(walk); len(w.looped) > 0 {
		w.vars, w.dirs, w.line.Commands, w.rounds = vars, dirs, w.line.Commands[:commands], rounds
		w.round(walk)
	}
	w.looped = nil
}

func (w *walker) round(walk func()) {
	maps.DeleteFunc(w.vars, func(name string, _ variable) bool { return w.looped[name] })
	before, commands := slices.Clone(w.dirs), len(w.line.Commands)
	w.maybe(walk)
	if slices.Equal(before, w.dirs) {
		return
	}
	w.line.Commands, w.dirs = w.line.Commands[:commands], nil
	w.maybe(walk)
}

// forEach walks a loop over words: once for each of them, if known. RATIONALE.md, "Why are
// loops and substitutions judged by what is in them?".
func (w *walker) forEach(loop *syntax.WordIter, body []*syntax.Stmt) {
	name := loop.Name.Value
	values, known := w.values(loop)
	w.change(name)
	w.line.assigns = true
	if !program.OwnVariable(name) {
		w.line.hide("a loop that sets " + name)
	}
	calls := 1
	for _, s := range body {
		syntax.Walk(s, func(n syntax.Node) bool {
			if _, ok := n.(*syntax.CallExpr); ok {
				calls++
			}
			return true
		})
	}
	w.loop(func() {
		if w.rounds += calls * len(values); !known || w.rounds > maxRounds || w.odd[name] || !program.OwnVariable(name) {
			delete(w.vars, name)
			w.stmts(body)
			return
		}
		for _, v := range values {
			w.maybe(func() {
				w.vars[name] = v
				w.stmts(body)
			})
		}
	})
	delete(w.vars, name)
}

// values returns the values of a loop's variable, one after the other.
func (w *walker) values(loop *syntax.WordIter) (list []variable, known bool) {
	known = loop.InPos.IsValid()
	for _, item := range loop.Items {
		word := w.word(item)
		w.judge(word, "a loop")
		forms := []Word{word}
		if word.Brace { // dash leaves braces as they are
			forms = append(expandedWords(word), Word{Text: word.Text, Literal: true})
		}
		for _, form := range forms {
			text, literal := w.literalValue(form)
			if form.Glob && form.Literal && !form.Tilde && !form.Brace {
				text, literal = form.Text, true
			}
			known = known && literal
			list = append(list, variable{text: text, glob: form.Glob})
		}
	}
	return list, known && len(list) > 0
}

// expandedWords are the expansions of a word's braces; one that can be anything when they are
// unknown.
func expandedWords(word Word) []Word {
	list := expandBraces(word.Text)
	if list == nil || strings.Contains(word.Text, "..") || word.Quoted {
		return []Word{{}}
	}
	out := make([]Word, len(list))
	for i, text := range list {
		out[i] = Word{Text: text, Literal: word.Literal, Glob: strings.ContainsAny(text, "*?["), Tilde: strings.HasPrefix(text, "~")}
	}
	return out
}

// judge hides a construct that compares, or hands on, a variable with a possible secret: its
// words are no command's.
func (w *walker) judge(word Word, what string) {
	if !tellable([]Word{word}) {
		w.line.hide(what + " over a variable that may hold a secret")
	}
}
