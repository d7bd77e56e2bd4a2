package cli

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/callgate/callgate/host/internal/config"
	"github.com/callgate/callgate/host/internal/testkit/repo"
)

var updateReference = flag.Bool("update", false, "write the pages of docs/reference")

// TestReference compares the generated pages of docs/reference with the command table,
// the configuration's schema, the API's description and the codes of the sources, and
// the picture of the terminal with its golden text. With -update it writes them.
func TestReference(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]func(*testing.T) string{
		"reference/cli.md": cliReference, "reference/config.md": configReference, "reference/api.md": apiReference, "reference/codes.md": codesReference,
		"pictures/terminal.svg": terminalPicture,
	} {
		file := repo.File("docs", name)
		want := page(t)
		if head, body, _ := strings.Cut(want, "\n"); strings.HasSuffix(name, ".md") {
			want = head + "\n\n<!-- Written by make docs. Do not edit. -->\n" + body
		}
		if *updateReference {
			if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
				t.Error(err)
			}
			continue
		}
		got, err := os.ReadFile(file)
		if err != nil || string(got) != want {
			t.Errorf("docs/%s is out of date (%v). Update it: make docs", name, err)
		}
	}
}

// cliReference lists every command in the order of the help.
func cliReference(t *testing.T) string {
	t.Helper()
	root := newRoot()
	var b strings.Builder
	b.WriteString("# Commands\n\nEvery command of `callgate`, as `callgate COMMAND --help` prints it. Exit codes: [codes.md](codes.md#exit-codes).\n\n## Options of every command\n\n")
	writeFlags(&b, root.PersistentFlags())
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "\n## %s\n\n| command | |\n|---|---|\n", strings.TrimSuffix(group.Title, ":"))
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && !cmd.Hidden && cmd.Name() != "completion" {
				fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", strings.ReplaceAll(cmd.CommandPath(), "|", `\|`), anchor(cmd.CommandPath()), cell(cmd.Short))
			}
		}
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Hidden || cmd.Name() == "completion" || cmd.Name() == "help" {
			return
		}
		if cmd.HasParent() {
			writeCommand(&b, cmd)
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
	return b.String()
}

func writeCommand(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n", cmd.CommandPath())
	if cmd.Runnable() {
		fmt.Fprintf(b, "```text\n%s\n```\n\n", cmd.UseLine())
	}
	about := cmp.Or(strings.TrimSpace(cmd.Long), cmd.Short+".")
	fmt.Fprintf(b, "```text\n%s\n```\n", about)
	if cmd.Runnable() && cmd.LocalNonPersistentFlags().HasAvailableFlags() {
		b.WriteString("\n")
		writeFlags(b, cmd.LocalNonPersistentFlags())
	}
	if cmd.Example != "" {
		b.WriteString("\n```sh\n")
		for line := range strings.Lines(cmd.Example) {
			b.WriteString(strings.TrimPrefix(line, "  "))
		}
		b.WriteString("\n```\n")
	}
}

func writeFlags(b *strings.Builder, flags *pflag.FlagSet) {
	b.WriteString("| option | |\n|---|---|\n")
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			name += " " + value
		}
		if d := f.DefValue; !slices.Contains([]string{"", "false", "[]", "0", "0s"}, d) && !strings.Contains(usage, "default") {
			usage += " (default " + d + ")"
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", name, cell(usage))
	})
}

// schemaNode is the documented part of a JSON Schema.
type schemaNode struct {
	Ref         string                 `json:"$ref"`
	Type        any                    `json:"type"`
	Description string                 `json:"description"`
	Properties  map[string]*schemaNode `json:"properties"`
	Required    []string               `json:"required"`
	Items       json.RawMessage        `json:"items"`
	Additional  json.RawMessage        `json:"additionalProperties"`
	OneOf       []*schemaNode          `json:"oneOf"`
	AnyOf       []*schemaNode          `json:"anyOf"`
	AllOf       []*schemaNode          `json:"allOf"`
	Enum        []any                  `json:"enum"`
	Const       any                    `json:"const"`
	Defs        map[string]*schemaNode `json:"$defs"`
}

// UnmarshalJSON takes the schema true for an empty one.
func (s *schemaNode) UnmarshalJSON(text []byte) error {
	type plain schemaNode
	if string(text) == "true" || string(text) == "false" {
		return nil
	}
	return json.Unmarshal(text, (*plain)(s))
}

