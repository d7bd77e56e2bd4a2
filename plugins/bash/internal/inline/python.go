package inline

import (
	"slices"
	"strings"
)

// maxCode bounds the length of a program, maxNesting formatted texts in each other.
const (
	maxCode    = 16 << 10
	maxNesting = 4
)

// Files are the files opened by a program, as it names them.
type Files struct{ Read, Written []string }

// Python reports whether a Python program only computes, reads its input, prints, and opens
// named files, and returns these; why is the reason for a no.
func Python(code string) (files Files, why string) {
	if len(code) > maxCode {
		return Files{}, "its program is too long to be read"
	}
	p := &python{bound: map[string]bool{}, modules: map[string]string{}}
	list, ok := tokens(code)
	if !ok {
		return Files{}, "its program is not understood"
	}
	p.bind(list)
	p.judge(list, 0)
	if p.why != "" {
		return Files{}, p.why
	}
	return p.files, ""
}

// python is one program being judged.
type python struct {
	// bound are the names assigned by the program, modules those of modules.
	bound   map[string]bool
	modules map[string]string
	files   Files
	why     string
}

func (p *python) refuse(what string) {
	if p.why == "" {
		p.why = what
	}
}

// at returns a token of a list; an empty one beyond its ends.
func at(list []token, i int) token {
	if i < 0 || i >= len(list) {
		return token{kind: newline}
	}
	return list[i]
}

// bind notes the names assigned by the program.
func (p *python) bind(list []token) {
	for i, t := range list {
		next := at(list, i+1)
		switch {
		case t.is(name) && next.is(sign, ":=", "="), t.is(name) && at(list, i-1).is(name, "as", "def"):
			p.bound[t.text] = true
		case t.is(sign, "="):
			for k := i - 1; at(list, k).is(name) || at(list, k).is(sign, ",", "(", ")", "[", "]", "*"); k-- {
				p.bound[list[k].text] = true
			}
		case t.is(name, "for"), t.is(name, "lambda"):
			for k := i + 1; k < len(list) && !list[k].is(name, "in") && !(list[k].is(sign, ":") && list[k].depth == t.depth); k++ {
				if list[k].is(name) {
					p.bound[list[k].text] = true
				}
			}
		case t.is(name, "def"):
			for k := i + 2; k < len(list) && !(list[k].is(sign, ":") && list[k].depth == t.depth); k++ {
				if list[k].is(name) {
					p.bound[list[k].text] = true
				}
			}
		}
	}
}

// judge reads every token of a list.
func (p *python) judge(list []token, nesting int) {
	for i := 0; i < len(list) && p.why == ""; i++ {
		t := list[i]
		switch {
		case t.is(name, "import"), t.is(name, "from") && (i == 0 || list[i-1].is(newline) || list[i-1].is(sign, ";", ":")):
			i = p.imports(list, i)
		case t.is(text):
			p.text(list, i, nesting)
		case t.is(name) && at(list, i-1).is(sign, "."):
			p.attribute(list, i)
		case t.is(name):
			p.name(list, i)
		}
	}
}

// imports reads an import statement and returns the index of its last token.
func (p *python) imports(list []token, i int) int {
	end := i + 1
	for end < len(list) && !list[end].is(newline) && !list[end].is(sign, ";") {
		end++
	}
	words := list[i+1 : end]
	if list[i].text == "from" {
		p.importsFrom(words)
		return end
	}
	for len(words) > 0 {
		n := slices.IndexFunc(words, func(t token) bool { return t.is(sign, ",") })
		if n < 0 {
			n = len(words)
		}
		p.importsOne(words[:n])
		words = words[min(n+1, len(words)):]
	}
	return end
}

// dotted returns the module name at the beginning of words, and the words behind it.
func dotted(words []token) (module string, rest []token) {
	for len(words) > 0 && (words[0].is(name) || words[0].is(sign, ".", "...")) && !words[0].is(name, "import", "as") {
		module, words = module+words[0].text, words[1:]
	}
	return module, words
}

