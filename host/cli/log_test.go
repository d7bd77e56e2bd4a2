package cli

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/callgate/callgate/host/internal/testkit/repo"
)

// TestLogKeys compares the lines of the log in the product's sources with the table of keys in
// docs/monitoring.md: collectors search by these names. It also wants constant messages, which a
// collector counts.
func TestLogKeys(t *testing.T) {
	t.Parallel()
	documented := logTable(t)
	used := map[string]bool{}
	lines := 0
	for _, room := range []string{"cmd", "engine", "host", "plugins", "sdk/go"} {
		for _, pkg := range packagesBelow(t, repo.File(room)) {
			lines += checkLog(pkg, func(key string, at token.Position) {
				used[key] = true
				if !documented[key] {
					t.Errorf("%s: the key %q is not in the table of docs/monitoring.md: use one of the table", at, key)
				}
			}, func(at token.Position, problem string) { t.Errorf("%s: %s", at, problem) })
		}
	}
	if lines < 100 {
		t.Fatalf("found %d lines of the log; is the search broken?", lines)
	}
	for key := range documented {
		if !used[key] {
			t.Errorf("docs/monitoring.md has the key %q, which no line uses", key)
		}
	}
}

// TestLogKeysFinds: the search sees each kind of fault.
func TestLogKeysFinds(t *testing.T) {
	t.Parallel()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "x.go", `package x
const fine = "a message"
func f() {
	log.Info(fine, "error", 1)
	log.Warn("two "+"parts", "fix", 1)
	log.Warn("started: "+text)
	log.Error(text, "error", 1)
	c.Log.Info("fine", key, 1)
	c.Log.Info("fine", "error")
	c.Log.Info("fine", attrs...)
	logger.Log(ctx, level, "fine", "why", 1)
	http.Error(w, text, 1)
	err.Error()
	log.With("reason", 1).Info("fine")
	log.InfoContext(ctx, "fine", slog.Int("n", 1))
}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	var problems []int
	lines := checkLog(goPackage{files, []*ast.File{parsed}}, func(key string, _ token.Position) { keys = append(keys, key) },
		func(at token.Position, _ string) { problems = append(problems, at.Line) })
	if want := []string{"error", "fix", "error", "why", "reason"}; !slices.Equal(keys, want) {
		t.Errorf("got the keys %q, want %q", keys, want)
	}
	if want := []int{6, 7, 8, 9, 10, 15}; !slices.Equal(problems, want) {
		t.Errorf("got problems on lines %v, want %v", problems, want)
	}
	if lines != 11 {
		t.Errorf("got %d lines, want 11", lines)
	}
}

// logTable returns the keys of the table in the section "The log".
func logTable(t *testing.T) map[string]bool {
	page, err := os.ReadFile(repo.File("docs", "monitoring.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(page), "\n## The log\n")
	if !ok {
		t.Fatal("docs/monitoring.md has no section \"The log\"")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	out := map[string]bool{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`.+?) \\|").FindAllStringSubmatch(section, -1) {
		for _, key := range regexp.MustCompile("`([a-z_0-9]+)`").FindAllStringSubmatch(row[1], -1) {
			if out[key[1]] {
				t.Errorf("docs/monitoring.md has the key %q twice", key[1])
			}
			out[key[1]] = true
		}
	}
	return out
}

type goPackage struct {
	at    *token.FileSet
	files []*ast.File
}

// packagesBelow parses the product's files, one package for each directory.
func packagesBelow(t *testing.T, root string) map[string]goPackage {
	out := map[string]goPackage{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testkit" || d.Name() == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		p := out[filepath.Dir(path)]
		if p.at == nil {
			p.at = token.NewFileSet()
		}
		parsed, err := parser.ParseFile(p.at, path, nil, 0)
		p.files = append(p.files, parsed)
		out[filepath.Dir(path)] = p
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Where the message stands among the arguments of a method of slog.Logger. With has none.
var logMethods = map[string]int{
	"Debug": 0, "Info": 0, "Warn": 0, "Error": 0, "DebugContext": 1, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1,
	"Log": 2, "LogAttrs": 2, "With": -1,
}

// checkLog calls key with each key of the log lines of a package, and problem where a line cannot be
// read from the source. It returns how many lines there are. Types are not known here, so a method
// of these names with arguments counts, whatever its receiver.
func checkLog(p goPackage, key func(string, token.Position), problem func(token.Position, string)) int {
	constants := map[string]bool{}
	for _, f := range p.files {
		for _, d := range f.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, s := range g.Specs {
					for _, name := range s.(*ast.ValueSpec).Names {
						constants[name.Name] = true
					}
				}
			}
		}
	}
	lines := 0
	for _, f := range p.files {
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isLog(call) {
				return true
			}
			lines++
			at, message := p.at.Position(call.Pos()), logMethods[call.Fun.(*ast.SelectorExpr).Sel.Name]
			if message >= 0 && !isConstant(call.Args[message], constants) {
				problem(at, "the message is not constant: move what changes into a key")
			}
			attrs := call.Args[message+1:]
			if call.Ellipsis.IsValid() || len(attrs)%2 != 0 {
				problem(at, "the keys cannot be read here: write each key and its value")
				return true
			}
			for i := 0; i < len(attrs); i += 2 {
				text, ok := attrs[i].(*ast.BasicLit)
				if !ok || text.Kind != token.STRING {
					problem(at, "a key is not a string literal")
					continue
				}
				name, _ := strconv.Unquote(text.Value) // the parser took it
				key(name, at)
			}
			return true
		})
	}
	return lines
}

// isLog reports whether a call writes to the log, or adds keys to a logger.
func isLog(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	message, ok := logMethods[f.Sel.Name]
	if !ok || len(call.Args) <= message || len(call.Args) == 0 {
		return false
	}
	var on string
	switch x := f.X.(type) {
	case *ast.Ident:
		on = x.Name
	case *ast.SelectorExpr:
		on = x.Sel.Name
	}
	if f.Sel.Name == "With" { // others have this method, too
		return slices.Contains([]string{"log", "Log", "logger", "Logger", "slog"}, on)
	}
	return on != "http"
}

// isConstant reports whether an expression is a string known to the compiler.
func isConstant(e ast.Expr, constants map[string]bool) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Kind == token.STRING
	case *ast.Ident:
		return constants[e.Name]
	case *ast.BinaryExpr:
		return isConstant(e.X, constants) && isConstant(e.Y, constants)
	}
	return false
}
