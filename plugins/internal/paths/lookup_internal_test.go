package paths

import (
	"path"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/callgate/callgate/sdk/go/tool"
)

// TestExpansionIsTheShells compares a glob's result with path.Match, with the same signs but
// "!" in a class. A glob refused by path.Match says nothing.
func TestExpansionIsTheShells(t *testing.T) {
	t.Parallel()
	var known []string
	for _, table := range []*table{protectedTable, secretTable} {
		for _, k := range table.known {
			known = append(known, k.name)
		}
	}
	text := rapid.StringMatching(`[.a-z_é*?\[\]!^-]{0,6}`)
	hits := 0
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(known).Draw(rt, "known")
		from := rapid.IntRange(0, len(name)).Draw(rt, "from")
		to := rapid.IntRange(from, len(name)).Draw(rt, "to")
		glob := name[:from] + text.Draw(rt, "text") + rapid.SampledFrom([]string{"*", "?", "[a-z]", "[", "**"}).Draw(rt, "sign") + name[to:]
		ok, err := path.Match(strings.ReplaceAll(glob, "[!", "[^"), name)
		if err != nil {
			return
		}
		want := ok && (strings.HasPrefix(glob, ".") || !strings.HasPrefix(name, "."))
		e := expansionOf(glob)
		if got := e.gives(name); want && !got || got && !want && !strings.Contains(glob, "[") {
			rt.Fatalf("%q for %q: got %v, want %v", glob, name, got, want)
		}
		if want {
			hits++
		}
	})
	if hits == 0 {
		t.Error("no glob gave a name: the test says nothing")
	}
}

// TestClasses: a shell's reading of a class decides the names of a glob.
func TestClasses(t *testing.T) {
	t.Parallel()
	for glob, want := range map[string]bool{
		".e[n]v": true, ".e[!n]v": false, ".e[!x]v": true, ".e[^x]v": true, ".e[a-z]v": true, ".e[[:alpha:]]v": true, ".e[[:alpha:]n]v": true, ".e[]n]v": true,
		".e[!]x]v": true, ".e[!]n]v": false, ".e[n": false, ".[e]nv": true, "[.]env": false, "?env": false, ".e[[=n=]]v": true, ".e[xy]v": false,
	} {
		e := expansionOf(glob)
		if got := e.gives(".env"); got != want {
			t.Errorf("%s gives .env: %v, want %v", glob, got, want)
		}
	}
}

// TestPartsThroughGlobs: any name of a secret's place may be a glob replaced by it in a shell,
// and the place stays a secret.
func TestPartsThroughGlobs(t *testing.T) {
	t.Parallel()
	const home = "/home/u"
	rapid.Check(t, func(rt *rapid.T) {
		p := rapid.SampledFrom(secretTable.parts.all).Draw(rt, "part")
		names := slices.Clone(p.names)
		for i, name := range names {
			names[i] = strings.ReplaceAll(name, "*", rapid.SampledFrom([]string{"x", "one.two", "7"}).Draw(rt, "star"))
		}
		dir := "/"
		if p.where != atRoot {
			dir = home + "/"
		}
		if p.where == anywhere && rapid.Bool().Draw(rt, "deeper") {
			dir = "/srv/deep/down/"
		}
		plain := dir + strings.Join(names, "/")
		if !secret(take(plain, home)) {
			rt.Fatalf("%s is no secret", plain)
		}
		for i := range names {
			if rapid.Bool().Draw(rt, "glob") {
				names[i] = globOf(rt, names[i], i == 0 && strings.HasPrefix(dir, "/srv/"))
			}
		}
		form := dir + strings.Join(names, "/")
		if !secret(take(form, home)) {
			rt.Fatalf("%s may be %s and is no secret", form, plain)
		}
		if below := form + "/x"; !secret(take(below, home)) {
			rt.Fatalf("%s may lie in %s and is no secret", below, plain)
		}
		if upper := strings.ToUpper(form); !secret(take(upper, home)) {
			rt.Fatalf("%s is no secret", upper)
		}
		for i := len(names) - 1; i > 0 && !strings.HasPrefix(dir, "/srv/"); i-- {
			above := strings.TrimPrefix(path.Join(dir, path.Join(names[:i]...)), "/")
			if pol := NewPolicy(nil, tool.Context{Home: home}); !pol.secretBelow("/"+above, true) {
				rt.Fatalf("a search of /%s may read %s", above, plain)
			}
		}
	})
}

// globOf draws a glob a shell may replace by the name. kept asks for more than a star.
func globOf(rt *rapid.T, name string, kept bool) string {
	head := ""
	if strings.HasPrefix(name, ".") || kept {
		head, name = name[:1], name[1:]
	}
	first, size := utf8.DecodeRuneInString(name)
	rest := name[size:]
	return head + rapid.SampledFrom([]string{"*", string(first) + "*", "?" + rest, "[a-z0-9" + string(first) + "]" + rest, "[!\x01]" + rest, "*" + rest, "?*", "[[:print:]]*"}).Draw(rt, "as")
}
