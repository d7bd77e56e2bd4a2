package scaffold

import (
	"fmt"
	"strings"
)

// Next are the commands for a new project, in their order.
func Next(m Manifest) []string {
	out := []string{"callgate tool build", "callgate tool test", "callgate tool conformance " + m.Name + ".wasm", "callgate tool add " + m.Name + ".wasm"}
	if m.Language == "assemblyscript" {
		out = append([]string{"npm install --save-dev assemblyscript@" + ascVersion}, out...)
	}
	return out
}

func (l language) readme(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nA tool module for Callgate, in %s: it tells Callgate what the calls of the tool `%s` mean.\n", name, l.Title, ToolName(name))
	fmt.Fprintf(&b, "It begins as the example of a tool that deploys. Put yours in its place from the top down: the members of the input and their schema, what is asked about, what changes nothing, how rules read, with examples, what is suggested, what is shown.")
	if l.Name == "go" || len(l.beside) > 0 { // with an SDK
		b.WriteString(" What you leave out has a safe default.")
	}
	b.WriteString("\n\n")
	if l.Needs != "" {
		fmt.Fprintf(&b, "To build it you need %s; `callgate tool build` says how to install what is missing.\n\n", l.Needs)
	}
	fmt.Fprintf(&b, "```sh\n%s\n```\n\n", strings.Join(Next(Manifest{Name: name, Language: l.Name}), "\n"))
	fmt.Fprintf(&b, "`callgate tool add` wants the daemon in another terminal: `callgate serve`.\n\n")
	rows := [][2]string{{l.source(name), "what the module answers"}, {casesFile, "calls and the answers wanted, for `callgate tool test`"}}
	if l.unit != nil {
		rows = append(rows, [2]string{l.tests(name), "its unit tests"})
	}
	if l.Name == "go" {
		rows = append(rows, [2]string{"callgate/", "the SDK, where the go.mod finds it"})
	}
	for _, file := range l.beside {
		rows = append(rows, [2]string{file, "the SDK: one file, yours to read"})
	}
	rows = append(rows, [2]string{ManifestFile, "name and language, for `callgate tool build`"})
	b.WriteString("| file | what it is |\n|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r[0], r[1])
	}
	anew := "`" + casesFile + "`"
	if l.unit != nil {
		anew += " and `" + l.tests(name) + "`"
	}
	fmt.Fprintf(&b, "\nBegin %s anew for your tool. Cases with a name and an input only get the present answers by `callgate tool test --update`, for you to judge.\n", anew)
	fmt.Fprintf(&b, "\nThe guide is `docs/write-a-tool-%s.md` of Callgate; `docs/abi.md` is what the SDK speaks.\n", l.Name)
	return b.String()
}
