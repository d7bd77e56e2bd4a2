package inline

import (
	"slices"
	"strings"
)

// binding is a name of the program in the part of it where it counts.
type binding struct {
	name     string
	from, to int
	// module is the module it stands for, or the one of function.
	module   string
	function string
}

// javascript is one program being judged.
type javascript struct {
	script
	bound []binding
	// loads are the indexes of require where a name is bound to a module.
	loads map[int]bool
	files Files
	why   string
}

// JavaScript reports whether a program for Node only computes, reads its input, prints, and opens
// named files, and returns these; why is the reason for a no. RATIONALE.md, "Which JavaScript only
// reads?".
func JavaScript(code string) (files Files, why string) {
	if len(code) > maxCode {
		return Files{}, "its program is too long to be read"
	}
	list, ok := scriptTokens(code)
	if !ok {
		return Files{}, "its program is not understood"
	}
	if !slices.ContainsFunc(list.list, func(t token) bool { return t.kind == name }) {
		return Files{}, "its program names nothing to do"
	}
	j := &javascript{script: list, loads: map[int]bool{}}
	j.bindAll()
	for i := 0; i < len(j.list) && j.why == ""; i++ {
		i = j.judge(i)
	}
	if j.why != "" {
		return Files{}, j.why
	}
	return j.files, ""
}

func (j *javascript) refuse(what string) {
	if j.why == "" {
		j.why = what
	}
}

func (j *javascript) member(i int) bool { return j.at(i-1).is(sign, ".", "?.") }

// bindAll notes the names defined by the program, each where it counts: a name beyond that place is
// another one, of Node's own.
func (j *javascript) bindAll() {
	for i, t := range j.list {
		if t.kind != name && !t.is(sign, "=>") || j.member(i) {
			continue
		}
		switch t.text {
		case "const", "let", "var":
			j.declares(i)
		case "function":
			j.function(i)
		case "catch":
			if j.at(i+1).is(sign, "(") && j.pair[i+1] > 0 {
				if block := j.pair[i+1] + 1; j.at(block).is(sign, "{") {
					j.pattern(i+2, binding{from: i, to: j.pair[block]})
				}
			}
		case "=>":
			j.arrow(i)
		case "import":
			j.imports(i)
		}
	}
}

// declares binds the names of const, let and var: in the brackets around it, or in a loop.
func (j *javascript) declares(i int) {
	from, to := j.around(i)
	if j.at(from).is(sign, "(") {
		if !j.at(from-1).is(name, "for", "await") {
			return
		}
		if to++; j.at(to).is(sign, "{") {
			to = j.pair[to]
		} else {
			to = j.end(to, true) - 1
		}
	}
	if j.at(i).text == "var" && !j.inFunction(i) {
		return // a name of Node's own keeps its value there
	}
	in := binding{from: from, to: to}
	for k := i + 1; ; {
		behind := j.pattern(k, in)
		if behind < 0 {
			return
		}
		if j.at(behind).is(sign, "=") {
			j.module(k, behind+1, in)
			behind = j.end(behind+1, false)
		}
		if !j.at(behind).is(sign, ",") || j.at(behind).fresh || j.at(behind).depth != j.at(i).depth {
			return
		}
		k = behind + 1
	}
}

// module makes the names at k stand for a module, or functions of it, when they are set to
// require("MODULE") at i.
func (j *javascript) module(k, i int, in binding) {
	loaded := j.loaded(i)
	if behind := j.at(i + 4); loaded == "" || !(behind.fresh || behind.is(sign, ";", ",", "}")) || behind.is(sign, ".", "?.", "[", "(") || behind.kind == text {
		return
	}
	if !j.functions(k, i-1, ":", loaded, in) {
		return
	}
	j.loads[i] = true
}

// functions binds NAME, or { function, function: NAME }, before the token end, to a module.
func (j *javascript) functions(k, end int, as, module string, in binding) bool {
	in.module = module
	if j.at(k).kind == name && k+1 == end {
		in.name = j.at(k).text
		j.bound = append(j.bound, in)
		return true
	}
	if !j.at(k).is(sign, "{") || j.pair[k]+1 != end {
		return false
	}
	for k++; k < end-1; k++ {
		in.function, in.name = j.at(k).text, j.at(k).text
		if t := j.at(k + 1); t.text == as && t.kind != text {
			in.name = j.at(k + 2).text
			k += 2
		}
		if j.at(k).kind != name || !slices.Contains(strings.Fields(scriptModules[module]), in.function) || !j.at(k+1).is(sign, ",", "}") {
			return false
		}
		j.bound = append(j.bound, in)
		k++
	}
	return true
}

