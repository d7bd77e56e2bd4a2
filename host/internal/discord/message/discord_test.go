package message_test

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// span is a part of a message as Discord draws it.
type span struct {
	text string
	code bool
}

var (
	escapeRule = regexp.MustCompile(`^\\[^0-9A-Za-z\s]`)
	fenceRule  = regexp.MustCompile("(?is)^```(?:([a-z0-9_+\\-.#]+?)\\n)?\\n*([^\\n].*?)\\n*```")
)

// draw is Discord's rules for code, as its clients have them: at each place an escape, a
// code block or inline code, and else one character of text.
func draw(content string) []span {
	var out []span
	plain := func(text string) {
		if n := len(out); n > 0 && !out[n-1].code {
			out[n-1].text += text
			return
		}
		out = append(out, span{text: text})
	}
	for content != "" {
		if m := escapeRule.FindString(content); m != "" {
			plain(m[1:])
			content = content[len(m):]
			continue
		}
		if m := fenceRule.FindStringSubmatch(content); m != nil {
			out = append(out, span{text: m[2], code: true})
			content = content[len(m[0]):]
			continue
		}
		if text, size := inlineRule(content); size > 0 {
			out = append(out, span{text: text, code: true})
			content = content[size:]
			continue
		}
		_, size := utf8.DecodeRuneInString(content)
		plain(content[:size])
		content = content[size:]
	}
	return out
}

var inlineEdges = regexp.MustCompile("^ ( *`)|(` *) $")

// inlineRule is /^(`+)([^]*?[^`])\1(?!`)/, with its way of going back.
func inlineRule(content string) (text string, size int) {
	run := len(content) - len(strings.TrimLeft(content, "`"))
	for n := run; n > 0; n-- {
		ticks := strings.Repeat("`", n)
		for j := n + 1; j+n <= len(content); j++ {
			if content[j-1] != '`' && strings.HasPrefix(content[j:], ticks) && !strings.HasPrefix(content[j+n:], "`") {
				return inlineEdges.ReplaceAllString(content[n:j], "$1$2"), j + n
			}
		}
	}
	return "", 0
}

// codes are the spans of code, outside the text between them, each code as one ▮.
func codes(content string) (list []string, outside string) {
	for _, s := range draw(content) {
		if s.code {
			list = append(list, s.text)
			outside += "▮"
		} else {
			outside += s.text
		}
	}
	return list, outside
}
