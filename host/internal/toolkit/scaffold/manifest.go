package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// ManifestFile is the file that makes a directory a project.
const ManifestFile = "callgate-tool.yaml"

// Manifest is a project's description, in ManifestFile.
type Manifest struct {
	// Name is the module's file name without .wasm.
	Name string `yaml:"name" json:"name"`
	// Language is a name or alias of Languages.
	Language string `yaml:"language" json:"language"`
	// Main is the file to compile, relative to the project; in Go the package's directory.
	Main string `yaml:"main" json:"main"`
}

func (m Manifest) text() string {
	return fmt.Sprintf("# What callgate tool build and callgate tool test read.\nname: %s\nlanguage: %s\nmain: %s\n", m.Name, m.Language, m.Main)
}

// ReadManifest reads the manifest of the project in dir. Unknown keys are errors,
// and main must be a file or directory inside the project.
func ReadManifest(dir string) (Manifest, error) {
	m, _, err := readProject(dir)
	return m, err
}

func readProject(dir string) (Manifest, language, error) {
	var m Manifest
	path := filepath.Join(dir, ManifestFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, language{}, fmt.Errorf("%s is no project of a tool module: it has no %s; begin one with: callgate tool new --lang go NAME", dir, ManifestFile)
	}
	if err != nil {
		return m, language{}, err
	}
	if _, err := strictyaml.Decode(path, data, &m); err != nil {
		return m, language{}, err
	}
	if err := checkName(m.Name, nil); err != nil {
		return m, language{}, fmt.Errorf("%s: name: %w", path, err)
	}
	l, err := find(m.Language)
	if err != nil {
		return m, language{}, fmt.Errorf("%s: language: %w", path, err)
	}
	if !filepath.IsLocal(m.Main) {
		return m, language{}, fmt.Errorf("%s: main: %q is no path inside the project", path, m.Main)
	}
	if _, err := os.Stat(filepath.Join(dir, m.Main)); err != nil {
		return m, language{}, fmt.Errorf("%s: main: %w", path, err)
	}
	return m, l, nil
}
