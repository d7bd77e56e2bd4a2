package target

import (
	"cmp"
	"path"
	"strings"
)

// toolFiles are configuration files of other programs naming programs to run, looked for in
// every directory from a target upwards, and not without dir. Words nil means: the file's
// presence is enough. Source: threat T19.
var toolFiles = []struct {
	dir, name string
	words     []string
}{
	{".cargo", ".cargo/config.toml", cargoWords},
	{".cargo", ".cargo/config", cargoWords},
	{"", "rust-toolchain", nil},
	{"", "rust-toolchain.toml", nil},
	{"", "global.json", []string{"paths", `\`}}, // where dotnet takes its SDK from
	{"", ".npmrc", npmWords},
	{"", ".yarnrc", []string{"yarn-path"}},
	{"", ".yarnrc.yml", []string{"yarnPath", "plugins"}},
}

// cargoWords stand in cargo's keys for programs to run. A key may be written with escapes,
// hence the backslash.
var cargoWords = []string{"wrapper", "rustc", "rustdoc", "runner", "linker", "alias", "credential", "include", "env", `\`}

var npmWords = []string{
	"node-options", "node_options", "script-shell", "script_shell", "shell", "git", "editor", "viewer", "onload-script",
	"onload_script", "init-module", "init_module", "globalconfig", "prefix", `\`,
}

func (w *walker) toolsHere(dir string, lacks lacks) []string {
	var dirty []string
	for _, file := range toolFiles {
		if lacks.name(cmp.Or(file.dir, file.name)) || file.dir != "" && w.look(below(dir, file.dir)).err != nil {
			continue
		}
		if w.runs(below(dir, file.name), file.words) {
			dirty = append(dirty, file.name)
		}
	}
	return dirty
}

// goSettings looks at the go command's own settings file, written by `go env -w` and obeyed by
// every go command.
func (w *walker) goSettings(home string) []string {
	if !path.IsAbs(home) {
		return nil
	}
	for _, name := range []string{".config/go/env", "Library/Application Support/go/env"} {
		if w.runs(path.Join(home, name), []string{"-toolexec", "-exec", "-overlay", "CC=", "CXX=", "AR=", "FC=", "PKG_CONFIG=", "GOROOT="}) {
			return []string{"go/env"}
		}
	}
	return nil
}

// runs reports whether a file exists and speaks of running something. An unreadable one counts.
func (w *walker) runs(name string, words []string) bool {
	text, state := w.config(name)
	if state == absent {
		return false
	}
	if state == unreadable || words == nil {
		return true
	}
	for _, word := range words {
		if strings.Contains(text, word) {
			return true
		}
	}
	return false
}