// loaded returns the module of require("MODULE") at i, if it is a listed one.
func (j *javascript) loaded(i int) string {
	if !j.at(i).is(name, "require") || !j.at(i+1).is(sign, "(") || !safeText(j.at(i+2)) || !j.at(i+3).is(sign, ")") {
		return ""
	}
	return moduleName(j.at(i + 2).text)
}

func moduleName(called string) string {
	called = strings.TrimPrefix(called, "node:")
	if _, known := scriptModules[called]; !known {
		return ""
	}
	return called
}

// imports reads import NAME from "MODULE" and its kin, at the beginning of a line or a statement.
// It returns the index of the last token, 0 for another form.
func (j *javascript) imports(i int) int {
	from := i + 1
	for ; from < len(j.list) && !j.at(from).is(name, "from") && !j.at(from).is(sign, ";", "("); from++ {
	}
	called := j.at(from + 1)
	if before := j.at(i - 1); j.at(i).depth != 0 || i > 0 && !before.is(sign, ";", "}") && !j.at(i).fresh || !j.at(from).is(name, "from") || !safeText(called) || moduleName(called.text) == "" {
		return 0
	}
	if behind := j.at(from + 2); !behind.fresh && !behind.is(sign, ";") {
		return 0
	}
	k := i + 1
	if j.at(k).is(sign, "*") && j.at(k+1).is(name, "as") {
		k += 2
	}
	if !j.functions(k, from, "as", moduleName(called.text), binding{from: -1, to: len(j.list)}) {
		return 0
	}
	return from + 1
}

// function binds the name and the parameters of a function.
func (j *javascript) function(i int) {
	k := i + 1
	if j.at(k).is(sign, "*") {
		k++
	}
	called := ""
	if j.at(k).kind == name {
		called = j.at(k).text
		k++
	}
	if !j.at(k).is(sign, "(") || j.pair[k] < 0 {
		return
	}
	body := j.pair[k] + 1
	if !j.at(body).is(sign, "{") || j.pair[body] < 0 {
		return
	}
	j.parameters(k, j.pair[body])
	if called == "" {
		return
	}
	from, to := i, j.pair[body]
	if i > 0 && j.at(i-1).is(name, "async") {
		i--
	}
	if open, end := j.around(i); (i == 0 || j.at(i-1).is(sign, ";", "{", "}")) && (open < 0 || j.at(open).is(sign, "{")) {
		from, to = open, end // a statement: the name counts around it, too
	}
	j.bind(binding{name: called, from: from, to: to})
}

// inFunction reports whether the token i lies in the body of a function.
func (j *javascript) inFunction(i int) bool {
	for open, _ := j.around(i); open >= 0; open, _ = j.around(open) {
		before := j.at(open - 1)
		if !j.at(open).is(sign, "{") || !before.is(sign, ")") {
			if j.at(open).is(sign, "{") && before.is(sign, "=>") {
				return true
			}
			continue
		}
		list := j.pair[open-1]
		if j.at(list-1).is(name, "function") || j.at(list-1).kind == name && j.at(list-2).is(name, "function") {
			return true
		}
	}
	return false
}

// beforeParameter are the signs and words that may stand before the only parameter of an arrow
// function. Behind others the name can be a type, which Node takes away.
func (j *javascript) beforeParameter(i int) bool {
	return i == 0 || j.at(i-1).is(sign, "(", ",", "=", ";", "[", "&&", "||", "??") || j.at(i-1).is(name, "return", "async")
}

// arrow binds the parameters of an arrow function.
func (j *javascript) arrow(i int) {
	to := j.end(i+1, false) - 1
	if j.at(i+1).is(sign, "{") {
		to = j.pair[i+1]
	}
	switch before := j.at(i - 1); {
	case before.kind == name:
		if j.beforeParameter(i - 1) {
			j.bind(binding{name: before.text, from: i - 1, to: to})
		}
	case before.is(sign, ")"):
		j.parameters(j.pair[i-1], to)
	}
}

// parameters binds those in the bracket at k.
func (j *javascript) parameters(k, to int) {
	in, end := binding{from: k, to: to}, j.pair[k]
	for k++; k >= 0 && k < end; {
		if j.at(k).is(sign, "...") {
			k++
		}
		k = j.element(k, in)
	}
}

