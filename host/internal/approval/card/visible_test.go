package card_test

import (
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/callgate/callgate/host/internal/approval/card"
)

func TestVisible(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"plain", "npm run build && ls -la", "npm run build && ls -la"},
		{"two lines", "cd x\nmake", "cd x\nmake"},
		{"other scripts are readable", "echo привет 世界 é ñ ☂", "echo привет 世界 é ñ ☂"},
		{"decomposed accent", "e\u0301te\u0301", "e\u0301te\u0301"},
		{"bidi override", "echo \u202Egnp.exe", "echo ‹U+202E›gnp.exe"},
		{"bidi isolate", "a\u2066b\u2069", "a‹U+2066›b‹U+2069›"},
		{"zero width", "r\u200Bm", "r‹U+200B›m"},
		{"zero width joiner", "r\u200Dm", "r‹U+200D›m"},
		{"byte order mark", "\uFEFFrm", "‹U+FEFF›rm"},
		{"soft hyphen", "r\u00ADm", "r‹U+00AD›m"},
		{"tag characters", "ls\U000E0072\U000E006D", "ls‹U+E0072›‹U+E006D›"},
		{"variation selector", "a\uFE0Fb", "a‹U+FE0F›b"},
		{"ansi", "\x1b[2K\x1b[1Als", "‹U+001B›[2K‹U+001B›[1Als"},
		{"c1 control", "\u009b2J", "‹U+009B›2J"},
		{"carriage return", "rm -rf /\rls", "rm -rf /‹U+000D›ls"},
		{"backspace", "rm\b\bls", "rm‹U+0008›‹U+0008›ls"},
		{"nul", "a\x00b", "a‹U+0000›b"},
		{"delete", "a\x7fb", "a‹U+007F›b"},
		{"no-break space", "rm\u00A0-rf", "rm‹U+00A0›-rf"},
		{"ideographic space", "a\u3000b", "a‹U+3000›b"},
		{"line separator", "a\u2028b\u2029c", "a‹U+2028›b‹U+2029›c"},
		{"Hangul fillers", "a\u3164b\u115F\uFFA0", "a‹U+3164›b‹U+115F›‹U+FFA0›"},
		{"Braille blank", "a\u2800b", "a‹U+2800›b"},
		{"the marks themselves", "‹U+202E›⇥", "‹U+2039›U+202E‹U+203A›‹U+21E5›"},
		{"tab", "\tgo\tx", "⇥   go⇥   x"},
		{"trailing space", "a \nb  ", "a‹U+0020›\nb ‹U+0020›"},
		{"space run", "a" + strings.Repeat(" ", 41) + "b", "a‹U+0020×41›b"},
		{"forty spaces", "a" + strings.Repeat(" ", 40) + "b", "a" + strings.Repeat(" ", 40) + "b"},
		{"line feed run", "a\n\n\n\nb", "a‹U+000A×4›b"},
		{"not UTF-8", "a\xffb\xc3", "a‹byte FF›b‹byte C3›"},
		{"real replacement character", "a\uFFFDb", "a\uFFFDb"},
		{"private use", "\uE000", "‹U+E000›"},
		{"unassigned", "\U000E1234", "‹U+E1234›"},
		{"Cyrillic letter in a Latin word", "/usr/bin/c\u0430t", "/usr/bin/c‹U+0430›t"},
		{"split by a zero-width character", "p\u200B\u0430y", "p‹U+200B›‹U+0430›y"},
		{"Greek beside Latin", "\u03BBx x \u03BB", "‹U+03BB›x x \u03BB"},
		{"full-width", "\uFF52\uFF4D", "‹U+FF52›‹U+FF4D›"},
		{"mathematical", "\U0001D42B\U0001D426", "‹U+1D42B›‹U+1D426›"},
		{"slash look-alike", "evil.com\u2215x", "evil.com‹U+2215›x"},
		{"dash look-alike", "rm \u2212rf", "rm ‹U+2212›rf"},
		{"files exchanged by Hebrew letters", "mv \u05d0 1 \u05d1", "mv ‹U+05D0› 1 ‹U+05D1›"},
		{"Arabic letters and digits", "x \u0628\u064e\u0661 2", "x ‹U+0628›‹U+064E›‹U+0661› 2"},
		{"pile of marks", "a\u0301\u0302\u0303\u0304", "a\u0301\u0302‹U+0303›‹U+0304›"},
		{"overlay", "=\u0338 a\u0336", "=‹U+0338› a‹U+0336›"},
		{"mark without a letter", "\u0301a /\u0301", "‹U+0301›a /‹U+0301›"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := card.Visible(tt.in); got != tt.want {
				t.Errorf("Visible(%+q)\n got %q\nwant %q", tt.in, got, tt.want)
			}
			if got := reveal(t, tt.want); got != tt.in {
				t.Errorf("reveal(%q) = %+q, want %+q", tt.want, got, tt.in)
			}
		})
	}
}

