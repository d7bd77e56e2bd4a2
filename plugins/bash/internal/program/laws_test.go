package program_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// TestJudgesHaveBothSides: every judge beyond the rows has a command it lets pass, and one that
// it, or the row, does not.
func TestJudgesHaveBothSides(t *testing.T) {
	t.Parallel()
	passes, refuses := map[string]bool{}, map[string]bool{}
	for _, c := range familyLines(t) {
		u := program.Read(quotedWords(c.command))
		if c.mark == "+" {
			passes[u.Row().Name] = true
		}
		if c.mark == "-" {
			refuses[u.Row().Name] = true
		}
	}
	for _, c := range familyLines(t) {
		r := program.Read(quotedWords(c.command)).Row()
		if r.Unless != nil && (!passes[r.Name] || !refuses[r.Name]) {
			t.Errorf("%s: passes %v, refuses %v", r.Name, passes[r.Name], refuses[r.Name])
			passes[r.Name], refuses[r.Name] = true, true
		}
	}
}

// TestBeginningsMeanTheWhole: the beginning of a long option is read as the option, or as an
// unknown one.
func TestBeginningsMeanTheWhole(t *testing.T) {
	t.Parallel()
	var lines []familyLine
	for _, c := range familyLines(t) {
		if r := program.Read(quotedWords(c.command)).Row(); r.Abbreviates && strings.Contains(c.command, " --") {
			lines = append(lines, c)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(lines).Draw(t, "case")
		list := quotedWords(c.command)
		at := slices.IndexFunc(list, func(w program.Word) bool { return strings.HasPrefix(w.Text, "--") && len(w.Text) > 4 })
		if at < 0 {
			t.Skip("no long option")
		}
		name, value, has := strings.Cut(list[at].Text, "=")
		short := name[:rapid.IntRange(4, len(name)).Draw(t, "length")]
		names := strings.FieldsFunc(program.Read(list).Row().Options, func(r rune) bool { return strings.ContainsRune(" |=!?<>", r) })
		if slices.Contains(names, short) {
			t.Skip("it is an option itself")
		}
		if has {
			short += "=" + value
		}
		cut := slices.Clone(list)
		cut[at].Text = short
		whole, part := program.Read(list), program.Read(cut)
		if !slices.ContainsFunc(whole.Options, func(o program.Option) bool { return o.At == at && o.Known }) {
			t.Skip("no option of the row, which another one may begin like, or no option at all")
		}
		known := !slices.ContainsFunc(part.Options, func(o program.Option) bool { return !o.Known })
		reads, _ := whole.ReadsOnly()
		partReads, _ := part.ReadsOnly()
		if known && shape(part) != shape(whole) {
			t.Fatalf("%s with %s: %s, not %s", c.command, short, shape(part), shape(whole))
		}
		if partReads && !reads {
			t.Fatalf("%s with %s reads", c.command, short)
		}
	})
}

// TestOrderOfOptions: swapping two options without a value changes neither whether a command
// reads nor its paths.
func TestOrderOfOptions(t *testing.T) {
	t.Parallel()
	for _, c := range familyLines(t) {
		if c.mark != "+" && c.mark != "-" {
			continue
		}
		list := quotedWords(c.command)
		u := program.Read(list)
		for i := 0; i+1 < len(u.Options); i++ {
			a, b := u.Options[i], u.Options[i+1]
			if a.Has || b.Has || !a.Known || !b.Known || b.At != a.At+1 || u.Inner > 0 || u.Row().Bundle {
				continue
			}
			turned := slices.Clone(list)
			turned[a.At], turned[b.At] = list[b.At], list[a.At]
			v := program.Read(turned)
			first, _ := u.ReadsOnly()
			second, _ := v.ReadsOnly()
			if first != second || touched(u) != touched(v) {
				t.Errorf("%s:%d: %s: %v %s, turned %v %s", c.file, c.n, c.command, first, touched(u), second, touched(v))
			}
		}
	}
}