// importsOne reads one module of "import A, B as C".
func (p *python) importsOne(words []token) {
	module, rest := dotted(words)
	_, known := modules[module]
	switch {
	case !known:
		p.refuse("it imports " + module)
	case len(rest) == 0:
		first, _, _ := strings.Cut(module, ".")
		p.modules[first] = first
	case len(rest) == 2 && rest[0].is(name, "as") && rest[1].is(name) && !strings.HasPrefix(rest[1].text, "_"):
		p.modules[rest[1].text] = module
	default:
		p.refuse("it imports " + module + " in a form that is not understood")
	}
}

// importsFrom reads "from A import B, C as D" behind its first word.
func (p *python) importsFrom(words []token) {
	module, rest := dotted(words)
	parts, known := modules[module]
	if !known || module == "os" || len(rest) < 2 || !rest[0].is(name, "import") {
		p.refuse("it imports from " + module)
		return
	}
	for k, word := range rest[1:] {
		alias := rest[k].is(name, "as") // rest[k] stands before word
		switch {
		case word.is(sign, ","), word.is(name, "as"):
		case !word.is(name), strings.HasPrefix(word.text, "_"), !alias && !slices.Contains(strings.Fields(parts), word.text):
			p.refuse("it imports " + word.text + " from " + module)
		default:
			p.bound[word.text] = true
		}
	}
}

// name judges a name without an owner.
func (p *python) name(list []token, i int) {
	text, next := list[i].text, at(list, i+1)
	switch {
	case p.modules[text] != "":
		if !next.is(sign, ".") {
			p.refuse("it hands on the module " + text)
		}
	case text == "open":
		p.open(list, i)
	case slices.Contains(keywords, text), slices.Contains(builtins, text), text == "__name__", text == "from":
	case slices.Contains(powers, text), strings.HasPrefix(text, "__"), text == "file" && next.is(sign, "("): // Python 2's open
		p.refuse("it uses " + text)
	case !p.bound[text]:
		p.refuse("it uses " + text + ", which it does not define")
	}
}

// attribute judges a name behind a dot.
func (p *python) attribute(list []token, i int) {
	text := list[i].text
	owner := at(list, i-2)
	module := p.modules[owner.text]
	if !owner.is(name) || at(list, i-3).is(sign, ".") {
		module = ""
	}
	if at(list, i-3).is(sign, ".") && at(list, i-4).is(name) && p.modules[at(list, i-4).text] != "" && !at(list, i-5).is(sign, ".") {
		whole := p.modules[list[i-4].text] + "." + owner.text // os.path.NAME
		if _, known := modules[whole]; known {
			module = whole
		}
	}
	switch {
	case strings.HasPrefix(text, "_"):
		p.refuse("it uses ." + text)
	case module != "":
		if _, inner := modules[module+"."+text]; inner && !at(list, i+1).is(sign, ".") {
			p.refuse("it hands on the module " + text)
		} else if !slices.Contains(strings.Fields(modules[module]), text) {
			p.refuse("it uses " + module + "." + text)
		}
	case text == "format":
		// A format can reach into its arguments: {0.__class__}.
		if !owner.is(textKind) || strings.Contains(owner.prefix, "f") || reaches(owner.text) {
			p.refuse("it uses .format")
		}
	case !slices.Contains(attributes, text):
		p.refuse("it uses ." + text)
	}
}

const textKind = text

// reaches tells whether a field of a format names a part of its value.
func reaches(format string) bool {
	for rest := format; ; {
		_, field, found := strings.Cut(rest, "{")
		if !found {
			return false
		}
		end := strings.IndexByte(field, '}')
		if end < 0 || strings.ContainsAny(field[:end], "[]{\\") || strings.Contains(strings.SplitN(field[:end], ":", 2)[0], ".") {
			return true
		}
		rest = field[end+1:]
	}
}