// kind is the type of a value in words, with a link to a type of the page.
func (s *schemaNode) kind() string {
	switch {
	case s == nil:
		return "any"
	case s.Ref != "":
		name := path.Base(s.Ref)
		return fmt.Sprintf("[%s](#%s)", name, anchor(name))
	case len(s.Enum) > 0:
		var words []string
		for _, v := range s.Enum {
			words = append(words, fmt.Sprintf("`%v`", v))
		}
		return strings.Join(words, ", ")
	case s.Const != nil:
		return fmt.Sprintf("`%v`", s.Const)
	case len(s.OneOf)+len(s.AnyOf)+len(s.AllOf) > 0:
		var kinds []string
		for _, one := range slices.Concat(s.OneOf, s.AnyOf, s.AllOf) {
			kinds = append(kinds, one.kind())
		}
		return strings.Join(kinds, " or ")
	}
	var items, values schemaNode
	if json.Unmarshal(s.Items, &items) == nil {
		return "list of " + items.kind()
	}
	if json.Unmarshal(s.Additional, &values) == nil && s.Properties == nil && string(s.Additional) != "false" {
		return "map of names to " + values.kind()
	}
	switch kinds := s.Type.(type) {
	case string:
		return kinds
	case []any:
		return strings.Trim(strings.ReplaceAll(fmt.Sprint(kinds), " ", " or "), "[]")
	}
	return "any"
}

