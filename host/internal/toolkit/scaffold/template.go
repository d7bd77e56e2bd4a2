package scaffold

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// casesFile is the file for callgate tool test.
const casesFile = "cases.yaml"

// project are the files of a new project: contents by path.
func project(l language, o NewOptions) (map[string][]byte, error) {
	files := map[string][]byte{}
	if err := l.example(o.SDK, o.Name, files); err != nil {
		return nil, err
	}
	cases, err := fs.ReadFile(o.SDK, path.Join("deploy", casesFile))
	if err != nil {
		return nil, fmt.Errorf("the SDK: %w", err)
	}
	files[casesFile] = rename(cases, o.Name)
	for _, name := range l.beside {
		if files[name], err = fs.ReadFile(o.SDK, path.Join(l.from, name)); err != nil {
			return nil, fmt.Errorf("the SDK for %s: %w", l.Title, err)
		}
	}
	if l.Name == "go" {
		if err := goSDK(o.SDK, o.Name, files); err != nil {
			return nil, fmt.Errorf("the SDK for Go: %w", err)
		}
	}
	m := Manifest{Name: o.Name, Language: l.Name, Main: l.main(o.Name)}
	if _, is := files[m.Main]; !is && m.Main != "." {
		return nil, fmt.Errorf("the SDK for %s: no deploy%s in its example", l.Title, l.extension)
	}
	files[ManifestFile] = []byte(m.text())
	files["README.md"] = []byte(l.readme(o.Name))
	files[".gitignore"] = []byte(strings.Join(append([]string{"*.wasm"}, l.ignore...), "\n") + "\n")
	return files, nil
}

// main is the file or package to compile.
func (l language) main(name string) string {
	if l.Name == "go" {
		return "."
	}
	return name + l.extension
}

// source is the author's file, tests are its unit tests.
func (l language) source(name string) string { return name + l.extension }

func (l language) tests(name string) string {
	if slices.Contains(scripts, l.extension) {
		return name + ".test" + l.extension
	}
	return name + "_test" + l.extension
}

// example puts the files of the language's deploy example into files, under the
// project's name.
func (l language) example(sdk fs.FS, name string, files map[string][]byte) error {
	root := path.Join(l.from, "deploy")
	return fs.WalkDir(sdk, root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("the SDK for %s: %w", l.Title, err)
		}
		if d.IsDir() || !l.takes(p) {
			return nil
		}
		content, err := fs.ReadFile(sdk, p)
		if err != nil {
			return fmt.Errorf("the SDK for %s: %w", l.Title, err)
		}
		files[renameFile(strings.TrimPrefix(p, root+"/"), name)] = rename(content, name)
		return nil
	})
}

// scripts are the endings of the two languages with a common SDK.
var scripts = []string{".ts", ".js"}

// takes tells whether a file of the example belongs to a project of the language.
func (l language) takes(file string) bool {
	switch ending := path.Ext(file); {
	case ending == ".wasm" || ending == ".sh" || path.Base(file) == casesFile || path.Base(file) == "README.md":
		return false
	case l.from == "typescript" && slices.Contains(scripts, ending):
		return ending == l.extension
	}
	return true
}

var (
	// toolWord finds the name of the example's tool as a whole word.
	toolWord = regexp.MustCompile(`\bDeploy\b`)
	// fileWord finds the example's name in the names of its files.
	fileWord = regexp.MustCompile(`\bdeploy(_test\b|(?:\.test)?\.(?:c|go|js|rs|ts|wasm|wat)\b)`)
	// nameLine finds the lines with the example's name as the module's or the tool's; elsewhere
	// it is an operation, and stays.
	nameLine = regexp.MustCompile(`(?m)^.*(?:\b[nN]ame\b|\bModule\(|[aA]lias|Command |from "\./).*$`)
	nameWord = regexp.MustCompile(`\bdeploy\b`)
	// above is how the example, one directory below the SDK, names it.
	above = regexp.MustCompile(`\.\./callgate\b`)
)

// rename gives a text of the example the project's names.
func rename(text []byte, name string) []byte {
	text = toolWord.ReplaceAll(text, []byte(ToolName(name)))
	text = fileWord.ReplaceAll(text, []byte(name+"$1"))
	text = nameLine.ReplaceAllFunc(text, func(line []byte) []byte { return nameWord.ReplaceAll(line, []byte(name)) })
	return above.ReplaceAll(text, []byte("./callgate"))
}

// renameFile is rename for the name of a file.
func renameFile(file, name string) string {
	return string(fileWord.ReplaceAll([]byte(file), []byte(name+"$1")))
}
