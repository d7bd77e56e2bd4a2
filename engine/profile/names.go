package profile

import (
	"strconv"
	"strings"
	"sync"

	"golang.org/x/text/unicode/runenames"
)

// named reads \N{NAME} after its N.
func (p *parser) named() rune {
	if !p.accept("{") {
		p.fail(0, "missing {", `write \N{NAME OF THE CHARACTER}`)
	}
	name := p.takeUntil("}", "character name")
	c, ok := lookup(name)
	if !ok {
		p.fail(len([]rune(name))+4, "undefined character name "+strconv.Quote(name), `write \u and four hexadecimal digits`)
	}
	return c
}

// lookup finds a character by its Unicode name, without regard to case. Names
// that are computed (ideographs, Hangul) and aliases are not known.
func lookup(name string) (rune, bool) {
	c, ok := characterNames()[strings.ToUpper(name)]
	return c, ok
}

// characterNames is built when the first pattern names a character.
var characterNames = sync.OnceValue(func() map[string]rune {
	names := make(map[string]rune, 40000)
	for c := range rune(maxRune) {
		if name := runenames.Name(c); name != "" && name[0] != '<' {
			names[name] = c
		}
	}
	return names
})