// TestProjectsStayInTheProject: of every program that runs code of the project, an operand that
// names a place beside the project or on another machine is a choice, so no rule for the kind
// covers it (deno test https://evil.example/x.ts).
func TestProjectsStayInTheProject(t *testing.T) {
	t.Parallel()
	judged := 0
	for _, key := range program.Keys() {
		for _, place := range []string{"https://evil.example/x", "/elsewhere/x", "../../x", "~/x"} {
			list := quotedWords(key + " " + place)
			u, at := program.Read(list), len(list)-1
			if !u.Projects() || u.Inner > 0 || !slices.ContainsFunc(u.Operands, func(w program.Word) bool { return w.Text == place }) {
				continue
			}
			judged++
			if !slices.ContainsFunc(u.Choices(), func(c program.Choice) bool { return c.At == at }) {
				t.Errorf("%s %s: no choice", key, place)
			}
		}
	}
	if judged < 400 {
		t.Errorf("%d uses judged: the law is cut short", judged)
	}
}

// TestUnknownOptionsStayInTheProject: an unknown option of a program for a project chooses, however
// it is called, when its value or a part of it leads out of the project.
func TestUnknownOptionsStayInTheProject(t *testing.T) {
	t.Parallel()
	judged := 0
	for _, key := range program.Keys() {
		if u := program.Read(quotedWords(key)); !u.Projects() || u.Inner > 0 || u.Row().Bare {
			continue
		}
		for _, option := range []string{"--unheard-of=/elsewhere/x", "--unheard-of /elsewhere/x", "--unheard-of=~/x", "--unheard-of=../../x", "--unheard-of=trx;File=/elsewhere/x", "--unheard-of=https://evil.example/x"} {
			list := quotedWords(key + " '" + strings.Join(strings.Fields(option), "' '") + "'")
			at := len(strings.Fields(key))
			u := program.Read(list)
			if !slices.ContainsFunc(u.Options, func(o program.Option) bool { return o.At == at && !o.Known }) {
				continue
			}
			judged++
			if !slices.ContainsFunc(u.Choices(), func(c program.Choice) bool { return c.At >= at }) {
				t.Errorf("%s %s: no choice", key, option)
			}
		}
	}
	if judged < 2000 {
		t.Errorf("%d uses judged: the law is cut short", judged)
	}
}

// TestKindsShowTheirFiles: a file that an option or an operand of a command with a kind names is a
// choice, so that a rule for the kind can be held to files of the project.
func TestKindsShowTheirFiles(t *testing.T) {
	t.Parallel()
	roles := []program.Role{program.Reads, program.Writes, program.Removes, program.Into, program.Place, program.Extra}
	options, operands := 0, 0
	for _, key := range program.Keys() {
		bare := program.Read(quotedWords(key))
		if !bare.Kindred() || bare.Inner > 0 || bare.Row().Terminal {
			continue
		}
		at := len(strings.Fields(key))
		chooses := func(u *program.Use) bool {
			return slices.ContainsFunc(u.Choices(), func(c program.Choice) bool { return c.At == at })
		}
		for _, name := range program.PathOptions(key) {
			u := program.Read(quotedWords(key + " " + name + " /elsewhere/x"))
			if !slices.ContainsFunc(u.Options, func(o program.Option) bool { return o.At == at && o.Has && o.Value.Text == "/elsewhere/x" }) {
				continue
			}
			options++
			if !chooses(u) {
				t.Errorf("%s %s /elsewhere/x: no choice", key, name)
			}
		}
		u := program.Read(quotedWords(key + " /elsewhere/x"))
		if len(u.Roles) != 1 || !slices.Contains(roles, u.Roles[0]) {
			continue
		}
		operands++
		if !chooses(u) {
			t.Errorf("%s /elsewhere/x: no choice", key)
		}
	}
	if options < 300 || operands < 400 {
		t.Errorf("%d options, %d operands judged: the law is cut short", options, operands)
	}
}

// TestT11_FollowersSaySo: a reader of whole trees, with an option to follow the links in them, has it
// among Follows: a link of a hostile repository leads anywhere.
func TestT11_FollowersSaySo(t *testing.T) {
	t.Parallel()
	followers := 0
	for _, key := range program.Keys() {
		r := program.RowOf(key)
		if r.Reads == "" || r.Deep == "" || r.Names {
			continue
		}
		for _, name := range strings.FieldsFunc(r.Options, func(r rune) bool { return strings.ContainsRune(" |=!?<>", r) }) {
			if slices.Contains([]string{"--follow", "--dereference", "--dereference-recursive", "--follow-symlinks"}, name) {
				followers++
				if r.Follows == "" {
					t.Errorf("%s: %s follows links, and the row does not say so", r.Name, name)
				}
			}
		}
	}
	if followers < 4 {
		t.Errorf("%d options to follow links, want those of grep, rg, ag and ack at least", followers)
	}
}
