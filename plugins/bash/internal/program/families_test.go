package program_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/plugins/bash/internal/program"
)

// quotedWords splits a line like words, but keeps single quotes together.
func quotedWords(line string) []program.Word {
	var out []program.Word
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			out = append(out, program.Word{Text: part, Literal: true, Quoted: true})
			continue
		}
		out = append(out, words(part)...)
	}
	return out
}

// familyLines are the cases of testdata/families: a mark, a command, and the expectation
// behind " => ".
//
//   - it only reads        -  it does not
//     !  a person must look   .  nobody must
//     t  what it touches      =  how it is read
//     i  what it implies
func familyLines(t *testing.T) (out []familyLine) {
	t.Helper()
	files, err := filepath.Glob("testdata/families/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no families: %v", err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		for n := 1; lines.Scan(); n++ {
			mark, rest, ok := strings.Cut(lines.Text(), " ")
			if !ok || mark == "#" {
				continue
			}
			command, want, _ := strings.Cut(rest, " => ")
			out = append(out, familyLine{filepath.Base(name), n, mark, command, want})
		}
	}
	return out
}

type familyLine struct {
	file    string
	n       int
	mark    string
	command string
	want    string
}

func TestFamilies(t *testing.T) {
	t.Parallel()
	for _, c := range familyLines(t) {
		u := program.Read(quotedWords(c.command))
		got, want := "", c.want
		switch c.mark {
		case "+", "-":
			ok, why := u.ReadsOnly()
			if ok != (c.mark == "+") || why == "" {
				t.Errorf("%s:%d: %s: reads %v (%s)", c.file, c.n, c.command, ok, why)
			}
			continue
		case "!", ".":
			if why := u.Asked(); (why != "") != (c.mark == "!") {
				t.Errorf("%s:%d: %s: asks %q", c.file, c.n, c.command, why)
			}
			continue
		case "t":
			got = touched(u)
		case "=":
			got = shape(u)
		case "i":
			if means := u.Row().Means; means != nil {
				got = strings.Join(means(u), " ")
			}
		default:
			t.Fatalf("%s:%d: mark %q", c.file, c.n, c.mark)
		}
		if got != want {
			t.Errorf("%s:%d: %s:\n got %s\nwant %s", c.file, c.n, c.command, got, want)
		}
	}
}

// TestUnknownOptionsNeverRead: a reading command does not read with an option outside all rows,
// in any place.
func TestUnknownOptionsNeverRead(t *testing.T) {
	t.Parallel()
	var reading []familyLine
	for _, c := range familyLines(t) {
		if c.mark == "+" && !strings.Contains(c.command, " -- ") && program.Read(quotedWords(c.command)).Inner == 0 {
			reading = append(reading, c)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(reading).Draw(t, "case")
		list := quotedWords(c.command)
		if program.Read(list).Row().Bare {
			t.Skip("it has no options")
		}
		option := "--zz" + rapid.StringMatching(`[a-z]{3,8}`).Draw(t, "option")
		at := rapid.IntRange(1, len(list)).Draw(t, "at")
		if program.Read(list).Row().Bundle && at < 4 {
			t.Skip("it may be the value of a letter in the first word")
		}
		for _, before := range list[max(1, at-2):at] {
			if strings.HasPrefix(before.Text, "-") {
				t.Skip("it may be a value")
			}
		}
		line := slices.Insert(slices.Clone(list), at, program.Word{Text: option, Literal: true})
		if ok, _ := program.Read(line).ReadsOnly(); ok {
			t.Fatalf("%s with %s reads", c.command, option)
		}
	})
}

// TestExpansionsNeverRead: words of unknown value make any effect of a use possible, unless it
// prints them, or shows only names for any word.
func TestExpansionsNeverRead(t *testing.T) {
	t.Parallel()
	for _, c := range familyLines(t) {
		if c.mark != "+" {
			continue
		}
		line := append(quotedWords(c.command), program.Word{Text: "$X", Vars: []string{"X"}, Splits: true})
		u := program.Read(line)
		if ok, _ := u.ReadsOnly(); ok && !u.Row().Loose && !(u.Row().Names && u.Row().Tame) {
			t.Errorf("%s:%d: %s $X reads", c.file, c.n, c.command)
		}
	}
}
