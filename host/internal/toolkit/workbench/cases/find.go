package cases

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ErrNone means: there is no file of cases.
var ErrNone = errors.New("there are no cases")

// Template is a file of cases to begin with.
const Template = `- name: the first call
  input: {}
`

// Find returns the file of cases beside a module, NAME.cases.yaml or cases.yaml. Without one
// the error, with advice on writing one, is an ErrNone.
func Find(module string) (string, error) {
	own := strings.TrimSuffix(module, filepath.Ext(module)) + ".cases.yaml"
	for _, file := range []string{own, filepath.Join(filepath.Dir(module), "cases.yaml")} {
		switch info, err := os.Stat(file); {
		case err == nil && info.Mode().IsRegular():
			return file, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	return "", fmt.Errorf("%w: write %s, or cases.yaml beside the module, such as\n\n%s\nwith an input of your tool; `callgate tool test --update` then writes what the module answers to it", ErrNone, own, Template)
}

// Read reads a file of cases.
func Read(file string) ([]Case, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return Parse(file, data)
}