// open judges a call of open: a plain name of a file, and how it is opened.
func (p *python) open(list []token, i int) {
	file := at(list, i+2)
	named := file.is(textKind) && (file.prefix == "" || file.prefix == "r") && file.text != "" && !strings.ContainsAny(file.text, "\\\n")
	if !at(list, i+1).is(sign, "(") || !named && !file.is(number, "0") {
		p.refuse("it opens a file that is not named")
		return
	}
	mode, k := "r", i+3
	for !at(list, k).is(sign, ")") {
		key, value := "mode", at(list, k+1)
		if !at(list, k).is(sign, ",") || k > i+3 && value.is(textKind) {
			key = "" // beside the name only the mode may stand without its name
		}
		if value.is(name) && at(list, k+2).is(sign, "=") {
			key, value, k = value.text, at(list, k+3), k+2
		}
		if !value.is(textKind) || value.prefix != "" || !slices.Contains([]string{"mode", "encoding", "errors", "newline"}, key) {
			p.refuse("it opens a file in a way that is not understood")
			return
		}
		if key == "mode" {
			mode = value.text
		}
		k += 2
	}
	switch {
	case !slices.Contains([]string{"r", "w", "a", "x"}, strings.Trim(mode, "bt")):
		p.refuse("it opens a file in a way that is not understood")
	case file.is(number):
	case strings.Contains(mode, "r"):
		p.files.Read = append(p.files.Read, file.text)
	default:
		p.files.Written = append(p.files.Written, file.text)
	}
}

// text judges a text: the code between the braces of a formatted one.
func (p *python) text(list []token, i, nesting int) {
	t := list[i]
	switch {
	case !slices.Contains([]string{"", "r", "u", "b", "br", "rb", "f", "fr", "rf"}, t.prefix):
		p.refuse("its program is not understood")
	case !strings.Contains(t.prefix, "f"):
	case nesting >= maxNesting:
		p.refuse("its program is not understood")
	default:
		p.formatted(t.text, nesting)
	}
}

// formatted judges the fields of a formatted text.
func (p *python) formatted(content string, nesting int) {
	for i := 0; i < len(content); i++ {
		switch {
		case strings.HasPrefix(content[i:], "{{"), strings.HasPrefix(content[i:], "}}"):
			i++
		case content[i] == '{':
			end, colon := field(content, i+1)
			if end < 0 {
				p.refuse("its program is not understood")
				return
			}
			p.field(content[i+1:colon], nesting)
			if colon < end {
				p.formatted(content[colon+1:end], nesting+1)
			}
			i = end
		case content[i] == '}':
			p.refuse("its program is not understood")
			return
		}
	}
}

// field judges the code of one field.
func (p *python) field(code string, nesting int) {
	code = strings.TrimRight(code, " ")
	if n := len(code); n > 2 && code[n-2] == '!' && strings.IndexByte("rsa", code[n-1]) >= 0 {
		code = code[:n-2]
	}
	list, ok := tokens(code)
	if !ok || strings.ContainsAny(code, "\\#") || nesting >= maxNesting {
		p.refuse("its program is not understood")
		return
	}
	p.bind(list)
	p.judge(list, nesting+1)
}

// field returns the end of the field beginning at content[i], and the beginning of its format;
// the end where there is none.
func field(content string, i int) (end, colon int) {
	depth := 0
	colon = -1
	for ; i < len(content); i++ {
		switch c := content[i]; {
		case (c == '\'' || c == '"') && colon < 0:
			_, behind, closed := quoted(content, i)
			if !closed {
				return -1, -1
			}
			i = behind - 1
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == '}' && depth == 0:
			if colon < 0 {
				colon = i
			}
			return i, colon
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == ':' && depth == 0 && colon < 0:
			colon = i
		}
	}
	return -1, -1
}
