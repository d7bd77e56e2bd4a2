package program

import (
	"slices"
	"strings"
)

// forwarders run a command unchanged, besides those whose row is Plain.
var forwarders = []string{"env", "genv", "nohup", "gnohup", "stdbuf", "gstdbuf", "caffeinate"}

// Forwards reports whether the command inside the use acts there as it does alone, and no
// option makes the program do more.
func (u *Use) Forwards() bool {
	if u.Inner == 0 || u.Joined || u.grammar.Adds || len(u.Spans) > 0 || len(u.Scripts()) > 0 || !u.grammar.Plain && !slices.Contains(forwarders, u.Program) {
		return false
	}
	for _, o := range u.Options {
		if !o.Known || o.spec.is(acts|chooses|runsCode|writesPath|writesInto|runsScript) {
			return false
		}
	}
	return u.grammar.In == "" || len(u.Options) == 0 // env -i, -u and -C change the command
}

// Plainly returns the words naming the action of the use: the program, its sub-command and,
// with operand, the first operand (a target, a remote), without the options between them; and
// how many words of the use these are. There are none if such an option is unknown or is more
// than a detail: it writes, runs, chooses. A start directory accepted by inside is no choice.
func (u *Use) Plainly(operand bool, inside func(Word) bool) (named []Word, at int) {
	if len(u.Words) == 0 || !u.Known {
		return nil, 0
	}
	named, at = []Word{u.Words[0]}, u.At
	for _, sub := range u.Sub {
		named = append(named, Word{Text: sub, Literal: true})
	}
	if n := len(u.Sub); n > 0 && u.Strange {
		named[n] = u.Words[u.At-1]
	}
	if operand {
		if len(u.Operands) == 0 || u.ats[0] < at || u.Inner > 0 {
			return nil, 0
		}
		named, at = append(named, u.Operands[0]), u.ats[0]+1
	}
	if at < 2 || u.Bundled() {
		return nil, 0
	}
	choices := u.Choices()
	if slices.ContainsFunc(choices, func(c Choice) bool {
		return c.At < u.At && !slices.ContainsFunc(u.Options, func(o Option) bool { return o.At == c.At })
	}) {
		return nil, 0 // cargo +NAME
	}
	for _, o := range u.Options {
		if o.At >= at {
			continue
		}
		spec := u.specOf(o)
		switch i := slices.IndexFunc(choices, func(c Choice) bool { return c.At == o.At }); {
		case i >= 0 && choices[i].Kind == Begun && inside(choices[i].Value):
		case i >= 0, spec == nil, spec.is(acts | writesPath | writesInto | runsCode | runsScript | namesHost | runsWords | readsPath):
			return nil, 0
		}
	}
	return named, at
}

// Implied returns the sub-command that the use means without naming it: git stash is git stash
// push. Empty for any other use.
func (u *Use) Implied() string {
	if u.Program == "git" && len(u.Sub) == 1 && u.Sub[0] == "stash" && len(u.Operands) == 0 && !u.Strange {
		return "push"
	}
	return ""
}

// Bundled tells whether the first word holds options without a dash.
func (u *Use) Bundled() bool { return u.grammar.Bundle && len(u.Options) > 0 && u.Options[0].At == 1 }

// Leaves reports whether the words behind the first n are none of without, and, when bare,
// options only. Options count in any spelling, anywhere except among own, the words of the
// rule. It is false for a use with an option outside its row, or with a word that the shell may
// turn into one.
func (u *Use) Leaves(n int, bare bool, without, own []string) bool {
	options := slices.DeleteFunc(slices.Clone(u.Options), func(o Option) bool { return o.At < n && slices.Contains(own, u.Words[o.At].Text) })
	for _, o := range options {
		if !o.Known && u.specOf(o) == nil {
			return false
		}
	}
	for i, word := range u.Operands {
		if u.ats[i] >= n && (bare || opensAny(word) || word.Glob && !dotted(word.Text)) {
			return false
		}
	}
	for _, text := range without {
		if !strings.HasPrefix(text, "-") {
			if slices.ContainsFunc(u.Words[min(max(n, 0), len(u.Words)):], func(w Word) bool { return w.Text == text }) || u.grammar.Says != nil && slices.Contains(u.grammar.Says(u), text) {
				return false
			}
			continue
		}
		for _, name := range u.spellings(text) {
			if slices.ContainsFunc(options, func(o Option) bool { return o.Name == name }) || u.grammar.Means != nil && slices.Contains(u.grammar.Means(u), name) {
				return false
			}
		}
	}
	return true
}

// spellings are an option's names in the rows of the use.
func (u *Use) spellings(text string) []string {
	out := []string{text}
	for _, g := range u.grammars() {
		if g.OneDash {
			text = oneDash(text)
		}
		for _, s := range g.spelled(text) {
			out = append(out, s.name)
		}
	}
	return out
}

// NamedAt returns how many words of the use, from the first, hold the first n words naming its
// action; 0 where there are fewer.
func (u *Use) NamedAt(n int) int {
	switch {
	case n == 0:
		return 0
	case n == 1:
		return 1
	case n == 1+len(u.Sub):
		return u.At
	case n == 2+len(u.Sub) && len(u.Operands) > 0 && (u.Known || u.ats[0] == 1):
		return u.ats[0] + 1
	case n == 3+len(u.Sub) && len(u.Operands) > 1 && u.Known && u.ats[1] == u.ats[0]+1:
		return u.ats[1] + 1
	}
	return 0
}
