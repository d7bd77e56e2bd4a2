// Command language measures the prose of the repository: how often, in 1,000 words, it
// uses the constructions that make a sentence hard to read.
//
//	make language          one line for the comments of the product's Go, one for the documents
//	make language FILES=1  the worst files as well
//	make language CHECK=1  exit 1 when the comments miss an aim
package main

import (
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// measures are the columns. The aim is a bound for the comments of Go, per 1,000 words;
// a measure without one is printed only.
var measures = []struct {
	name    string
	pattern *regexp.Regexp
	aim     float64
}{
	{"relative", regexp.MustCompile(`(?i)\b(?:what|which|that|whose)\b`), 20},
	{"nobody", regexp.MustCompile(`(?i)\b(?:nobody|whoever|somebody|whatever)\b`), 0.3},
	{"told", regexp.MustCompile(`(?i)\b(?:tells?|told)\b`), 0},
	{"is told", regexp.MustCompile(`(?i)\bis (?:asked|told|given|taken|put|left)\b`), 0.3},
}

var word = regexp.MustCompile(`[A-Za-z][A-Za-z'-]*`)

// count is what one text or set of texts holds.
type count struct {
	file  string
	words int
	hits  [4]int
}

func main() {
	files := flag.Int("files", 0, "also print so many files with the most relative clauses")
	check := flag.Bool("check", false, "exit 1 when the comments miss an aim")
	flag.Parse()
	missed, err := run(*files, *check)
	if err != nil {
		fmt.Fprintln(os.Stderr, "language:", err)
		os.Exit(1)
	}
	if missed {
		os.Exit(1)
	}
}

func run(files int, check bool) (missed bool, err error) {
	comments, documents := count{file: "Go comments"}, count{file: "documents"}
	var each []count
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && slices.Contains([]string{".git", "bin", "node_modules", "testdata"}, d.Name()) {
				return fs.SkipDir
			}
			return err
		}
		var c count
		switch filepath.Ext(path) {
		case ".go":
			if strings.HasSuffix(path, "_test.go") {
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			c = measure(path, commentsOf(text))
			comments.add(c)
		case ".md":
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			c = measure(path, proseOf(string(text)))
			documents.add(c)
		default:
			return nil
		}
		each = append(each, c)
		return nil
	})
	if err != nil {
		return false, err
	}
	fmt.Printf("%-12s %9s", "per 1,000", "words")
	for _, m := range measures {
		fmt.Printf(" %9s", m.name)
	}
	fmt.Println()
	comments.print()
	documents.print()
	if files > 0 {
		slices.SortFunc(each, func(a, b count) int { return b.hits[0] - a.hits[0] })
		for _, c := range each[:min(files, len(each))] {
			c.print()
		}
	}
	for i, m := range measures {
		if got := comments.rate(i); m.aim > 0 && got > m.aim {
			missed = check
			fmt.Printf("Go comments: %s %.2f, aim %v\n", m.name, got, m.aim)
		}
	}
	return missed, nil
}

func measure(file, text string) count {
	c := count{file: file, words: len(word.FindAllString(text, -1))}
	for i, m := range measures {
		c.hits[i] = len(m.pattern.FindAllString(text, -1))
	}
	return c
}

func (c *count) add(o count) {
	c.words += o.words
	for i := range c.hits {
		c.hits[i] += o.hits[i]
	}
}

func (c *count) rate(i int) float64 { return 1000 * float64(c.hits[i]) / float64(max(c.words, 1)) }

func (c *count) print() {
	fmt.Printf("%-12s %9d", c.file, c.words)
	for i := range c.hits {
		fmt.Printf(" %9.2f", c.rate(i))
	}
	fmt.Println()
}

// commentsOf joins the comments of a Go file, without directives.
func commentsOf(text []byte) string {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, scanner.ScanComments)
	var out strings.Builder
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return out.String()
		}
		if kind == token.COMMENT && !strings.HasPrefix(literal, "//go:") {
			out.WriteString(literal)
			out.WriteByte('\n')
		}
	}
}

var (
	fence  = regexp.MustCompile("(?ms)^[ \t]*```.*?^[ \t]*```")
	inline = regexp.MustCompile("`[^`\n]*`")
)

// proseOf is a document without its code.
func proseOf(text string) string {
	var out strings.Builder
	for line := range strings.Lines(fence.ReplaceAllString(text, "")) {
		if !strings.HasPrefix(line, "    ") {
			out.WriteString(inline.ReplaceAllString(line, ""))
		}
	}
	return out.String()
}
