package shelltest

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// Line is a generated command line.
type Line struct {
	Text string
	// Classes are the constructs in it, sorted, each once.
	Classes []string
}

// Generate returns line n of the sequence of seed: the same for the same two numbers.
func Generate(seed, n uint64) Line {
	g := &generator{r: rand.New(rand.NewPCG(seed, n)), classes: map[string]bool{}}
	g.list(0)
	g.ending()
	g.bodies()
	line := Line{Text: g.b.String()}
	for c := range g.classes {
		line.Classes = append(line.Classes, c)
	}
	slices.Sort(line.Classes)
	return line
}

// generator writes one line.
type generator struct {
	r       *rand.Rand
	b       strings.Builder
	classes map[string]bool
	// pending are the here-documents with a body after the next line feed.
	pending []heredoc
	// ticks means the text is between backquotes: they do not nest without backslashes.
	ticks bool
}

type heredoc struct {
	delimiter, body string
}

func (g *generator) one(n int) bool { return g.r.IntN(n) == 0 }

func (g *generator) pick(from ...string) string { return from[g.r.IntN(len(from))] }

func (g *generator) put(s ...string) {
	for _, part := range s {
		g.b.WriteString(part)
	}
}

func (g *generator) class(name string) { g.classes[name] = true }

// maxDepth bounds the nesting of generated lines.
const maxDepth = 3

func (g *generator) list(depth int) {
	n := 1
	for n < 4 && g.one(2) {
		n++
	}
	for i := range n {
		if i > 0 {
			g.separator()
		}
		g.command(depth)
	}
}

func (g *generator) separator() {
	switch g.r.IntN(12) {
	case 0, 1:
		g.class("newline")
		g.newline()
	case 2:
		g.class("background")
		g.put(g.pick(" & ", "&", "& "))
	case 3:
		g.class("pipe and errors")
		g.put(g.pick(" |& ", "|&"))
	case 4, 5:
		g.class("pipe")
		g.put(g.pick(" | ", "|", " |\n", "| "))
		g.afterNewline()
	case 6, 7:
		g.class("and")
		g.put(g.pick(" && ", "&&", " &&\n", " && "))
		g.afterNewline()
	case 8:
		g.class("or")
		g.put(g.pick(" || ", "||", " ||\n"))
		g.afterNewline()
	default:
		g.class("semicolon")
		g.put(g.pick("; ", ";", " ; ", " ;"))
	}
}

// afterNewline writes the bodies due after an operator's line feed.
func (g *generator) afterNewline() {
	if strings.HasSuffix(g.b.String(), "\n") {
		g.bodies()
	}
}

func (g *generator) newline() {
	if g.one(8) && !g.ticks {
		g.class("comment")
		g.put(g.pick(" # ", " #", "\t# it's "), g.word0(), g.pick("", " ; alfa", " `bravo`", " $(bravo)", " \\"))
	}
	g.put("\n")
	g.bodies()
	if g.one(6) {
		g.put(g.pick("\n", " ", "\t", "# alfa\n"))
	}
}

func (g *generator) bodies() {
	if len(g.pending) > 0 && !strings.HasSuffix(g.b.String(), "\n") {
		g.put("\n")
	}
	for _, h := range g.pending {
		g.put(h.body, h.delimiter, "\n")
	}
	g.pending = nil
}

func (g *generator) ending() {
	switch g.r.IntN(14) {
	case 0:
		g.put(";")
	case 1:
		g.class("background")
		g.put(" &")
	case 2:
		g.put("\n")
		g.bodies()
	case 3:
		g.class("comment")
		g.put(" # ", g.word0())
	}
}

func (g *generator) blank() {
	switch g.r.IntN(30) {
	case 0:
		g.put("\t")
	case 1:
		g.put("  ")
	case 2:
		g.class("continued line")
		g.put(" \\\n")
	case 3:
		g.class("continued line")
		g.put("\\\n ")
	default:
		g.put(" ")
	}
}

