package scaffold

import (
	"context"
	"fmt"
	"slices"

	"github.com/callgate/callgate/host/internal/text/didyoumean"
)

// Language is a language for tool modules.
type Language struct {
	// Name is the usual name, Aliases are accepted alternatives.
	Name    string   `json:"name"`
	Aliases []string `json:"aliases,omitempty"`
	// Title is the language's own name.
	Title string `json:"title"`
	// Needs is the compiler for a build; empty: none besides Callgate.
	Needs string `json:"needs,omitempty"`
}

// language is a Language and how its projects are made.
type language struct {
	Language
	// from is the directory of its SDK in the SDK's files, with deploy/ in it.
	from string
	// beside are the SDK's sources in from, copied beside a project's own.
	beside []string
	// extension is that of the main file, with the dot; tests the one of unit tests, different
	// for the two languages of one directory.
	extension string
	// ignore are lines of .gitignore.
	ignore []string
	// ready reports a missing compiler; nil where none is needed.
	ready func(context.Context) error
	// build leaves the module at job.out.
	build func(*job) error
	// unit runs the unit tests; nil where the language has none of its own.
	unit func(*job) error
}

var languages = []language{
	{
		Language: Language{Name: "go", Title: "Go", Needs: "Go 1.26 or later"},
		from:     "go", extension: ".go", ready: readyGo, build: buildGo, unit: testGo,
	},
	{
		Language: Language{Name: "rust", Aliases: []string{"rs"}, Title: "Rust", Needs: "rustc 1.63 or later with the target wasm32-unknown-unknown"},
		from:     "rust", beside: []string{"callgate.rs"}, extension: ".rs", ready: readyRust, build: buildRust, unit: testRust,
	},
	{
		Language: Language{Name: "c", Title: "C", Needs: "clang 14 or later, with wasm-ld"},
		from:     "c", beside: []string{"callgate.h"}, extension: ".c", ready: readyC, build: buildC, unit: testC,
	},
	{
		Language: Language{Name: "assemblyscript", Aliases: []string{"as"}, Title: "AssemblyScript", Needs: "asc " + ascVersion + ", with Node.js"},
		from:     "assemblyscript", beside: []string{"callgate.ts"}, extension: ".ts", ignore: []string{"node_modules/"}, ready: readyAssemblyScript, build: buildAssemblyScript, unit: testAssemblyScript,
	},
	{
		Language: Language{Name: "typescript", Aliases: []string{"ts"}, Title: "TypeScript"},
		from:     "typescript", beside: []string{"callgate.ts"}, extension: ".ts", ignore: []string{"node_modules/"}, build: buildScript, unit: testScript,
	},
	{
		Language: Language{Name: "javascript", Aliases: []string{"js"}, Title: "JavaScript"},
		from:     "typescript", beside: []string{"callgate.ts"}, extension: ".js", ignore: []string{"node_modules/"}, build: buildScript, unit: testScript,
	},
	{
		Language: Language{Name: "wat", Title: "WebAssembly text", Needs: "wat2wasm, of wabt"},
		from:     "wat", extension: ".wat", ready: readyWAT, build: buildWAT,
	},
}

// Languages are the languages for New and Build, in the order of listing.
func Languages() []Language {
	out := make([]Language, len(languages))
	for i, l := range languages {
		out[i] = l.Language
	}
	return out
}

// find returns the language of that name or alias.
func find(name string) (language, error) {
	var names []string
	for _, l := range languages {
		if l.Name == name || slices.Contains(l.Aliases, name) {
			return l, nil
		}
		names = append(names, l.Name)
	}
	return language{}, fmt.Errorf("unknown language %q%s", name, didyoumean.Hint(name, names))
}
