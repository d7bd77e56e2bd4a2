package bash

import (
	"path"
	"slices"
	"strings"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// showsChoices reports whether a prefix or glob rule shows each word of cmd, or of a command
// inside it, that chooses the code to run, the configuration, the output file or the machine.
// The author of npm run:* allowed the scripts of the project, not another shell for them. The
// rule fixes the first n words of cmd. RATIONALE.md, "Which arguments did the author of an
// allow rule mean?".
func (l *Line) showsChoices(r *rule, cmd *Command, n int, world surroundings) bool {
	for _, one := range l.Commands {
		if one != cmd && !one.within(cmd) || len(one.Words) == 0 {
			continue
		}
		fixed := n - (one.Offset - cmd.Offset)
		for _, choice := range one.Use().Choices() {
			if choice.At >= fixed && !r.names(one.Words[choice.At]) && !l.meant(r, one, choice, fixed, world) {
				return false
			}
		}
		if one.Use().Kindred() && slices.ContainsFunc(one.Redirects, func(in Redirect) bool {
			return in.Read && !l.discards(in.Word.Text) && !l.belongs(one, in.Word, world)
		}) {
			return false
		}
		if use := one.Use(); use.Row().Sets && one.Parent != nil && one.Parent.Use().Row().Adds {
			return false // xargs may add a setting
		}
		if at := setting(one); at >= fixed && !r.names(one.Words[at]) {
			return false
		}
		if one.Use().Row().Makes && !l.putsInside(r, one, world) {
			return false
		}
	}
	return true
}

// putsInside reports whether a program puts its products in their usual place, or in the place
// in the rule.
func (l *Line) putsInside(r *rule, cmd *Command, world surroundings) bool {
	return !slices.ContainsFunc(l.touches(cmd), func(t touch) bool {
		return t.access == write && !slices.Contains(r.words, t.word.Text) && !l.discards(t.word.Text) && !madeBy(cmd.Use(), world.place(cmd, t.word, write), t.spreads)
	})
}

// belongs follows RATIONALE.md, "Which files did the author of a rule for a kind mean?": it
// reports whether a file, named by an argument or opened as the input of a command, is one
// the author of a rule for its kind had in mind: of the project, no secret, or lying where programs
// hand files to each other, unless it may be code.
func (l *Line) belongs(cmd *Command, file Word, world surroundings) bool {
	if program.Elsewhere(file.Text) || slices.ContainsFunc(l.touches(cmd), func(t touch) bool {
		return t.word.Text == file.Text && world.secret(t)
	}) {
		return false
	}
	where := world.place(cmd, file, read)
	switch {
	case leadsIn(where), !program.Strays(file.Text):
		return true
	}
	return !cmd.Use().Projects() && (strings.HasPrefix(where, "/tmp/") || strings.HasPrefix(where, "/private/tmp/"))
}

func (l *Line) discards(p string) bool { return p == "-" || l.harmless(p) }

// meant reports whether the author of a rule meant a choice without showing it. The rule fixes
// the first words of cmd, as many as fixed.
func (l *Line) meant(r *rule, cmd *Command, choice program.Choice, fixed int, world surroundings) bool {
	switch choice.Kind {
	case program.Coded:
		return fixed == 1 // a rule for an interpreter allows any code
	case program.Begun:
		where := world.place(cmd, choice.Value, read)
		return fixed == 1 && where != "" && !path.IsAbs(where) || choice.Value.Literal && choice.Value.Text == "."
	case program.Written:
		return madeBy(cmd.Use(), world.place(cmd, choice.Value, write), false)
	case program.Filled:
		return madeBy(cmd.Use(), world.place(cmd, choice.Value, write), true)
	case program.Reached:
		return !r.addressed(choice.Value)
	case program.Placed:
		return l.discards(choice.Value.Text) || l.belongs(cmd, choice.Value, world)
	}
	return false
}

// madeBy reports whether a program may make files at a place: below the working directory or
// /tmp, and for a program running the project's code only outside its sources.
func madeBy(u *program.Use, place string, directory bool) bool {
	switch {
	case place == "" || !u.Makes():
		return false
	case path.IsAbs(place):
		return strings.HasPrefix(place+"/", "/tmp/") || strings.HasPrefix(place+"/", "/private/tmp/")
	}
	return !u.Projects() || program.Product(place, directory)
}

// names reports whether a word of a glob rule shows a word of a command: all of it
// but the value of an option or a setting stands before the word's first star.
func (r *rule) names(word Word) bool {
	if r.kind != globRule {
		return false
	}
	head := word.Text
	if at := strings.IndexByte(head, '='); at >= 0 {
		head = head[:at+1]
	}
	return slices.ContainsFunc(strings.Fields(r.text), func(field string) bool {
		fixed, _, _ := strings.Cut(field, "*")
		return strings.HasPrefix(unescapeRule(fixed), head) && globMatch(field, word.Text)
	})
}

// addressed reports whether a rule names a machine, and not this one.
func (r *rule) addressed(word Word) bool {
	if r.kind == prefixRule {
		return len(r.reading().Hosts()) > 0
	}
	named := false
	for _, field := range strings.Fields(r.text) {
		if scheme, rest, ok := strings.Cut(field, "://"); ok {
			if addressMatch(scheme, rest, word.Text) {
				return false
			}
			named = true
		}
	}
	return named
}

// addressMatch reports whether a pattern covers an address: a star in the pattern's host stays
// in the host.
func addressMatch(scheme, rest, address string) bool {
	s, r, ok := strings.Cut(address, "://")
	if !ok || !globMatch(scheme, s) {
		return false
	}
	host, file := authority(rest)
	have, at := authority(r)
	if file == "" {
		host, file = strings.TrimSuffix(host, "*"), "*"
	}
	return globMatch(host, have) && strings.Contains(have, "@") == strings.Contains(host, "@") && globMatch(file, at)
}

// authority splits an address without its scheme behind its host.
func authority(rest string) (host, file string) {
	if at := strings.IndexAny(rest, "/?#\\"); at >= 0 {
		return rest[:at], rest[at:]
	}
	return rest, ""
}

// setting returns the index of the name of a stored setting, when by its name the value is run;
// -1 without one.
func setting(cmd *Command) int {
	u := cmd.Use()
	if u.Program == "git" {
		return -1 // its row knows its settings
	}
	for i, word := range cmd.Words[1:] {
		if i > 1 && cmd.Words[i-1].Text == "alias" && cmd.Words[i].Text == "set" {
			return i + 1
		}
		if i > 0 && slices.Contains(settingVerbs, cmd.Words[i].Text) && namesCommand(word.Text) && !strings.HasPrefix(word.Text, "-") {
			return i + 1
		}
	}
	return -1
}
