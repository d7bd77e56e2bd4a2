package mask

import (
	"slices"
	"strings"
)

// finder walks a text once, from left to right.
type finder struct {
	s     string
	i     int
	spans []span
	// quotes reports whether there is a quote before i.
	quotes bool
	// commands are names with values run by the text; they are never hidden.
	commands map[string]bool
	looked   bool

	runFrom, runEnd int    // the last run of inert bytes
	pemEnd          int    // no private key begins before
	lines           []span // remaining lines of a private key
	evaluatedEnd    int    // the evaluated word ends here
	cookieEnd       int    // no other header's cookies are looked for before
}

// find returns the spans to hide in s, in order and without overlap.
func find(s string) []span {
	f := finder{s: s}
	for f.i < len(s) {
		if !f.line() && !f.step() {
			f.quotes = f.quotes || s[f.i] == '"' || s[f.i] == '\''
			f.i++
		}
	}
	return f.spans
}

// step looks at the text at i. It reports whether it has moved on.
func (f *finder) step() bool {
	switch c := f.s[f.i]; {
	case alnum(c):
		return f.token()
	case c == '=':
		return f.assigned()
	case c == ':':
		return f.userinfo() || f.named()
	case c == '[':
		return f.hidden()
	case c == '-':
		f.pem()
		return f.flag()
	case c == '/':
		return f.webhook()
	}
	return false
}

// hidden steps over an already masked secret.
func (f *finder) hidden() bool {
	if len(f.s)-f.i < placeholderLen || !isPlaceholder(f.s[f.i:f.i+placeholderLen]) {
		return false
	}
	f.i += placeholderLen
	return true
}

// hide takes spans and goes on behind the last of them.
func (f *finder) hide(spans []span) bool {
	if len(spans) == 0 {
		return false
	}
	last := spans[len(spans)-1].end
	f.quotes = f.quotes || strings.ContainsAny(f.s[f.i:last], `"'`)
	f.spans = append(f.spans, spans...)
	f.i = last
	return true
}

func (f *finder) wordStart() bool {
	return f.i == 0 || !alnum(f.s[f.i-1]) && f.s[f.i-1] != '_' && !f.expands(f.i)
}

const (
	bearer            = "bearer "
	capitalsAndDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
)

// token hides a token of a known shape, and the one after "Bearer".
func (f *finder) token() bool {
	if !f.wordStart() {
		return false
	}
	rest := f.s[f.i:]
	if n := shaped(rest); n > 0 {
		if evaluated(f.s, f.i+n) && !escapedEnd(f.s[f.i+n:]) {
			f.i += n
			return true
		}
		return f.hide([]span{{f.i, f.i + n}})
	}
	if len(rest) > len(bearer) && strings.EqualFold(rest[:len(bearer)], bearer) {
		if sp, ok := f.apart(f.i + len(bearer)); ok && strings.ContainsAny(bare(f.s[sp.start:sp.end]), capitalsAndDigits) {
			return f.hide([]span{sp})
		}
	}
	if n := webhook(rest); n > 0 {
		return f.path(f.i + n)
	}
	return false
}

// bare is s without its masked parts: their digits make it no secret.
func bare(s string) string {
	for {
		i := strings.Index(s, placeholder)
		if i < 0 || len(s)-i < placeholderLen {
			return s
		}
		s = s[:i] + s[i+placeholderLen:]
	}
}

func (f *finder) webhook() bool {
	n := webhook(f.s[f.i:])
	return n > 0 && f.path(f.i+n)
}

// path hides the rest of an address.
func (f *finder) path(i int) bool {
	end := f.run(i)
	return end-i >= 16 && !evaluated(f.s, end) && f.hide([]span{{i, end}})
}

// pem notes the lines of a private key beginning here. The text around them is read as any other
// text.
func (f *finder) pem() {
	if f.i < f.pemEnd || !strings.HasPrefix(f.s[f.i:], pemBegin) {
		return
	}
	spans, end := pem(f.s[f.i:])
	for _, sp := range spans {
		f.lines = append(f.lines, span{f.i + sp.start, f.i + sp.end})
	}
	f.pemEnd = f.i + end
}

// line hides the rest of a private key's line.
func (f *finder) line() bool {
	for len(f.lines) > 0 && f.lines[0].end <= f.i {
		f.lines = f.lines[1:]
	}
	return len(f.lines) > 0 && f.lines[0].start <= f.i && f.hide([]span{{f.i, f.lines[0].end}})
}

// schemes are the words before the secret in an Authorization header.
var schemes = []string{"bearer", "basic", "token", "bot", "digest", "apikey"}

// scheme returns the length of the scheme at the start of s with its one blank, or 0.
func scheme(s string) int {
	for _, w := range schemes {
		if len(s) > len(w) && s[len(w)] == ' ' && strings.EqualFold(s[:len(w)], w) {
			return len(w) + 1
		}
	}
	return 0
}

// nameBefore returns the name ending before i, perhaps in quotes, and its start.
func (f *finder) nameBefore(i int) (name string, start int) {
	if i > 0 && (f.s[i-1] == '"' || f.s[i-1] == '\'') {
		if i--; i > 0 && f.s[i-1] == '\\' {
			i--
		}
	}
	start = i
	for start > 0 && i-start <= maxNameLen && nameByte(f.s[start-1]) {
		start--
	}
	return strings.Trim(f.s[start:i], "-."), start
}

// assigned hides the value of NAME=value. A blank behind the sign ends the value
// unless one stands before it too: TOKEN= rm runs rm.
func (f *finder) assigned() bool {
	before, value := f.i, f.i+1
	spaced := before > 0 && f.s[before-1] == ' '
	if spaced {
		before--
	}
	name, start := f.nameBefore(before)
	if !secretName(name) || f.expands(start) || f.isCommand(name, start) {
		return false
	}
	if spaced {
		return f.behindBlanks(value)
	}
	return f.hide(f.word(value, !f.quotes))
}