func (s *schemaNode) write(b *strings.Builder, name string, trim bool) {
	fmt.Fprintf(b, "\n## %s\n\n", name)
	if s.Description != "" {
		fmt.Fprintf(b, "%s\n\n", s.Description)
	}
	if len(s.Properties) == 0 {
		fmt.Fprintf(b, "%s\n", strings.ToUpper(s.kind()[:1])+s.kind()[1:])
		return
	}
	fmt.Fprint(b, "| key | type | |\n|---|---|---|\n")
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[key]
		about := p.Description
		if trim { // a comment of Go begins with the field's name
			if first, rest, found := strings.Cut(about, " "); found && strings.EqualFold(first, strings.ReplaceAll(key, "_", "")) {
				rest = strings.TrimPrefix(strings.TrimPrefix(rest, "is "), "are ")
				about = strings.ToUpper(rest[:1]) + rest[1:]
			}
		}
		if slices.Contains(s.Required, key) {
			key += "` (required) `"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", strings.TrimSuffix(key, " `"), p.kind(), cell(about))
	}
}

func configReference(t *testing.T) string {
	t.Helper()
	var s schemaNode
	if err := json.Unmarshal(config.Schema(), &s); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("# Configuration\n\nEvery key of `~/.config/callgate/callgate.yaml`. No file is needed; `callgate config example` prints one with comments, `callgate config schema` the JSON Schema for editors, and `callgate config check` checks yours.\n\nThe file begins with [Config](#config). Each type has its table.\n")
	for _, name := range append([]string{"Config"}, slices.DeleteFunc(slices.Sorted(maps.Keys(s.Defs)), func(n string) bool { return n == "Config" })...) {
		s.Defs[name].write(&b, name, true)
	}
	return b.String()
}

func apiReference(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(repo.File("host/internal/api/openapi.json"))
	if err != nil {
		t.Fatal(err)
	}
	type operation struct {
		Summary, Description string
		Tags                 []string
		Security             []map[string][]string
		Parameters           []struct {
			Ref, Name, In, Description string
			Required                   bool
			Schema                     *schemaNode
		}
		RequestBody struct {
			Content map[string]struct{ Schema *schemaNode }
		}
		Responses map[string]struct {
			Description string
			Content     map[string]struct{ Schema *schemaNode }
		}
	}
	var doc struct {
		Info  struct{ Description string }
		Tags  []struct{ Name, Description string }
		Paths map[string]map[string]operation

		Components struct{ Schemas map[string]*schemaNode }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# HTTP API\n\nEvery operation of the daemon. `GET /v1/openapi.json` serves the same as OpenAPI; [integrate.md](../integrate.md) is the guide, [codes.md](codes.md#error-codes-of-the-api) lists the error codes.\n\n%s\n", doc.Info.Description)
	for _, tag := range doc.Tags {
		fmt.Fprintf(&b, "\n## %s\n", strings.ToUpper(tag.Name[:1])+tag.Name[1:])
		if tag.Description != "" {
			fmt.Fprintf(&b, "\n%s\n", tag.Description)
		}
		for _, route := range slices.Sorted(maps.Keys(doc.Paths)) {
			for _, method := range slices.Sorted(maps.Keys(doc.Paths[route])) {
				op := doc.Paths[route][method]
				if !slices.Contains(op.Tags, tag.Name) {
					continue
				}
				fmt.Fprintf(&b, "\n### %s %s\n\n%s.", strings.ToUpper(method), route, strings.TrimSuffix(op.Summary, "."))
				if op.Description != "" {
					fmt.Fprintf(&b, " %s", op.Description)
				}
				b.WriteString("\n\n")
				var tokens []string
				for _, s := range op.Security {
					tokens = append(tokens, slices.Sorted(maps.Keys(s))...)
				}
				if len(tokens) > 0 {
					fmt.Fprintf(&b, "- token: %s\n", strings.Join(tokens, ", "))
				}
				for _, p := range op.Parameters {
					fmt.Fprintf(&b, "- `%s` (%s, %s): %s\n", p.Name, p.In, p.Schema.kind(), cmp.Or(p.Description, "no description"))
				}
				for _, body := range op.RequestBody.Content {
					fmt.Fprintf(&b, "- body: %s\n", body.Schema.kind())
				}
				for _, status := range slices.Sorted(maps.Keys(op.Responses)) {
					if r := op.Responses[status]; status != "default" {
						kind := ""
						if c, ok := r.Content["application/json"]; ok {
							kind = c.Schema.kind() + ". "
						}
						fmt.Fprintf(&b, "- %s: %s%s\n", status, kind, r.Description)
					}
				}
			}
		}
	}
	b.WriteString("\n# Types\n")
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		doc.Components.Schemas[name].write(&b, name, false)
	}
	return b.String()
}

func codesReference(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(`# Codes

Words and numbers for programs. None changes its meaning.

## Exit codes

| code | ` + "`check`, `explain`, `asks`" + ` and the other commands |
|---|---|
`)
	for code, means := range []string{exitAllow: "allow, or success", exitDeny: "deny, or an error that a check found", exitAsk: "ask, or no one answered in time", exitError: "the command failed, or its arguments are wrong"} {
		fmt.Fprintf(&b, "| %d | %s |\n", code, means)
	}
	b.WriteString("\n`callgate hook` follows its client: Claude Code reads 0 with a JSON document as the decision and 2 as a denial. Any failure is a denial.\n")
	section := func(title, about, file, prefix string) {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| code | |\n|---|---|\n", title, about)
		for _, c := range constantsOf(t, file, prefix) {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.value, cell(c.comment))
		}
	}
	section("Stages of a decision", "The member `stage` says which step of the table decided, in this order.", "engine/decision.go", "Stage")
	section("Codes of a decision", "The member `code`; `converted_by` has one of these, `dont_ask`, `approved`, or the end of an ask.", "engine/decision.go", "Code")
	for _, room := range []string{"host/internal/gate", "host/internal/approval/authority"} {
		for _, c := range constantsOf(t, room, "Code") {
			fmt.Fprintf(&b, "| `%s` | %s |\n", c.value, cell(c.comment))
		}
	}
	section("Ends of an ask", "The member `cause` of an ask, and `converted_by` of the denial that follows.", "host/internal/approval/ask/ask.go", "Cause")
	section("Error codes of the API", "The member `error.code` of an answer with a status from 400 on.", "host/internal/client/protocol/error.go", "Code")
	return b.String()
}

type constant struct{ value, comment string }

// constantsOf are the texts of the constants of a file, or of a package by its
// directory, with their comments.
func constantsOf(t *testing.T, place, prefix string) (all []constant) {
	t.Helper()
	files := []string{repo.File(place)}
	if !strings.HasSuffix(place, ".go") {
		var err error
		if files, err = filepath.Glob(repo.File(place, "*.go")); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range files {
		if !strings.HasSuffix(file, "_test.go") {
			all = append(all, constantsIn(t, file, prefix)...)
		}
	}
	if len(all) == 0 {
		t.Errorf("%s has no constants %s", place, prefix)
	}
	return all
}

func constantsIn(t *testing.T, file, prefix string) (all []constant) {
	t.Helper()
	tree, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			if len(v.Values) == 0 {
				continue
			}
			literal, ok := v.Values[0].(*ast.BasicLit)
			if name := v.Names[0].Name; !ok || len(name) < len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) {
				continue
			}
			value, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			comment := v.Comment.Text() + v.Doc.Text()
			if comment == "" && len(g.Specs) == 1 {
				comment = g.Doc.Text()
			}
			comment = strings.TrimPrefix(strings.TrimPrefix(comment, v.Names[0].Name+": "), v.Names[0].Name+" is ")
			all = append(all, constant{value, strings.Join(strings.Fields(comment), " ")})
		}
	}
	return all
}

var notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)

// anchor is a heading's fragment.
func anchor(heading string) string {
	return strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

// cell is a text as a cell of a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
