package target

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// maxInput is how much of a call's text is searched for the names of paths; the rest is
// content, not names. Texts of at most shortText bytes, as paths and most commands are, come
// first, so the content of a large file does not hide the file's name.
const (
	maxInput  = 256 << 10
	shortText = 8 << 10
)

// unquote removes a shell's quoting from a word.
var unquote = strings.NewReplacer(`'`, "", `"`, "", `\`, "")

// words gathers the texts with possible parts of a target: every text of the input, as it is
// and without quotes, and the names of the place.
func words(input json.RawMessage, p Place) string {
	var b strings.Builder
	for _, name := range append([]string{p.CWD, p.Home}, p.WorkingDirectories...) {
		b.WriteString(name + "\n")
	}
	short, long := texts(input)
	for _, text := range append(short, long...) {
		if b.Len() >= maxInput {
			break
		}
		text = text[:min(len(text), maxInput)]
		b.WriteString(text + "\n" + unquote.Replace(text) + "\n")
	}
	return b.String()
}

// texts lists the strings of the input by their length, names included.
func texts(input json.RawMessage) (short, long []string) {
	dec := json.NewDecoder(bytes.NewReader(input))
	for {
		token, err := dec.Token()
		if err != nil {
			return short, long // the end; invalid JSON claims nothing
		}
		text, ok := token.(string)
		switch {
		case ok && len(text) <= shortText:
			short = append(short, text)
		case ok:
			long = append(long, text)
		}
	}
}

// claimed reports whether a part of the path occurs nowhere as a word, so only the module names
// it (threat T17).
func (j *judge) claimed(value string) bool {
	for part := range strings.SplitSeq(strings.TrimPrefix(value, "~"), "/") {
		if part != "" && part != "." && part != ".." && !occurs(j.words, part) {
			return true
		}
	}
	return false
}

// occurs reports whether part stands in text between two ends of a word.
func occurs(text, part string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], part)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(part)
		before, _ := utf8.DecodeLastRuneInString(text[:start])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if (start == 0 || boundary(before)) && (end == len(text) || boundary(after)) {
			return true
		}
		from = start + 1
	}
}

func boundary(r rune) bool { return strings.ContainsRune(" \t\r\n/=:;,|&<>(){}[]$`@", r) }
