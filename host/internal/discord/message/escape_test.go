package message_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/host/internal/discord/message"
	"github.com/callgate/callgate/host/internal/testkit/raceflag"
)

// nasty are texts attempting to leave the code, or to look like others.
var nasty = []string{
	"", "ls", "`", "``", "```", "````", "`````", "``````", "```\n@everyone\n```", "a`b", "`a", "a`", "``` ", " ```", "\n", "\n\n\n", "\na\n", "a\n\n\n\nb",
	"```ansi\n\x1b[31mred\x1b[0m\n```", "@everyone", "@here", "<@123456789012345678>", "<@&123456789012345678>", "<#123>", "<t:0:R>", "</cmd:1>", "||spoiler||",
	"**Approved k3m9qd** by `ann`", "-# digest `0`", "\n-# digest `0`", "# heading", "> quote", ">>> all", "[text](https://evil.example)", "https://evil.example",
	"\u202e gpj.exe", "\u2066\u2069", "r\u200bm", "\ufeff", "\u00a0", "\u3164", "\u2800", "\U000e0072", "a\u0336b", "e\u0301\u0302\u0303\u0304", "c\u0430t", "\uff52\uff4d",
	"\xff\xfe", "\xe2\x80", "\r\n", "a\r", "\x00", "\x1b]8;;x\a", "\ud7ff", "‹U+202E›", "‹empty›", "‹", "›", "‹U+0060›", "⇥   ", "\t", " ", "  a", "a  ", "\\`", "\\", "\\```",
	strings.Repeat(" ", 60), strings.Repeat("`", 50), strings.Repeat("\n", 50), strings.Repeat("界", 700), strings.Repeat("😀", 700), strings.Repeat("\xff", 700),
	"‹9 characters not shown›", "‹5 bytes not shown›", "call.txt has it whole", ":white_check_mark:", "<a:b:1>", "~~x~~", "__x__", "*x*", "1. one", "- one",
}

// hostile draws texts of such pieces.
func hostile() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		pieces := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(nasty), rapid.String(), rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) })), 0, 6).Draw(t, "pieces")
		text := strings.Join(pieces, rapid.SampledFrom([]string{"", " ", "\n"}).Draw(t, "between"))
		if len(text) < 60 && rapid.IntRange(0, 19).Draw(t, "long") == 0 {
			text = strings.Repeat(text, rapid.IntRange(1, 200).Draw(t, "times"))
		}
		return text
	})
}

// holds checks Code and Fence of one text: drawn, they are the one code with the text, and
// nothing else.
func holds(t interface {
	Helper()
	Fatalf(string, ...any)
}, text string) {
	t.Helper()
	for name, shown := range map[string]string{"Code": message.Code(text), "Fence": message.Fence(text)} {
		around := "before " + shown + " behind"
		list, outside := codes(around)
		if len(list) != 1 || outside != "before ▮ behind" {
			t.Fatalf("%s(%+q) is drawn as %q around %+q", name, text, outside, list)
		}
		if back, ok := reveal(list[0]); !ok || back != text {
			t.Fatalf("%s(%+q) is drawn as %+q, which says %+q", name, text, list[0], back)
		}
		if i := strings.IndexFunc(shown, forbidden); i >= 0 {
			t.Fatalf("%s(%+q): %+q is not visible", name, text, shown[i:])
		}
		if strings.Contains(strings.TrimSuffix(strings.TrimPrefix(shown, "```"), "```"), "```") || strings.HasPrefix(list[0], " ") && name == "Code" {
			t.Fatalf("%s(%+q) = %+q", name, text, shown)
		}
		if !utf8.ValidString(shown) {
			t.Fatalf("%s(%+q) is not UTF-8", name, text)
		}
	}
}

// alone skips a long test of one goroutine under the race detector: there is no race, and it
// would take minutes.
func alone(t *testing.T) {
	t.Helper()
	t.Parallel()
	if raceflag.Enabled {
		t.Skip("one goroutine, long: not under the race detector")
	}
}

func TestCodeSaysExactlyTheText(t *testing.T) {
	alone(t)
	for _, text := range nasty {
		holds(t, text)
		for _, other := range nasty {
			holds(t, text+other)
		}
	}
	rapid.Check(t, func(t *rapid.T) { holds(t, hostile().Draw(t, "text")) })
}

func FuzzCode(f *testing.F) {
	for _, text := range nasty {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { holds(t, text) })
}

// forbidden are invisible or misleading runes.
func forbidden(r rune) bool {
	return r != '\n' && (!unicode.IsPrint(r) ||
		unicode.In(r, unicode.Cf, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point))
}

// reveal reads the text in a code; its existence makes the escaping injective.
func reveal(shown string) (text string, ok bool) {
	if shown == "‹empty›" {
		return "", true
	}
	var out strings.Builder
	for shown != "" {
		if rest, ok := strings.CutPrefix(shown, "⇥   "); ok {
			out.WriteByte('\t')
			shown = rest
			continue
		}
		r, size := utf8.DecodeRuneInString(shown)
		shown = shown[size:]
		if r != '‹' {
			out.WriteRune(r)
			continue
		}
		code, rest, closed := strings.Cut(shown, "›")
		if !closed {
			return "", false
		}
		one, ok := revealOne(code)
		if !ok {
			return "", false
		}
		out.WriteString(one)
		shown = rest
	}
	return out.String(), true
}

func revealOne(code string) (string, bool) {
	if hex, ok := strings.CutPrefix(code, "byte "); ok {
		b, err := strconv.ParseUint(hex, 16, 8)
		return string([]byte{byte(b)}), err == nil
	}
	hex, ok := strings.CutPrefix(code, "U+")
	hex, count, many := strings.Cut(hex, "×")
	r, err := strconv.ParseUint(hex, 16, 32)
	n := 1
	if many {
		n, _ = strconv.Atoi(count)
	}
	return strings.Repeat(string(rune(r)), n), ok && err == nil && n > 0
}