func (g *generator) command(depth int) {
	if g.one(40) {
		g.class("negation")
		g.put(g.pick("! ", "! ", "! ", "!\t", "! \\\n"))
	}
	if depth < maxDepth && g.one(4) {
		g.compound(depth)
		for g.one(6) {
			g.put(" ")
			g.redirect(depth)
		}
		return
	}
	switch g.r.IntN(26) {
	case 0, 1:
		g.class("cd")
		g.put(g.pick("cd", "cd", "cd", "cd --", "cd -P", "command cd", "builtin cd", "pushd"), " ", g.place())
	case 2:
		g.class("builtin")
		g.put(g.pick("echo", "printf '%s'", ":", "true", "false", "pwd", "test -n", "wait", "read X <"), " ", g.word0())
	case 3:
		g.class("assignment")
		g.assignment(depth)
		if g.one(3) {
			g.blank()
			g.assignment(depth)
		}
	case 4:
		g.class("bare redirection")
		g.redirect(depth)
	case 5:
		g.class("declaration")
		g.put(g.pick("export", "readonly", "declare", "typeset", "local", "export -p", "declare -x"), " ")
		g.assignment(depth)
	case 6:
		g.class("precommand")
		g.put(g.pick("command", "exec", "builtin", "noglob", "-", "nocorrect", "time", "time -p", "command -v", "exec -a z", "coproc", "command --", "eval"), " ")
		g.simple(depth)
	case 7:
		g.class("wrapper")
		g.put(g.pick(Wrappers...), " ")
		g.simple(depth)
	case 8:
		g.nested(depth)
	case 9:
		g.class("odd word")
		g.put(g.pick("for X\nin a b\ndo alfa; done", "for X in in do; do alfa $X; done", "for X in a; { alfa; }", "if alfa\nthen\nbravo\nfi", "case a\nin\na) alfa\nesac", "case in in in) alfa;; esac", "while nayx\ndo alfa\ndone",
			"alfa <1-3> f", "alfa <-> f", "alfa 2 >f", "alfa 2>f1>g", ">&f alfa", ">f alfa >g", "alfa a>f>g b", "HOME=sub; alfa ~/x", "HOME=sub; cd; alfa", "CDPATH=sub; cd deep; alfa", "read HOME <f; cd; alfa", ": ${HOME:=sub} ~", "HOME=sub :; cd; alfa",
			"for X in a b; do alfa ~; HOME=sub; done", "env HOME=sub sh -c 'alfa ~/x; cd; bravo'", "unset HOME; alfa ~; cd; bravo", "X='*(e:alfa:)'; bravo $~X", "X='$(alfa)'; bravo ${(e)X}", "X='*(e:alfa:)'; bravo $X", "X='a b'; alfa $X \"$X\"", "X=alfa; $X", "IFS=x; alfa $X axb",
			"cd -- sub; alfa", "cd -L sub; alfa", "cd -q sub; alfa", "cd -e -P sub; alfa", "cd sub deep; alfa", "cd sub >f; alfa >g", "cd -; alfa", "cd sub; cd -; alfa", "cd sub; cd \"$OLDPWD\"; alfa", "pushd sub; popd; alfa", "pushd sub; pushd; alfa", "cd ./sub/.././sub; alfa", "X=1 cd sub; alfa",
			"command command alfa", "command env alfa", "exec >f; alfa", "exec alfa; bravo", "exec 2>f alfa", "{ alfa; } 2>&1 >f", "(cd sub && alfa) >f", "alfa \u00a0x", "alfa\u00a0x", "alfa \u3000", "time -- alfa", "time alfa | bravo", "time\nalfa", "! ( alfa )", "!alfa", "{alfa;}", "{ alfa }",
			"alfa `bravo \\`cargle x\\``", "alfa \"`bravo \\\"a b\\\"`\"", "alfa `bravo '\\\\'`", "alfa `bravo \\$X`", "alfa \"`bravo 'a\"b'`\"", "alfa `bravo \\\\\\`x\\\\\\``", "alfa \"${X:-`bravo`}\"", "alfa $(bravo) $( (cargle) )", "alfa $(<f)", "alfa \"$(bravo \"$(cargle \"a b\")\")\"",
			"alias alfa=bravo", "unset X", "set -- a b", "shift", "trap bravo EXIT", "[ -n a ]", "[ a = a ]", "test a", "let 1", "hash", "return", "break",
			"alfa() { bravo; }", "alfa () ( bravo )", "function alfa { bravo; }", "repeat 2 alfa", "foreach X (a b); alfa; end", "select X in a; do alfa; break; done", "{ alfa } always { bravo }"))
	default:
		g.simple(depth)
	}
}

