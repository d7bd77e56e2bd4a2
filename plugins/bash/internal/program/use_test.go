package program_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// words makes literal words of a line without quotes; a star makes a glob, a
// dollar sign an expansion.
func words(line string) []program.Word {
	var out []program.Word
	for _, text := range strings.Fields(line) {
		out = append(out, program.Word{
			Text: text, Literal: !strings.Contains(text, "$"), Glob: strings.ContainsAny(text, "*?["), Tilde: strings.HasPrefix(text, "~"),
		})
	}
	return out
}

// shape prints a use: options with values, operands with roles, inner command.
func shape(u *program.Use) string {
	var out []string
	if len(u.Sub) > 0 {
		out = append(out, "sub="+strings.Join(u.Sub, " "))
	}
	for _, o := range u.Options {
		text := o.Name
		if o.Has {
			text += "=" + o.Value.Text
		}
		if !o.Known {
			text += "?"
		}
		out = append(out, text)
	}
	for i, o := range u.Operands {
		out = append(out, fmt.Sprintf("%c:%s", u.Roles[i], o.Text))
	}
	if u.Inner > 0 {
		text := fmt.Sprintf("inner=%s..%s", u.Words[u.Inner].Text, u.Words[u.End-1].Text)
		if u.Joined {
			text += "(joined)"
		}
		out = append(out, text)
	}
	for _, s := range u.Spans {
		out = append(out, fmt.Sprintf("span=%s..%s", u.Words[s[0]].Text, u.Words[s[1]-1].Text))
	}
	for _, s := range u.Scripts() {
		out = append(out, "script="+s.Text)
	}
	for _, s := range u.Code() {
		out = append(out, "code="+s.Text)
	}
	if u.Commanded() {
		out = append(out, "commanded")
	}
	return strings.Join(out, " ")
}

func TestRead(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"sort -nrk2 a b":             "-n -r -k=2 r:a r:b",
		"sort -o out a":              "-o=out r:a",
		"sort -oout a":               "-o=out r:a",
		"sort --out=x a":             "-o=x r:a",
		"sort --re a":                "-r r:a",
		"sort --ran a":               "-R? --random-source=a?",
		"sort -Q a":                  "-Q? r:a",
		"sort -- -o x":               "r:-o r:x",
		"sort a -o b":                "-o=b r:a",
		"cp -r a b c":                "-r r:a r:b p:c",
		"cp -t d a b":                "-t=d r:a r:b",
		"cp a":                       "p:a",
		"/usr/bin/rm -rf --one x":    "-r -f --one-file-system m:x",
		"timeout -k 5 10 rm -rf x":   "-k=5 t:10 inner=rm..x",
		"env -i A=1 B=2 rm -r x":     "-i a:A=1 a:B=2 inner=rm..x",
		"env":                        "",
		"sudo -u root X=1 ls -l":     "-u=root a:X=1 inner=ls..-l",
		"unheard-of -o f --out g -x": "-o=f --out? -x? r:g",
	} {
		if got := shape(program.Read(words(line))); got != want {
			t.Errorf("%s:\n got %s\nwant %s", line, got, want)
		}
	}
}

func TestReadsOnly(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"sort -nrk2 a b":               true,
		"sort -o out a":                false,
		"sort --out=x a":               false,
		"sort --compress-program=sh a": false,
		"sort --ran a":                 false,
		"sort *.txt":                   false,
		"sort -- *.txt":                true,
		"cat *":                        true,
		"cat $X":                       false,
		"rm x":                         false,
		"timeout 5 cat x":              true, // cat x is a use of its own
		"env cat x":                    false,
		"cat -Q":                       false,
	} {
		if got, why := program.Read(words(line)).ReadsOnly(); got != want {
			t.Errorf("%s: got %v (%s), want %v", line, got, why, want)
		}
	}
}

func TestTouches(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"sort -o out a": "write:out read:a",
		"rm -r a b":     "write:a:removes:deep write:b:removes:deep",
		"cp a/x b d":    "read:a/x read:b write:d write:d/x:derived write:d/b:derived",
		"cp -t d a":     "write:d write:d/a:derived read:a",
		"cp -T a b":     "read:a write:b",
		"sort -T/tmp x": "write:/tmp:spreads read:x",
	} {
		if got := touched(program.Read(words(line))); got != want {
			t.Errorf("%s:\n got %s\nwant %s", line, got, want)
		}
	}
}

func touched(u *program.Use) string {
	var out []string
	for _, t := range u.Touches() {
		text := string(t.Access) + ":" + t.Word.Text
		for _, flag := range []struct {
			on   bool
			name string
		}{{t.Removes, "removes"}, {t.Recursive, "deep"}, {t.Derived, "derived"}, {t.Spreads, "spreads"}} {
			if flag.on {
				text += ":" + flag.name
			}
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}
