package bash

import (
	"path"
	"slices"
	"strings"
)

// A line may write a file and then run it. A deny or ask rule about a program looks into such
// texts, as it looks into the script of sh -c: echo 'rm x' > s; sh s. A file may run by its
// path, or because a program reads it: make its Makefile, npm its package.json, git its hooks,
// and a runner of the project's code any file of it.

// heeded are names of files, and of directories of files, with commands that programs run by
// themselves.
var heeded = []string{
	"makefile", "gnumakefile", "justfile", ".justfile", "taskfile.yml", "taskfile.yaml", "rakefile", "package.json", "deno.json", "composer.json", "setup.py", "conftest.py", "build.rs", "build.gradle",
	"build.gradle.kts", "pom.xml", "cmakelists.txt", "meson.build", "build.ninja", "tox.ini", "noxfile.py", "procfile", "dockerfile", "compose.yaml", "docker-compose.yml", "vagrantfile", ".pre-commit-config.yaml",
	"lefthook.yml", "hooks", ".husky", ".githooks", ".envrc", ".bashrc", ".zshrc", ".profile", ".gitconfig", "config",
}

// proseFiles are endings of files for people, run by nothing.
var proseFiles = []string{".md", ".txt", ".rst", ".adoc", ".log", ".csv"}

// compilers make programs of sources.
var compilers = []string{"go", "gcc", "g++", "cc", "c++", "clang", "clang++", "rustc", "ld", "as", "javac", "kotlinc", "swiftc", "ghc", "nim", "zig", "tsc", "dmd", "ocamlfind", "fpc", "gfortran", "nvcc", "emcc", "tinygo", "protoc"}

// maxWrittenWords bounds the words of the texts written by one line.
const maxWrittenWords = 16 << 10

// written returns the words of texts written to files by the line and possibly run by it.
// unread means: it may run one with a text from elsewhere. Kept, because every rule needs them.
// RATIONALE.md, "Why is what a line writes read as a script?".
func (l *Line) written() (code [][]string, unread bool) {
	if l.writtenRead {
		return l.writtenTexts, l.unread
	}
	l.writtenRead = true
	for i, cmd := range l.Commands {
		for _, t := range l.touches(cmd) {
			if t.access != write || t.removes || l.harmless(t.path) || !l.runsLater(i+1, t) {
				continue
			}
			text, known := writtenBy(cmd, t)
			if !known && (heeds(t.path) || l.runsPath(i+1, t)) {
				l.unread = true
			}
			if words := strings.FieldsFunc(text, betweenWords); len(words) <= maxWrittenWords {
				l.writtenTexts = append(l.writtenTexts, words)
			} else {
				l.unread = true
			}
		}
	}
	return l.writtenTexts, l.unread
}

// writtenBy returns the text written to a file by a command, as far as the line shows it; known
// is false where it comes from elsewhere.
func writtenBy(cmd *Command, t touch) (text string, known bool) {
	parts := append(texts(cmd.Args()), cmd.Fed)
	known = t.path != "" && !slices.ContainsFunc(cmd.Args(), func(w Word) bool { return !w.Literal })
	if cmd.Input != nil {
		parts = append(parts, cmd.Input.Text)
		known = known && cmd.Input.Literal
	}
	switch cmd.Name() {
	case "echo", "printf", "sed", "gsed", "awk", "gawk", "mawk", "touch", "mkdir", "chmod", "truncate":
	case "cat", "tee", "":
		_, said := said(cmd)
		known = known && (said || cmd.Input != nil && cmd.Input.Literal)
	default:
		// A build's product belongs to the project, as its code does.
		known = slices.Contains(compilers, cmd.Name()) || len(cmd.Words) > 0 && cmd.Use().Row().Project
	}
	return escapedBlanks.Replace(strings.Join(parts, " ")), known
}

// escapedBlanks are the blanks written by printf and echo for their escapes.
var escapedBlanks = strings.NewReplacer(`\n`, "\n", `\t`, " ", `\r`, " ", `\f`, " ", `\v`, " ", `\x20`, " ", `\040`, " ", `\x0a`, "\n", `\012`, "\n", `\0`, " ")

// runsLater reports whether a command from the index on may run a written file.
func (l *Line) runsLater(from int, t touch) bool {
	if l.runsPath(from, t) {
		return true
	}
	if slices.Contains(proseFiles, strings.ToLower(path.Ext(t.path))) && !heeds(t.path) {
		return false
	}
	return slices.ContainsFunc(l.Commands[min(from, len(l.Commands)):], func(cmd *Command) bool {
		if len(cmd.Words) == 0 {
			return false
		}
		u := cmd.Use()
		if reads, _ := u.ReadsOnly(); reads {
			return false
		}
		return u.Row().Project || u.Row().Terminal || u.Row().Verb || !u.Known || u.Program == "git" && heeds(t.path)
	})
}

// runsPath reports whether a command from the index on names the file to run it, or goes to an
// unknown place.
func (l *Line) runsPath(from int, t touch) bool {
	return slices.ContainsFunc(l.Commands[min(from, len(l.Commands)):], func(cmd *Command) bool {
		return slices.ContainsFunc(l.touches(cmd), func(r touch) bool {
			return r.access == run && (r.path == "" && r.word.Text != "" || t.path != "" && path.Clean(r.path) == path.Clean(t.path))
		})
	})
}

// heeds reports whether programs run the contents of a file by themselves.
func heeds(p string) bool {
	return slices.ContainsFunc(strings.Split(strings.ToLower(p), "/"), func(name string) bool {
		return slices.Contains(heeded, name) || strings.HasSuffix(name, ".mk")
	})
}