// element binds a pattern with its default value, and returns the index behind the comma.
func (j *javascript) element(k int, in binding) int {
	if k = j.pattern(k, in); k < 0 {
		return -1
	}
	if j.at(k).is(sign, "=") {
		depth := j.at(k).depth
		for k++; k < len(j.list) && !(j.at(k).depth == depth && j.at(k).is(sign, ",")) && j.at(k).depth >= depth; k++ {
		}
	}
	if j.at(k).is(sign, ",") {
		return k + 1
	}
	if j.at(k).is(sign, ")", "]", "}") {
		return k
	}
	return -1
}

// pattern binds the names of a pattern at k, and returns the index behind it; -1 for what is none.
func (j *javascript) pattern(k int, in binding) int {
	t := j.at(k)
	switch {
	case t.kind == name:
		in.name = t.text
		j.bind(in)
		return k + 1
	case t.is(sign, "["):
		end := j.pair[k]
		for k++; k >= 0 && k < end; {
			switch {
			case j.at(k).is(sign, ","):
				k++
				continue
			case j.at(k).is(sign, "..."):
				k++
			}
			k = j.element(k, in)
		}
		if k == end {
			return end + 1
		}
	case t.is(sign, "{"):
		end := j.pair[k]
		for k++; k >= 0 && k < end; {
			switch {
			case j.at(k).is(sign, "..."):
				k++
			case (j.at(k).kind == name || safeText(j.at(k))) && j.at(k+1).is(sign, ":"):
				k += 2
			}
			k = j.element(k, in)
		}
		if k == end {
			return end + 1
		}
	}
	return -1
}

// bind notes a name, unless it is a word of the language.
func (j *javascript) bind(b binding) {
	if !slices.Contains(scriptKeywords, b.name) && !slices.Contains(hidden, b.name) {
		j.bound = append(j.bound, b)
	}
}

// meant returns the innermost binding of the name at i. One to a module counts before another of
// the same place.
func (j *javascript) meant(i int) *binding {
	var best *binding
	for k := range j.bound {
		b := &j.bound[k]
		if b.name == j.at(i).text && b.from <= i && i <= b.to && (best == nil || b.from > best.from || b.from == best.from && b.module != "") {
			best = b
		}
	}
	return best
}

// judge reads the token i and returns the index of the last token it settles.
func (j *javascript) judge(i int) int {
	t := j.at(i)
	switch {
	case t.kind == text:
		j.text(i)
	case t.is(sign, "["):
		j.bracket(i)
	case t.kind == name && j.member(i):
		j.property(i)
	case t.kind == name:
		return j.name(i)
	}
	return i
}

