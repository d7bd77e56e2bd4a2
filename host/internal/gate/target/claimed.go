package target

import (
	"encoding/json"
	"iter"
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
	b.Grow(min(2*len(input), maxInput) + 256)
	b.WriteString(p.CWD)
	b.WriteByte('\n')
	b.WriteString(p.Home)
	b.WriteByte('\n')
	for _, name := range p.WorkingDirectories {
		b.WriteString(name)
		b.WriteByte('\n')
	}
	if !json.Valid(input) {
		return b.String() // invalid JSON claims nothing
	}
	for _, long := range [...]bool{false, true} {
		for text := range texts(input) {
			if len(text) > shortText != long {
				continue
			}
			if b.Len() >= maxInput {
				return b.String()
			}
			text = text[:min(len(text), maxInput)]
			b.WriteString(text)
			b.WriteByte('\n')
			_, _ = unquote.WriteString(&b, text) // a Builder takes everything
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// texts yields the strings of valid JSON, names included.
func texts(input json.RawMessage) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := 0; at < len(input); at++ {
			if input[at] != '"' {
				continue
			}
			end, plain := at+1, true
			for ; input[end] != '"'; end++ {
				if plain = plain && input[end] != '\\' && input[end] < utf8.RuneSelf; input[end] == '\\' {
					end++
				}
			}
			var text string
			var err error
			if plain {
				text = string(input[at+1 : end])
			} else {
				text, err = unescaped(input[at : end+1])
			}
			if err != nil || !yield(text) {
				return
			}
			at = end
		}
	}
}

// unescaped is the content of a JSON string.
func unescaped(quoted []byte) (string, error) {
	var text string
	err := json.Unmarshal(quoted, &text)
	return text, err
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
