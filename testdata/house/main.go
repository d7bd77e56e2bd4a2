// Command house prints the figures of the structure: how many packages, names, lines and
// functions there are, how many an allowed `ls -la` runs, and how long a build takes.
//
//	make house            in the current tree
//	make house QUICK=1    without the two that build
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "without what builds")
	flag.Parse()
	if err := run(*quick); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
}

func run(quick bool) error {
	h, err := read()
	if err != nil {
		return err
	}
	fmt.Printf("packages one level below host/            %d (%s); rooms inside internal: %d (%s)\n", len(h.doors), strings.Join(h.doors, " "), len(h.rooms), strings.Join(h.rooms, " "))
	fmt.Printf("exported names outside internal           %d (with methods %d)\n", h.names, h.names+h.methods)
	fmt.Printf("product lines of Go                       %d of code, %d with comments and blanks\n", h.code, h.lines)
	fmt.Printf("exported methods of Gate                  %d\n", h.gate)
	slices.Sort(h.functions)
	n := len(h.functions)
	fmt.Printf("functions: longest, p90, p50              %d, %d, %d lines of %d functions\n", h.functions[n-1], h.functions[n*9/10], h.functions[n/2], n)
	if quick {
		return nil
	}
	functions, files, err := flow()
	if err != nil {
		return err
	}
	fmt.Printf("functions run by an allowed `ls -la`      %d in %d files\n", functions, files)
	took, err := rebuild()
	fmt.Printf("go build ./... after a change in engine   %.1f s\n", took.Seconds())
	return err
}

// house is what the sources say.
type house struct {
	doors, rooms               []string
	names, methods, gate       int
	code, lines                int
	functions                  []int
	seenDoors, seenRooms, seen map[string]bool
}

// read looks at each Go file of the product: not at tests, their helpers, or testdata.
func read() (*house, error) {
	h := &house{seenDoors: map[string]bool{}, seenRooms: map[string]bool{}}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{".git", "bin", "testdata", "testkit"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		return h.add(path)
	})
	slices.Sort(h.doors)
	slices.Sort(h.rooms)
	return h, err
}

func (h *house) add(path string) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, src, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	h.lines += bytes.Count(src, []byte{'\n'})
	h.code += codeLines(src)
	parts := strings.Split(path, "/")
	if parts[0] == "host" && len(parts) > 2 && !h.seenDoors[parts[1]] {
		h.seenDoors[parts[1]] = true
		h.doors = append(h.doors, parts[1])
	}
	if len(parts) > 3 && parts[0] == "host" && parts[1] == "internal" && !h.seenRooms[parts[2]] {
		h.seenRooms[parts[2]] = true
		h.rooms = append(h.rooms, parts[2])
	}
	public := file.Name.Name != "main" && !slices.Contains(parts, "internal")
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			if g, ok := d.(*ast.GenDecl); ok && public {
				h.names += exportedSpecs(g)
			}
			continue
		}
		h.functions = append(h.functions, set.Position(f.End()).Line-set.Position(f.Pos()).Line+1)
		receiver := receiverOf(f)
		switch {
		case !f.Name.IsExported():
		case receiver == "Gate" && filepath.Base(filepath.Dir(path)) == "gate":
			h.gate++
		case public && receiver == "":
			h.names++
		case public && ast.IsExported(receiver):
			h.methods++
		}
	}
	return nil
}

func receiverOf(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return "?"
}

func exportedSpecs(g *ast.GenDecl) (n int) {
	for _, s := range g.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				n++
			}
		case *ast.ValueSpec:
			for _, name := range s.Names {
				if name.IsExported() {
					n++
				}
			}
		}
	}
	return n
}

// codeLines counts the lines on which a token that is no comment begins or goes on.
func codeLines(src []byte) int {
	var s scanner.Scanner
	set := token.NewFileSet()
	file := set.AddFile("", set.Base(), len(src))
	s.Init(file, src, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		first := file.Line(pos)
		for l := range 1 + strings.Count(text, "\n") {
			lines[first+l] = true
		}
	}
}

// flow counts the functions that an allowed `ls -la` runs in the daemon beyond an idle one.
func flow() (functions, files int, err error) {
	dir, err := os.MkdirTemp("", "callgate-house-")
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }() // a temporary directory
	program := filepath.Join(dir, "callgate")
	if err := command(nil, "go", "build", "-cover", "-coverpkg=./...", "-o", program, "./cmd/callgate").Run(); err != nil {
		return 0, 0, fmt.Errorf("go build -cover: %w", err)
	}
	idle, err := covered(dir, program, false)
	if err != nil {
		return 0, 0, err
	}
	busy, err := covered(dir, program, true)
	in := map[string]bool{}
	for f := range busy {
		if !idle[f] {
			functions++
			file, _, _ := strings.Cut(f, ".go:")
			in[file] = true
		}
	}
	return functions, len(in), err
}

// covered are the functions that a daemon ran from its start to its end.
func covered(dir, program string, check bool) (map[string]bool, error) {
	name := fmt.Sprintf("check-%t", check)
	data, home := filepath.Join(dir, name), filepath.Join(dir, name+"-home")
	for _, d := range []string{data, home} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home + "/config", "XDG_STATE_HOME=" + home + "/state", "XDG_CACHE_HOME=" + dir + "/cache"}
	serve := command(append(env, "GOCOVERDIR="+data), program, "serve")
	serve.Stdin, serve.Stderr = nil, nil
	log, err := serve.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := serve.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.Contains(lines.Text(), "all tool modules are ready") {
	}
	go func() {
		for lines.Scan() {
		}
	}()
	if check {
		other := filepath.Join(dir, "client")
		_ = os.MkdirAll(other, 0o700) // the command says what is wrong with it
		if out, err := command(append(env, "GOCOVERDIR="+other), program, "check", "Bash", `{"command": "ls -la"}`).Output(); err != nil {
			return nil, fmt.Errorf("callgate check: %w: %s", err, out)
		}
	}
	if err := serve.Process.Signal(os.Interrupt); err != nil {
		return nil, err
	}
	var failed *exec.ExitError
	if err := serve.Wait(); err != nil && !errors.As(err, &failed) {
		return nil, err
	}
	out, err := command(nil, "go", "tool", "covdata", "func", "-i="+data).Output()
	if err != nil {
		return nil, fmt.Errorf("go tool covdata: %w", err)
	}
	ran := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) == 3 && f[2] != "0.0%" && strings.Contains(f[0], ".go:") {
			ran[f[0]+f[1]] = true
		}
	}
	return ran, nil
}

// rebuild times go build ./... after a change in engine, with the rest built.
func rebuild() (time.Duration, error) {
	const file = "engine/house_figure.go"
	defer func() { _ = os.Remove(file) }() // go vet says when it is left
	if err := command(nil, "go", "build", "./...").Run(); err != nil {
		return 0, err
	}
	text := fmt.Sprintf("package engine\n\n// HouseFigure is a change.\nconst HouseFigure = %d\n", time.Now().UnixNano())
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return 0, err
	}
	begin := time.Now()
	err := command(nil, "go", "build", "./...").Run()
	return time.Since(begin), err
}

func command(env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), name, args...)
	cmd.Env = append(os.Environ(), env...)
	return cmd
}