// text judges a text, which may be a key.
func (j *javascript) text(i int) {
	t := j.at(i)
	switch {
	case slices.Contains(hidden, t.text):
		j.refuse("it names " + t.text)
	case j.at(i+1).is(sign, ":") && j.at(i-1).is(sign, "{", ",") && strings.Contains(t.text, `\`):
		j.refuse("its program is not understood")
	case t.prefix == "`" && i > 0 && (j.operand(i - 1)):
		j.refuse("it calls a function with a template")
	}
}

// operand reports whether a value ends with the token i, so that a bracket behind it is one of its
// members.
func (j *javascript) operand(i int) bool {
	t := j.at(i)
	switch {
	case t.kind == name:
		return j.member(i) || !slices.Contains(scriptKeywords, t.text)
	case t.kind == text:
		return t.prefix != "`"
	}
	return t.kind == number || t.is(sign, ")", "]", "}", "?.")
}

// bracket judges a member by its key: a number, or a plain text. A list that is a key names any.
func (j *javascript) bracket(i int) {
	end := j.pair[i]
	if !j.operand(i - 1) {
		if j.at(end+1).is(sign, ":") && j.at(i-1).is(sign, "{", ",") {
			j.refuse("it names a member by what it computes")
		}
		return
	}
	if end == i+2 && (j.at(i+1).kind == number || safeText(j.at(i+1))) || j.counts(i+1, end) {
		return
	}
	j.refuse("it names a member by what it computes")
}

// counts reports whether the tokens compute a number: sums of numbers and counters, or a
// difference.
func (j *javascript) counts(from, to int) bool {
	sums, differs := true, false
	for k := from; k < to; k++ {
		switch t := j.at(k); {
		case t.kind == number:
		case t.kind == name && !j.member(k) && j.at(k+1).is(sign, ".") && j.at(k+2).is(name, "length"):
			k += 2
			sums = false
		case t.kind == name && !j.member(k) && j.counter(k):
		case t.is(sign, "+"):
		case t.is(sign, "-", "*", "%") && k > from:
			differs = true
		default:
			return false
		}
	}
	plus := slices.ContainsFunc(j.list[from:to], func(t token) bool { return t.is(sign, "+") })
	return to > from && (sums || differs && !plus)
}

// counter reports whether the name at i is only ever a number: every place of it is one that sets it
// to a number, counts it up or down, or reads it.
func (j *javascript) counter(i int) bool {
	set := false
	for k, t := range j.list {
		if t.kind != name || t.text != j.at(i).text || j.member(k) {
			continue
		}
		before, next := j.at(k-1), j.at(k+1)
		switch {
		case before.is(name, "let", "var") && next.is(sign, "=") && j.at(k+2).kind == number && j.at(k+3).is(sign, ";", ","):
			set = true
		case before.is(sign, "++", "--") && !t.fresh && next.is(sign, ")", ";", "]", ","), next.is(sign, "++", "--") && !next.fresh, next.is(sign, "<", "<=", ">", ">=", "==", "===", "!=", "!==", "+", "-", "*", "%", "]"):
		case next.is(sign, "+=", "-=") && j.at(k+2).kind == number && j.at(k+3).is(sign, ";", ")", ","):
		default:
			return false
		}
		if from, _ := j.around(k); next.is(sign, "]") && !j.operand(from-1) {
			return false // a list, which may be a pattern
		}
	}
	return set
}

// property judges a name behind a dot.
func (j *javascript) property(i int) {
	called := j.at(i).text
	switch {
	case slices.Contains(hidden, called) && called != "with" && called != "class" && called != "import", strings.HasPrefix(called, "__"):
		j.refuse("it uses ." + called)
	case j.called(i) && !slices.Contains(scriptMethods, called):
		j.refuse("it calls ." + called)
	}
}

// called reports whether what the token i ends is called.
func (j *javascript) called(i int) bool {
	return j.at(i+1).is(sign, "(") || j.at(i+1).is(sign, "?.") && j.at(i+2).is(sign, "(")
}

// name judges a name without an owner.
func (j *javascript) name(i int) int {
	called, next := j.at(i).text, j.at(i+1)
	bound := j.meant(i)
	properties, global := scriptGlobals[called]
	switch {
	case called == "import":
		if end := j.imports(i); end > 0 {
			return end
		}
		j.refuse("it imports more than a listed module")
	case slices.Contains(hidden, called):
		j.refuse("it uses " + called)
	case slices.Contains(scriptKeywords, called):
	case next.is(sign, ":") && j.at(i-1).is(sign, "{", ","):
		if strings.HasPrefix(called, "__") {
			j.refuse("it uses " + called)
		}
	case bound != nil && bound.function != "":
		return j.uses(i, bound.module, bound.function)
	case bound != nil && bound.module != "":
		return j.ofModule(i, bound.module)
	case bound != nil:
	case called == "require":
		if j.loads[i] {
			return i + 3
		}
		module := j.loaded(i)
		if module == "" {
			j.refuse("it loads more than a listed module")
			return i
		}
		return j.ofModule(i+3, module)
	case global:
		return j.global(i, called, strings.Fields(properties))
	case scriptModules[called] != "":
		return j.ofModule(i, called)
	default:
		j.refuse("it uses " + called + ", which it does not define")
	}
	return i
}

// ofModule judges the use of a module that ends at i: a call of a listed function.
func (j *javascript) ofModule(i int, module string) int {
	// Where a name is bound to it, it stands alone.
	if b := j.meant(i); b != nil && b.module == module && (j.at(i-1).is(name, "const", "let", "var") && j.at(i+1).is(sign, "=") && j.loads[i+2]) {
		return i
	}
	if !j.at(i+1).is(sign, ".") || j.at(i+2).kind != name {
		j.refuse("it hands on the module " + module)
		return i
	}
	return j.uses(i+2, module, j.at(i+2).text)
}

// uses judges the call of a module's function, whose name is the token i.
func (j *javascript) uses(i int, module, function string) int {
	from, _ := j.around(i)
	switch {
	case j.at(from).is(sign, "{") && !j.member(i) && j.at(j.pair[max(from, 0)]+1).is(sign, "=") && j.loads[j.pair[max(from, 0)]+2]:
		// the place where it is bound
	case !slices.Contains(strings.Fields(scriptModules[module]), function):
		j.refuse("it uses " + module + "." + function)
	case !j.at(i+1).is(sign, "("):
		j.refuse("it hands on " + module + "." + function)
	case module == "fs":
		return j.opens(i+1, function)
	}
	return i
}

// opens judges the arguments in the bracket at i of a function of fs, and returns the index of the
// last settled token.
func (j *javascript) opens(i int, function string) int {
	file, k, end := j.at(i+1), i+2, j.pair[i]
	input := file.kind == number && file.text == "0" && function == "readFileSync"
	if !safeText(file) && !input || !(k == end || j.at(k).is(sign, ",")) {
		j.refuse("it opens a file that is not named")
		return i
	}
	writes := function == "writeFileSync" || function == "appendFileSync"
	last := i + 1
	if writes {
		last = k // what is written is judged like all else
		for k++; k < end && !(j.at(k).is(sign, ",") && j.at(k).depth == file.depth); k++ {
		}
		if last == end || k == last+1 || j.at(last+1).is(sign, "...") {
			j.refuse("it opens a file in a way that is not understood")
			return i
		}
	}
	if k < end && !j.encoded(k, end, function == "readdirSync" || strings.HasSuffix(function, "tatSync") || function == "existsSync") {
		j.refuse("it opens a file in a way that is not understood")
		return i
	}
	switch {
	case input:
	case writes:
		j.files.Written = append(j.files.Written, file.text)
	default:
		j.files.Read = append(j.files.Read, file.text)
	}
	if writes {
		return last
	}
	return end
}

// encoded reports whether the tokens from k to end are a comma and a known encoding, or for lists of
// names what they hold.
func (j *javascript) encoded(k, end int, names bool) bool {
	value, depth := j.at(k+1), 2
	if value.is(sign, "{") && j.at(k+3).is(sign, ":") && j.at(k+5).is(sign, "}") {
		if names {
			return j.at(k+2).is(name, "withFileTypes") && j.at(k+4).is(name, "true") && k+6 == end
		}
		if !j.at(k+2).is(name, "encoding") {
			return false
		}
		value, depth = j.at(k+4), 6
	}
	return !names && value.kind == text && value.prefix == "" && slices.Contains(encodings, value.text) && k+depth == end
}

// global judges a name of Node's own.
func (j *javascript) global(i int, called string, properties []string) int {
	next := j.at(i + 1)
	switch {
	case next.is(sign, "("):
		if !slices.Contains(properties, "(") {
			j.refuse("it calls " + called)
		}
	case !next.is(sign, "."):
		if !slices.Contains(properties, ".") {
			j.refuse("it hands on " + called)
		} else if next.is(sign, "=", "[", "?.") || next.kind == text && next.prefix == "`" {
			j.refuse("it uses " + called + " in a way that is not understood")
		}
	case j.at(i+2).kind != name || !slices.Contains(properties, j.at(i+2).text):
		j.refuse("it uses " + called + "." + j.at(i+2).text)
	case called == "process":
		return j.process(i)
	default:
		return i + 2
	}
	return i
}

// process judges process.NAME: its streams may only be read and written here and now.
func (j *javascript) process(i int) int {
	switch j.at(i + 2).text {
	case "stdout", "stderr":
		if j.at(i+3).is(sign, ".") && (j.at(i+4).is(name, "write") && j.at(i+5).is(sign, "(") || j.at(i+4).is(name, "columns", "isTTY")) {
			return i + 4
		}
		j.refuse("it hands on a stream")
	case "stdin":
		if j.at(i-1).is(name, "of") && j.at(i+3).is(sign, ")") {
			return i + 2
		}
		k := i + 3
		if before := j.at(i - 1); i > 0 && !before.is(sign, ";", "{", "}") && !(j.at(i).fresh && before.is(sign, ")")) {
			k = -1
		}
		for k > 0 && j.at(k).is(sign, ".") && slices.Contains(streamMethods, j.at(k+1).text) && j.at(k+2).is(sign, "(") {
			// The methods' names are settled here; their arguments are judged like all else.
			j.list[k+1].text = "at"
			k = j.pair[k+2] + 1
		}
		if t := j.at(k); k <= i+3 || !t.is(sign, ";", "}") && !t.fresh || t.is(sign, ".", "?.", "[", "(") || t.kind == text {
			j.refuse("it hands on its input")
		}
		return i + 2
	}
	return i + 2
}
