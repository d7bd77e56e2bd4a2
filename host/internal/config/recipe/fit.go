package recipe

import (
	"os"
	"path/filepath"
)

// marks are files typical for a kind of project, and the recipe for it; with several, or another
// one, it is "developer".
var marks = []struct {
	recipe string
	files  []string
}{
	{"go-project", []string{"go.mod", "go.work"}},
	{"node-project", []string{"package.json"}},
	{"python-project", []string{"pyproject.toml", "setup.py", "requirements.txt", "uv.lock"}},
	{"developer", []string{
		"Cargo.toml", "Makefile", "justfile", "Taskfile.yml", "mise.toml", "pom.xml", "build.gradle", "build.gradle.kts", "Package.swift", "pubspec.yaml", "mix.exs", "Gemfile", "composer.json", "deno.json",
		"CMakeLists.txt", "global.json",
	}},
}

// Fitting names the recipe for a directory; ok is false without a sign of one. It looks at names
// alone.
func Fitting(dir string) (r Recipe, ok bool) {
	var name string
	for _, m := range marks {
		for _, file := range m.files {
			if info, err := os.Lstat(filepath.Join(dir, file)); err != nil || !info.Mode().IsRegular() {
				continue
			}
			switch name {
			case "", m.recipe:
				name = m.recipe
			default:
				name = "developer"
			}
		}
	}
	if name == "" {
		return Recipe{}, false
	}
	return read(name), true
}
