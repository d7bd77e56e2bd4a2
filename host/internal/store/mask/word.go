package mask

import "strings"

// inert reports whether a byte means itself everywhere in a shell word. Globs and braces stay
// visible too, except those common in secrets.
func inert(c byte) bool {
	if c <= ' ' || c == 0x7f {
		return false
	}
	return strings.IndexByte("\"'`$;|&<>(){}\\", c) < 0
}

// run returns the end of the inert bytes from i on.
func run(s string, i int) int {
	for i < len(s) && inert(s[i]) {
		i++
	}
	return i
}

// run is the function of the same name; it remembers the last run, so a hostile text is not scanned
// again and again.
func (f *finder) run(i int) int {
	if i < f.runFrom || i >= f.runEnd {
		f.runFrom, f.runEnd = i, run(f.s, i)
	}
	return f.runEnd
}

// evaluated reports whether the byte at i makes a shell, or another language, evaluate the word
// before it.
func evaluated(s string, i int) bool {
	return i < len(s) && strings.IndexByte("$`\\({", s[i]) >= 0
}

// word finds the hidden part of a value at i directly after its name: in every shell it is the same
// word as the name, never a command. It returns the spans and the value's end; no spans for a value
// that is not literal. first means that no quote comes before i, so a quote here can only open.
func (f *finder) word(i int, first bool) (spans []span) {
	if i < f.evaluatedEnd {
		return nil
	}
	for s := f.s; i < len(s); {
		var stop, end int
		start := i
		switch q := quoteAt(s, i); {
		case q != "":
			start = i + len(q)
			if stop = f.quoted(start, q, first); stop < 0 {
				return spans
			}
			end = stop + len(q)
		case inert(s[i]) && (len(spans) == 0 || strings.IndexByte(",:]", s[i]) < 0):
			stop = f.run(i)
			end = stop
		case evaluated(s, i):
			f.evaluatedEnd = i
			return nil
		default:
			return spans
		}
		spans = runs(spans, s, start, stop)
		i, first = end, false
	}
	return spans
}

// runs appends the inert runs between i and end.
func runs(spans []span, s string, i, end int) []span {
	for i < end {
		stop := run(s[:end], i)
		if stop > i {
			spans = append(spans, span{i, stop})
		}
		i = stop + 1
	}
	return spans
}

// quoteAt returns the quote at i, perhaps with the backslash of a quote inside
// another; empty when there is none.
func quoteAt(s string, i int) string {
	for _, q := range []string{`"`, `'`, `\"`, `\'`} {
		if strings.HasPrefix(s[i:], q) {
			return q
		}
	}
	return ""
}

// quoted returns where the quoted text from i on ends, or -1 when it is not
// literal. Blanks are part of it only when the quote can only be an opening one:
// x="TOKEN=" rm -rf "y" runs rm.
func (f *finder) quoted(i int, quote string, first bool) int {
	for i < len(f.s) {
		if i = f.run(i); strings.HasPrefix(f.s[i:], quote) {
			return i
		}
		if !first || i == len(f.s) || f.s[i] != ' ' {
			return -1
		}
		i++
	}
	return -1
}

// apart finds the hidden part of a value after a name and a blank. It could be a command after all
// (x=token: rm), so it must look like a secret.
func (f *finder) apart(i int) (span, bool) {
	s, end := f.s, f.run(i)
	for end > i && strings.IndexByte(",.", s[end-1]) >= 0 {
		end--
	}
	return span{i, end}, !evaluated(s, end) && plausible(s[i:end])
}

// plausible tells a secret from a program's name, a flag and a path.
func plausible(s string) bool {
	if len(s) < 6 || strings.IndexByte("-/~.", s[0]) >= 0 {
		return false
	}
	if len(s) >= 12 {
		return true
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && c != '-' && c != '/' {
			return true
		}
	}
	return false
}
