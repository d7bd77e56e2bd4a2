package program_test

import (
	"strings"
	"testing"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// named is a path on a line.
const named = "secrets/k.x"

// placings are the places of a path among the words of a command.
var placings = []string{"P", "./P", "a P", "a b P", "--unheard-of=P", "-~P", "k=P", "k=v,src=P", "a:P", "u@h:P", "@P", "f=@P", "file:P", "--unheard-of P", "-- P"}

// isNoFile reports whether by the row the word is no file of this machine: a revision of git, a
// file of another machine, letters of options.
func isNoFile(u *program.Use) bool {
	remote := (u.Program == "scp" || u.Program == "rsync") && strings.Contains(u.Words[1].Text, ":")
	letters := u.Row().Bundle && len(u.Words) == 2 || strings.HasPrefix(u.Words[len(u.Words)-1].Text, "-~") && u.Options[0].Known
	return u.Program == "git" && !u.Strange || remote || letters
}

// TestEveryWordIsTold: for any program, a path among its words is listed as touched, as
// possibly touched, or as a part of its code, unless the command only reads and so has listed
// all of its words. Deny and ask rules, and the protection of the gate, rest on it.
func TestEveryWordIsTold(t *testing.T) {
	t.Parallel()
	keys := append(program.Keys(), "frobnicate", "frobnicate sub", "make all", "npm run x")
	for _, key := range keys {
		for _, placing := range placings {
			line := key + " " + strings.ReplaceAll(placing, "P", named)
			u := program.Read(plainWords(strings.Fields(line)))
			if ok, _ := u.ReadsOnly(); ok || tells(u) || isNoFile(u) {
				continue
			}
			t.Errorf("%s: %s is not told", line, named)
		}
	}
	t.Logf("%d rows, %d placings", len(keys), len(placings))
}

func plainWords(texts []string) []program.Word {
	out := make([]program.Word, len(texts))
	for i, text := range texts {
		out[i] = program.Word{Text: text, Literal: true}
	}
	return out
}

// tells reports whether a use tells of the path.
func tells(u *program.Use) bool {
	holds := func(words ...program.Word) bool {
		for _, w := range words {
			if strings.Contains(w.Text, named) {
				return true
			}
		}
		return false
	}
	for _, touch := range u.Touches() {
		if holds(touch.Word) {
			return true
		}
	}
	unsaid := u.Unsaid()
	if holds(unsaid.Any...) || holds(unsaid.Parts...) || holds(unsaid.Changed...) || holds(unsaid.Scripts...) || holds(u.Scripts()...) || holds(u.Code()...) || holds(u.Starts()...) {
		return true
	}
	if u.Inner > 0 && holds(u.Words[u.Inner:u.End]...) {
		return true
	}
	for _, span := range u.Spans {
		if holds(u.Words[span[0]:span[1]]...) {
			return true
		}
	}
	return false
}