func TestLineHasOneLine(t *testing.T) {
	t.Parallel()
	if got, want := card.Line("a\nb\n\n"), "a‹U+000A›b‹U+000A×2›"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Symptom: a person's reason for a denial in Hebrew reached the agent as a row of escapes.
// Characters turning text around by themselves are escaped all the same.
func TestProseKeepsWhatIsWrittenFromRightToLeft(t *testing.T) {
	t.Parallel()
	if got, want := card.Prose("\u05dc\u05d0: \u202e\u0628\nx"), "\u05dc\u05d0: ‹U+202E›\u0628‹U+000A›x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// reveal undoes Visible and Line: its existence makes them injective.
func reveal(t testing.TB, shown string) string {
	t.Helper()
	var out strings.Builder
	for shown != "" {
		if rest, ok := strings.CutPrefix(shown, "⇥   "); ok {
			out.WriteByte('\t')
			shown = rest
			continue
		}
		r, size := utf8.DecodeRuneInString(shown)
		if r != '‹' {
			out.WriteRune(r)
			shown = shown[size:]
			continue
		}
		code, rest, ok := strings.Cut(shown[size:], "›")
		if !ok {
			t.Fatalf("an escape is not closed: %q", shown)
		}
		out.WriteString(decode(t, code))
		shown = rest
	}
	return out.String()
}

func decode(t testing.TB, code string) string {
	t.Helper()
	if hex, ok := strings.CutPrefix(code, "byte "); ok {
		b, err := strconv.ParseUint(hex, 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		return string([]byte{byte(b)})
	}
	hex, count, many := strings.Cut(strings.TrimPrefix(code, "U+"), "×")
	r, err := strconv.ParseUint(hex, 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	n := 1
	if many {
		if n, err = strconv.Atoi(count); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Repeat(string(rune(r)), n)
}

// forbidden reports whether a rune must not survive on a card.
func forbidden(r rune) bool {
	return r != '\n' && (!unicode.IsPrint(r) || unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko) && unicode.IsLetter(r) ||
		unicode.In(r, unicode.Cf, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point))
}

func FuzzVisible(f *testing.F) {
	for _, seed := range []string{
		"", "ls", "a\nb", "‹U+202E›", "\u202E\u2066", "\x1b[31m", "\xff\xfe", "a\t\tb ", "c\u0430t", "a\u0301\u0302\u0303",
		strings.Repeat(" ", 50), strings.Repeat("\n", 50), "⇥   ", "\uFFFD", "‹byte FF›\xff", "\u3164\u2800",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shown, line, prose := card.Visible(text), card.Line(text), card.Prose(text)
		for _, got := range []string{shown, line} {
			if i := strings.IndexFunc(got, forbidden); i >= 0 {
				t.Errorf("%+q survives in %+q of %+q", got[i:], got, text)
			}
		}
		for _, got := range []string{shown, line, prose} {
			if !utf8.ValidString(got) {
				t.Errorf("not UTF-8: %+q of %+q", got, text)
			}
			if back := reveal(t, got); back != text {
				t.Errorf("not injective: %+q reads back as %+q, not %+q", got, back, text)
			}
		}
		if strings.Contains(line, "\n") {
			t.Errorf("Line(%+q) has a line feed: %+q", text, line)
		}
	})
}