// nested writes a script for another shell: as an argument, or as its input.
func (g *generator) nested(depth int) {
	if depth >= maxDepth || g.ticks {
		g.simple(depth)
		return
	}
	g.class("nested script")
	inner := &generator{r: g.r, classes: g.classes}
	inner.list(depth + 1)
	inner.bodies()
	script := inner.b.String()
	name := g.pick(ShellNames...)
	switch g.r.IntN(4) {
	case 0:
		g.put(name, " <<'EOS'")
		g.pending = append(g.pending, heredoc{"EOS", strings.TrimSuffix(script, "\n") + "\n"})
	default:
		g.put(name, g.pick(" -c ", " -c ", " -ec ", " -c -- "), quote(script))
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (g *generator) compound(depth int) {
	next := depth + 1
	body := func(before, after string) {
		g.put(before)
		g.list(next)
		g.closing(after)
	}
	switch g.r.IntN(30) {
	case 15, 16, 17, 18, 19, 0, 1:
		g.class("group")
		body("{ ", "}")
	case 2, 3, 20, 21, 22:
		g.class("subshell")
		g.put(g.pick("( ", "("))
		g.list(next)
		if len(g.pending) > 0 {
			g.bodies()
		}
		g.put(g.pick(" )", ")"))
	case 4, 5, 23, 24:
		g.class("if")
		body("if ", "then ")
		g.list(next)
		if g.one(2) {
			g.closing(g.pick("else ", "else\n"))
			g.list(next)
		}
		g.closing("fi")
	case 6:
		g.class("while")
		body(g.pick("while ", "until ! "), "do ")
		g.list(next)
		g.put("\n")
		g.bodies()
		g.put("break; done")
	case 7, 8, 25, 26:
		g.class("for")
		g.put("for X in ", g.word0(), " ", g.word0())
		g.closing("do ")
		body("", "done")
	case 9, 10, 27, 28:
		g.class("case")
		g.caseStatement(next)
	case 11:
		g.class("test")
		g.put("[[ ", g.pick("a == a", "-n a", "a && -n b", "a || alfa", "( a )", "! a", "a < b", "a > b", "a =~ a|b", "a =~ (a|b)", "a = a*", "-f a", "1 -eq 1"), " ]]")
	case 12:
		g.class("arithmetic")
		g.put(g.pick("(( 1 + 2 ))", "((1))", "for ((X=0; 1; )); do break; done", "(( 1 ) )", "((alfa); bravo)", "( (alfa) )"))
	case 13:
		g.class("time")
		body("time { ", "}")
	default:
		g.class("coprocess")
		body(g.pick("coproc { ", "coproc X { "), "}")
	}
}

// closing ends a list and writes the word after it.
func (g *generator) closing(word string) {
	if len(g.pending) > 0 || g.one(3) {
		g.newline()
	} else {
		g.put(g.pick("; ", ";", " ; ", "; "))
	}
	g.put(word)
}

func (g *generator) caseStatement(depth int) {
	g.put("case ", g.word0(), " in ")
	for range 1 + g.r.IntN(3) {
		g.put(g.pick("", "("), g.pick("a", "*", "b|c", "'a'", "[ab]", "\"$X\"", "if", "x*|y"), g.pick(") ", ")"))
		g.list(depth)
		g.closing("")
		if s := g.b.String(); strings.HasSuffix(s, "; ") || strings.HasSuffix(s, ";") {
			text := strings.TrimRight(s, "; ")
			g.b.Reset()
			g.put(text, " ")
		}
		g.put(g.pick(";; ", ";; ", ";; ", ";;", ";;\n", ";;\n", ";;\n", ";; ", ";; ", ";; ", ";& ", ";;& ", ";| "))
	}
	g.put("esac")
}

func (g *generator) simple(depth int) {
	for g.one(10) {
		g.class("assignment before a command")
		g.assignment(depth)
		g.blank()
	}
	if g.one(16) {
		g.redirect(depth)
		g.blank()
	}
	g.program()
	for range g.r.IntN(4) {
		g.blank()
		if g.one(7) {
			g.redirect(depth)
		} else {
			g.word(depth)
		}
	}
}

// program writes a program's name, now and then in an unusual spelling.
func (g *generator) program() {
	name := Names[g.r.IntN(len(Names))]
	if g.one(12) {
		name = Fail
	}
	if !g.one(8) {
		g.put(name)
		return
	}
	g.class("program in quotes")
	at := 1 + g.r.IntN(len(name)-1)
	switch g.r.IntN(8) {
	case 0:
		g.put("\\", name)
	case 1:
		g.put("'", name, "'")
	case 2:
		g.put(`"`, name, `"`)
	case 3:
		g.put(name[:at], `''`, name[at:])
	case 4:
		g.put(name[:at], `\`, name[at:])
	case 5:
		g.put(name[:at], "\\\n", name[at:])
	case 6:
		g.class("ansi quotes")
		g.put("$'", name, "'")
	case 7:
		g.put(name[:at], `"`, name[at:], `"`)
	}
}

func (g *generator) assignment(depth int) {
	g.put(g.pick("X", "Y", "FOO"), g.pick("=", "=", "=", "="))
	switch g.r.IntN(8) {
	case 0:
	case 1:
		g.class("odd assignment")
		g.put(g.pick("(a b)", "~", "a:~", "{a,b}", "*", "a#b"))
	default:
		g.word(depth)
	}
}

// place is where a cd goes.
func (g *generator) place() string {
	return g.pick("sub", "sub", "sub/deep", "sub/..", ".", "./sub", "..", "nope", "'sub'", "$X", "~", "-", "", "su*", "s{ub,x}", "'sub' 2>&1", `"$HOME"`, "sub sub", "sub/deep/..")
}

// word0 is a short plain word.
func (g *generator) word0() string {
	return g.pick("a", "b", "'c d'", `"e"`, "f.g", `h\ i`, "-n", "--long=x", "1", "it\\'s")
}

func (g *generator) word(depth int) {
	for range 1 + g.r.IntN(3)/2 + g.r.IntN(2)*g.r.IntN(2) {
		g.piece(depth)
	}
}

func (g *generator) piece(depth int) {
	switch g.r.IntN(24) {
	case 0, 1:
		g.class("single quotes")
		g.put("'", g.pick("", "a b", "$X", "`alfa`", `\`, `"`, "#", "a;b", "\n", "$(alfa)", "&", "a\\\nb"), "'")
	case 2, 3:
		g.class("double quotes")
		g.double(depth)
	case 4:
		g.class("backslash")
		g.put(`\`, g.pick("a", " ", `"`, `'`, ";", "&", "|", "$", "\\", "#", "*", "~", "{", "(", ">", "\n", "`", "!", "-", "="))
	case 5:
		g.class("ansi quotes")
		g.put("$'", g.pick("a", "a b", `a\n`, `\x41`, `a\'b`, `\\`, ``, `a"b`, `$X`), "'")
	case 6:
		g.class("translated quotes")
		g.put(`$"`, g.pick("a", "a b", ""), `"`)
	case 7, 8:
		g.class("parameter")
		g.put(g.pick("$X", "${X}", "${X:-a}", "${X-a b}", "$#", "$1", "$@", `"$@"`, "$*", "$HOME", "${HOME}", "${#X}", "${X:=a}", "${X+b}", "${X%a}", "${X/a/b}", "${!X}", "$?", "${X:0:1}", "${X:-$(bravo)}",
			"${X:-'a b'}", "$Xa", "$", "$$", "$-", "$PWD", "${X:-`bravo`}", "${X:-\"$(bravo)\"}", "${X^^}", "$=X", "$~X", "${X[1]}", "$X[1]", "$X:h", "${X:-a\\}b}", "${X#a'}'}"))
	case 9, 10:
		g.substitution(depth)
	case 11:
		g.class("arithmetic expansion")
		g.put(g.pick("$((1+2))", "$(( 1 ))", "$((2*3))", "$(( (1) ))", "$((1 << 2))", "$((-1))", "$[1+1]", "$((X))"))
	case 12:
		g.class("glob")
		if g.one(12) {
			g.put(g.pick("@(a|b)", "!(a)", "a(b)", "*(.)", "(a|b)", "<1-3>", "x(#qN)"))
			return
		}
		g.put(g.pick("*", "su*", "s?b", "[s]ub", "*x", "[a-c]*", "[!a]*", "sub/*", "**", "[]a]", "[^a]", "a^b", "a#", "^a", "a~b", "[[:alpha:]]*"))
	case 13:
		g.class("braces")
		g.put(g.pick("{a,b}", "{1..3}", "{a}", "{}", "{a,}", "a{b,c}d", "{a,'b c'}", "{a,{b,c}}", `{a\,b}`, "{a,b", "a,b}", "{$X,b}", "{a..c}", `"{a,b}"`, "{a,$(bravo)}"))
	case 14:
		g.class("tilde")
		g.put(g.pick("~", "~/x", "~+", "~-", "a~", "~nosuchuser", "a=~", "a=~/x:~/y", "--a=~", "~0", "'~'", `\~`, "~/'a b'"))
	case 15:
		g.class("odd character")
		g.put(g.pick("#", "a#b", "!", "%", "%%", "@", "+", "=", "=alfa", "==", "^", "{", "}", "]", "[", "-", "--", ",", ":", "!!", "!a", "^a^b", "a=b", "X=1", "if", "done", "}", "in", "é", "a\\", "1", "2", "\"\"", "''", "time", "!x"))
	default:
		g.put(g.word0())
	}
}

func (g *generator) double(depth int) {
	g.put(`"`)
	for range g.r.IntN(3) {
		switch g.r.IntN(12) {
		case 0:
			g.put("$X")
		case 1:
			g.substitution(depth)
		case 2:
			g.put(`\`, g.pick(`"`, `\`, "$", "a", "\n", "`", "!", "'"))
		case 3:
			g.put("${X:-", g.pick("a", `"b"`, "'c'", "'", "$(alfa)", `\}`, `'}'`), "}")
		case 4:
			g.put(g.pick("'", "#", "\n", "!", "*", "~", "{a,b}", "$", "$'a'", "$((1))", "&", ";"))
		default:
			g.put(g.pick("a", "b c", "-n", ".", " "))
		}
	}
	g.put(`"`)
}

func (g *generator) substitution(depth int) {
	if depth >= maxDepth {
		g.put("a")
		return
	}
	inner := &generator{r: g.r, classes: g.classes, ticks: g.ticks}
	kind := g.r.IntN(6)
	if kind == 1 && g.ticks {
		kind = 0
	}
	if kind == 1 {
		inner.ticks = true
	}
	inner.list(depth + 1)
	inner.bodies()
	text := inner.b.String()
	switch kind {
	case 1:
		g.class("backquotes")
		if strings.ContainsAny(text, "`\\") && !g.one(4) {
			text = "alfa"
		}
		g.put("`", text, "`")
	case 2:
		g.class("process substitution")
		g.put(g.pick("<(", "<(", ">(", "<(", "<(", "<(", "=("), text, ")")
	case 3:
		g.class("substitution")
		g.put("$( ", text, " )")
	default:
		g.class("substitution")
		if strings.HasPrefix(text, "(") && !g.one(4) {
			text = " " + text
		}
		g.put("$(", text, ")")
	}
}

func (g *generator) redirect(depth int) {
	g.class("redirection")
	name := g.pick("f", "g", "'h h'", "sub/i", `"j"`, "k.l", "k\\ k", "~/m", "n", "a:b")
	switch g.r.IntN(16) {
	case 0, 1, 2, 3:
		g.put(g.pick("> ", ">", "1>", "2>", "2> ", ">|", ">\t"), name)
	case 4, 5:
		g.put(g.pick(">>", ">> ", "2>>", "1>> "), name)
	case 6:
		g.put(g.pick("2>&1", ">&2", "1>&2", "2>&-", "<&-", ">&-", "2>/dev/null", "</dev/null", ">&1", "0<&0", "1>&2-"))
	case 7:
		g.put(g.pick("<", "< ", "0<"), name)
	case 8:
		g.class("here-string")
		g.put("<<<", g.pick("", " "))
		g.put(g.word0())
	case 9, 10, 11:
		g.heredoc(depth)
	case 12:
		g.class("unusual redirection")
		g.put(g.pick("&>", "&>>", ">&", "&> ", ">& ", "<>", "<> ", "1<>"), name)
	case 13:
		if !g.one(3) {
			g.put(">", name)
			return
		}
		g.class("unusual redirection")
		g.put(g.pick("{X}>", "10>", "3>", "9>>", ">!", ">>|", ">>!", "&>|", ">&|", "&>!", ">$X", ">\"$X\"", "12>", "9<>", "a2>", "\\2>", "2\\>", "'2'>", ">*", ">{a,b}", ">~/", "> >", ">;", ">>&"), name)
	case 14:
		g.put(">", name, g.pick(" ", ""), ">", g.pick("f", "o"))
	default:
		g.put(">")
		g.word(depth)
	}
}

func (g *generator) heredoc(depth int) {
	g.class("here-document")
	if g.ticks || depth > 1 {
		g.put("</dev/null")
		return
	}
	word := g.pick("E", "EOF", "E-O")
	delimiter := g.pick(word, word, "'"+word+"'", `"`+word+`"`, `\`+word, word[:1]+"''"+word[1:])
	dash := g.one(3)
	operator := "<<"
	if dash {
		operator = "<<-"
	}
	g.put(g.pick(operator, operator+" ", "0"+operator), delimiter)
	var body strings.Builder
	for range g.r.IntN(4) {
		if dash && g.one(2) {
			body.WriteString("\t")
		}
		body.WriteString(g.pick("a", "$X", "$(alfa)", "`bravo x`", `\$(alfa)`, "a \\", "it's", `"`, "\\`", "$((1))", " "+word, word+" ", "", "# a", "${X:-$(bravo)}", `\\$(alfa)`, "alfa", "'$(bravo y)'", "$", "${X:-a'b}"))
		body.WriteString("\n")
	}
	if dash && g.one(2) {
		word = "\t" + word
	}
	g.pending = append(g.pending, heredoc{word, body.String()})
}