// named hides the value of name: value, as in headers, YAML and JSON.
func (f *finder) named() bool {
	name, start := f.nameBefore(f.i)
	if !secretName(name) || f.expands(start) || strings.HasPrefix(f.s[f.i:], "://") {
		return false
	}
	if strings.HasSuffix(strings.ToLower(name), "cookie") && f.cookies() {
		return true
	}
	if next := f.i + 1; next < len(f.s) && f.s[next] != ' ' {
		return f.hide(f.word(next, false))
	}
	return f.behindBlanks(f.i + 1)
}

// behindBlanks hides a value separated from its name by blanks, and perhaps a scheme.
func (f *finder) behindBlanks(i int) bool {
	for i < len(f.s) && f.s[i] == ' ' {
		i++
	}
	if i < len(f.s) {
		i += len(quoteAt(f.s, i))
	}
	i += scheme(f.s[i:])
	sp, ok := f.apart(i)
	return ok && f.hide([]span{sp})
}

// maxCookies bounds how far a Cookie header is followed, and maxUserinfo how far
// an address is, in bytes.
const (
	maxCookies  = 8 << 10
	maxUserinfo = 1 << 10
)

// cookies hides the values of a Cookie header: name=value pairs to the end of
// the line or quote.
func (f *finder) cookies() bool {
	if f.i < f.cookieEnd {
		return false
	}
	var spans []span
	i := f.i + 1
	for ; i < min(len(f.s), f.i+maxCookies) && strings.IndexByte("\n\"'", f.s[i]) < 0; i++ {
		if f.s[i] != '=' {
			continue
		}
		end := f.run(i + 1)
		if evaluated(f.s, end) {
			break
		}
		if end > i+1 {
			spans = append(spans, span{i + 1, end})
			i = end - 1
		}
	}
	f.cookieEnd = i
	return f.hide(spans)
}

// secretFlags are options with a secret as their next word.
var secretFlags = map[string]bool{
	"--access-key": true, "--access-token": true, "--api-key": true, "--api-token": true, "--apikey": true, "--auth-token": true,
	"--client-secret": true, "--pass": true, "--passphrase": true, "--passwd": true, "--password": true, "--secret": true,
	"--secret-key": true, "--token": true,
}

// userFlags are options with user:password as their next word.
var userFlags = map[string]bool{"-u": true, "--user": true, "--proxy-user": true}

// flag hides the word behind an option.
func (f *finder) flag() bool {
	if f.i > 0 && strings.IndexByte(" \t\n\"'", f.s[f.i-1]) < 0 {
		return false
	}
	end := f.i
	for end < len(f.s) && end-f.i < maxNameLen && nameByte(f.s[end]) {
		end++
	}
	name, value := f.s[f.i:end], end+1
	if end >= len(f.s) || f.s[end] != ' ' {
		return false
	}
	if secretFlags[name] {
		return f.behindBlanks(value)
	}
	if !userFlags[name] {
		return false
	}
	if value < len(f.s) {
		value += len(quoteAt(f.s, value))
	}
	stop := f.run(value)
	colon := firstColon(f.s[value:stop])
	if colon < 1 || evaluated(f.s, stop) || colon+1 == stop-value || address(f.s[value:stop], colon) {
		return false
	}
	return f.hide([]span{{value + colon + 1, stop}})
}

// address reports whether a word with its first colon there begins as a repository's or a page's
// address does: the -u of git push and others takes one. Its user is looked for as in any address.
func address(word string, colon int) bool {
	return slices.Contains([]string{"http", "https", "ssh", "git", "file"}, strings.ToLower(word[:colon])) && strings.HasPrefix(word[colon:], "://")
}

// firstColon is the position of the first colon of s outside a placeholder, or -1.
func firstColon(s string) int {
	for i := 0; i < len(s); i++ {
		if len(s)-i >= placeholderLen && isPlaceholder(s[i:i+placeholderLen]) {
			i += placeholderLen - 1
		} else if s[i] == ':' {
			return i
		}
	}
	return -1
}

// userinfo hides the password in scheme://user:password@host, or a lone token
// in http(s)://token@host.
func (f *finder) userinfo() bool {
	if !strings.HasPrefix(f.s[f.i:], "://") {
		return false
	}
	start := f.i + len("://")
	end := min(f.run(start), start+maxUserinfo)
	if i := strings.IndexAny(f.s[start:end], "/?#"); i >= 0 {
		end = start + i
	}
	at := strings.LastIndexByte(f.s[start:end], '@')
	if at < 1 {
		return false
	}
	info := f.s[start : start+at]
	if len(info) >= placeholderLen && isPlaceholder(info[:placeholderLen]) {
		start, at, info = start+placeholderLen, at-placeholderLen, info[placeholderLen:]
	}
	if colon := firstColon(info); colon >= 0 || info == "" {
		return colon+1 < at && f.hide([]span{{start + colon + 1, start + at}})
	}
	scheme := strings.ToLower(f.s[max(0, f.i-len("https")):f.i])
	return (scheme == "https" || strings.HasSuffix(scheme, "http")) && f.hide([]span{{start, start + at}})
}

// expands reports whether the name at start is a parameter expanded by the shell: in ${TOKEN:-rm}
// the value is a command.
func (f *finder) expands(start int) bool {
	before := strings.TrimRight(f.s[max(0, start-8):start], "!#")
	return strings.HasSuffix(before, "${") || strings.HasSuffix(before, "$")
}
