package bash

import (
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// spelt reports whether cmd is the rule's command in another spelling: options
// in another order, clustered, in their long form, or behind other arguments; the
// program's own options before the sub-command. exact asks for just the options
// of the rule where the command only reads anyway.
func spelt(r *rule, cmd *Command, exact bool) bool {
	if len(r.words) < 2 || !sameProgram(r.words[0], cmd) {
		return false
	}
	want, have := r.reading(), cmd.Use()
	if speltAs(want, have, exact) {
		return true
	}
	other := withoutValue(have)
	return other != nil && speltAs(want, other, exact)
}

func speltAs(want, have *program.Use, exact bool) bool {
	for _, o := range want.Options {
		if !given(o, have) {
			return false
		}
	}
	if exact && len(want.Options) > 0 && len(want.Options) != len(have.Options) {
		if ok, _ := have.ReadsOnly(); ok {
			return false
		}
	}
	words, among := plainOf(want), plainOf(have)
	if len(words) == 0 {
		return len(want.Options) > 0
	}
	if begins(among, words) {
		return true
	}
	// The goals of make and its like stand in any order.
	for len(have.Sub) == 0 && have.Row().Verb && len(among) > len(words) {
		if among = among[1:]; begins(among, words) {
			return true
		}
	}
	return false
}

// given reports whether a use has an option of a rule, with its value if the
// rule tells one.
func given(o program.Option, have *program.Use) bool {
	if !o.Has {
		return have.Means(o.Name)
	}
	return slices.ContainsFunc(have.Options, func(h program.Option) bool {
		return h.Name == o.Name && (!h.Has || same(o.Value.Text, h.Value))
	})
}

// plainOf returns the words of a use except options: sub-commands, operands and the command
// inside.
func plainOf(u *program.Use) []Word {
	var out []Word
	for i, name := range u.Sub {
		word := Word{Text: name, Literal: true}
		if i == len(u.Sub)-1 {
			word = u.Words[u.At-1]
		}
		out = append(out, word)
	}
	out = append(out, u.Operands...)
	if u.Inner > 0 {
		out = append(out, u.Words[u.Inner:u.End]...)
	}
	return out
}

// begins reports whether words are the first of among.
func begins(among, words []Word) bool {
	if len(words) > len(among) {
		return false
	}
	for i, word := range words {
		if !same(word.Text, among[i]) {
			return false
		}
	}
	return true
}

// withoutValue reads the command again with the word behind its first unknown option as that
// option's value (docker --unheard-of x ps); nil when there is none.
func withoutValue(u *program.Use) *program.Use {
	for _, o := range u.Options {
		next := o.At + 1
		if o.Known || o.Has || next >= len(u.Words) || strings.HasPrefix(u.Words[next].Text, "-") {
			continue
		}
		return program.Read(slices.Delete(slices.Clone(u.Words), next, next+1))
	}
	return nil
}

// reading returns the words of the rule as its program reads them.
func (r *rule) reading() *program.Use {
	if r.use == nil {
		words := make([]Word, len(r.words))
		for i, text := range r.words {
			words[i] = Word{Text: text, Literal: true}
		}
		r.use = program.Read(words)
	}
	return r.use
}
