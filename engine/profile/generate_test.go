package profile_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes patterns of Python's syntax, and sometimes nearly so.
type generator struct {
	*rand.Rand
	groups int      // written so far in this pattern
	names  []string // of them
	// narrow patterns know a and b only: they match often, in many ways, to show the chosen
	// way.
	narrow bool
}

func newGenerator(seed uint64) *generator { return &generator{Rand: rand.New(rand.NewPCG(seed, 2))} }

func pickOne[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

func (g *generator) question(broken bool) question {
	g.groups, g.names = 0, nil
	flags := []string{"", "", "", "", "(?i)", "(?s)", "(?m)", "(?x)", "(?a)", "(?is)", "(?ai)", "(?u)", "(?mi)", "(?xi)", "(?aim)", "(?s)(?i)"}
	q := question{}
	if g.narrow = !broken && g.IntN(2) == 0; !g.narrow {
		q.Pattern = pickOne(g, flags)
	}
	q.Pattern += g.alternatives(3)
	if broken {
		q.Pattern = g.mutate(q.Pattern)
	}
	for range 8 {
		q.Texts = append(q.Texts, g.text(7))
	}
	return q
}

// text writes texts for the patterns, mostly few letters with frequent matches.
func (g *generator) text(limit int) string {
	letters := []string{"a", "b", "a", "b", "A", "1", "_", " ", "\n", "-", "é", "É", "ſ", "s", "S", "k", "K", "\u212a", "ß", "ẞ", "٣", "x", "{", "i", "I", "İ", "ı", "µ", "μ", "Σ", "ς", "σ", "𐐀", "𐐨", "\u2003", "\x1c", "\x00", "½", "—"}
	if g.IntN(2) == 0 {
		letters = letters[:5]
	}
	if g.narrow {
		letters = letters[:2]
	}
	var text strings.Builder
	for range g.IntN(limit) {
		text.WriteString(pickOne(g, letters))
	}
	return text.String()
}

func (g *generator) alternatives(depth int) string {
	parts := []string{g.sequence(depth)}
	for g.IntN(4) == 0 {
		parts = append(parts, g.sequence(depth))
	}
	return strings.Join(parts, "|")
}

func (g *generator) sequence(depth int) string {
	var out strings.Builder
	for range g.IntN(4) {
		out.WriteString(g.atom(depth) + g.quantifier())
	}
	return out.String()
}

func (g *generator) quantifier() string {
	if g.IntN(2) == 0 {
		return ""
	}
	q := pickOne(g, []string{"*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "{,}", "{0}", "{2,3}", "{0,1}"})
	return q + pickOne(g, []string{"", "", "", "?", "+"})
}

func (g *generator) atom(depth int) string {
	n := g.IntN(8)
	if g.narrow {
		switch {
		case n < 2 && g.groups > 0:
			return g.reference(depth)
		case depth == 0 || n < 5:
			return pickOne(g, []string{"a", "b", "a", "b", ".", "[ab]", "(?:ab)", "(?:a|ab)", "(?:|a)", "(?:b?)", `\b`, "$", "^"}[:10+g.IntN(4)])
		}
		return g.group(depth)
	}
	switch {
	case n == 0 && g.groups > 0:
		return g.reference(depth)
	case n == 1:
		return pickOne(g, []string{
			`\w`, `\W`, `\d`, `\D`, `\s`, `\S`, `\b`, `\B`, `\A`, `\Z`, "^", "$", `\n`, `\x61`, `\u0062`, `\U00000061`, `\101`, `\0`, `\x00`, `\.`, `\ `, `\#`,
			`\N{LATIN SMALL LETTER A}`, `\N{em dash}`, `\N{SPACE}`, `\N{NULL}`, "#", "{", "}", "]", "{a}", "{,", "a{1", "(?#comment)",
		})
	case n == 2:
		return pickOne(g, []string{
			"[ab]", "[^a]", "[a-k]", `[^\w]`, `[\d_]`, "[]a]", "[a-]", "[-a]", "[k]", `[\W\s]`, "[^]]", "[^\n]", `[\101-\x63]`, "[a-bé]", "[[ab]", "[a&&b]", "[a||b]",
			"[à-ö]", "[^À-Ö]", "[i]", "[ı-ſ]", "[𐐀-𐐅]", "[^𐐨]", `[\b]`, `[^^]`, `[\N{EM DASH}a]`, "[s-t]", `[\S\D]`, `[^\W\d]`, "[µ]", "[Α-Ω]", "[a-zA-Z]", `[\]\\]`,
		})
	case depth == 0 || n < 6:
		return pickOne(g, []string{"a", "b", "a", "b", ".", "a", "1", "k", "s", "i", "I", "ß", "é", " ", "-", "_", "μ", "σ", "ab", "ba"})
	}
	return g.group(depth)
}

// reference refers to a written group, closed or not.
func (g *generator) reference(depth int) string {
	n := 1 + g.IntN(g.groups+1)
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("(?(%d)%s|%s)", n, g.sequence(depth/2), g.sequence(depth/2))
	case 1:
		return fmt.Sprintf("(?(%d)%s)", n, g.sequence(depth/2))
	case 2:
		if len(g.names) > 0 {
			return fmt.Sprintf("(?P=%s)", pickOne(g, g.names))
		}
	case 3:
		if len(g.names) > 0 {
			return fmt.Sprintf("(?(%s)a|b)", pickOne(g, g.names))
		}
	}
	return fmt.Sprintf(`(?:\%d)`, n)
}

func (g *generator) group(depth int) string {
	open := pickOne(g, []string{"(", "(", "(", "(?P<", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?>", "(?i:", "(?-i:", "(?s:", "(?a:", "(?u:", "(?x:", "(?m:", "(?i-s:", "(?ai:"})
	if strings.HasPrefix(open, "(?<") && g.IntN(4) > 0 {
		return open + pickOne(g, []string{
			"a", "b|a", "[ab]", "aa", `\b`, "^", "", "(?!a)b", "(?:ab|ba)", "(?>a)", "a{2}", "(?:a|b){2}", "(?=ab)a", "(?<=a)b", "(?<!a)[ab]", "$", `\Aa`, "(?i:k)", "a{0}", "a??b{0}a{0}",
		}) + ")"
	}
	if open == "(" || open == "(?P<" || (strings.HasPrefix(open, "(?<") && g.IntN(3) == 0) {
		g.groups++
		if open == "(?P<" {
			name := fmt.Sprintf("n%d", g.groups)
			g.names = append(g.names, name)
			open += name + ">"
		}
		if strings.HasPrefix(open, "(?<") {
			return open + pickOne(g, []string{"([ab])", "([ab]){2}", "(a)|b", "(?:(a)|b){2}", "([ab])[ab]", "(?=([ab]))"}) + ")"
		}
	}
	return open + g.alternatives(depth-1) + ")"
}

// mutate breaks a pattern somewhere.
func (g *generator) mutate(pattern string) string {
	r := []rune(pattern)
	for range 1 + g.IntN(2) {
		at := g.IntN(len(r) + 1)
		insert := pickOne(g, []string{
			"(", ")", "[", "]", "{", "*", "?", "+", "\\", "|", "(?", "(?P<n>", "(?P=n)", "(?<", `\8`, `\x4`, "{2,1}", "--", "(?#", "(?i)", "(?x)", "[b-a]", `[\d-z]`, `\N{EM DASH}`, `\N{NOPE}`, `\N`, "\\400", `\p`, `[\z]`, `\Q`,
			"(?P<1a>", "(?P", "(?(", "(?(0)", "(?(9)a)", "(?(n)a)", "(?-", "(?i-i:", "(?L:", "(?au:", "(?-a:", "(?<n>", "(?|", "(?'", "(?&", "(?R)", `\g<1>`, `\k<n>`, `\u12`, `\U00110000`, "**", "*+*", "{1}{2}", "(?<=a+)", "(?<=a|bb)", "[[:alpha:]]", "(?z)",
		})
		if at < len(r) && g.IntN(2) == 0 {
			r = append(r[:at:at], r[at+1:]...)
		} else {
			r = append(r[:at:at], append([]rune(insert), r[at:]...)...)
		}
	}
	return string(r)
}

// actionPattern writes a pattern mostly about the tool ab.
func (g *generator) actionPattern() string {
	g.groups, g.names = 0, nil
	head := pickOne(g, []string{"tool:", "tool:ab:", "tool:abc:", "tool:(?!ab)", "tool:a?", "tool:[^a]", "(?=.*:b)tool:", `tool:\w+`, `tool:ab\b`, "tool:ab(?<!b)"})
	return head + "(?:" + g.alternatives(2) + ")"
}

func (g *generator) detail() string {
	var text strings.Builder
	for range g.IntN(5) {
		text.WriteString(pickOne(g, []string{"a", "b", "1", " ", "\n", "_", "-"}))
	}
	return text.String()
}
