package file

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// patchInput changes several files by one text. Source: the apply_patch tool of
// Codex (command, input, patch) and OpenCode (patchText).
type patchInput struct {
	Command   *string `json:"command"`
	Input     *string `json:"input"`
	Patch     *string `json:"patch"`
	PatchText *string `json:"patchText"`
	// Explanation is prose that VS Code sends along.
	Explanation string `json:"explanation"`
}

func (p patchInput) text() (string, error) {
	var given []string
	for _, spelling := range []*string{p.Command, p.Input, p.Patch, p.PatchText} {
		if spelling != nil {
			given = append(given, *spelling)
		}
	}
	if len(given) != 1 {
		return "", fmt.Errorf("the call holds %d patches, want one", len(given))
	}
	return given[0], nil
}

func (p patchInput) files() ([]string, error) {
	text, err := p.text()
	if err != nil {
		return nil, err
	}
	return patched(text)
}

func (p patchInput) preview() (text, language string) {
	text, _ = p.text() // files tells what is wrong with it
	return text, "diff"
}

// deleted are the files that the patch deletes. Those that it moves are still there.
func (p patchInput) deleted() (files []string) {
	text, _ := p.text() // files tells what is wrong with it
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), fileHeaders[2]); ok {
			files = append(files, name)
		}
	}
	return files
}

// The lines of a patch that are no text of a file.
const (
	patchBegins = "*** Begin Patch"
	patchEnds   = "*** End Patch"
	fileEnds    = "*** End of File"
)

var fileHeaders = []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "}

// patched returns the files that a patch names. What a more forgiving reader
// might take for one more header makes it an error.
func patched(text string) ([]string, error) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < 3 || lines[0] != patchBegins || lines[len(lines)-1] != patchEnds {
		return nil, errors.New(`the patch is not one between "*** Begin Patch" and "*** End Patch"`)
	}
	var files []string
	for _, line := range lines[1 : len(lines)-1] {
		header, name := fileHeader(line)
		switch {
		case header:
			if name == "" || strings.TrimSpace(name) != name {
				return nil, errors.New("a file of the patch has no plain name")
			}
			if !slices.Contains(files, name) {
				files = append(files, name)
			}
		case strings.HasPrefix(strings.TrimSpace(line), "***") && line != fileEnds:
			return nil, fmt.Errorf("the patch has a line that may mean another file: %.80q", line)
		case strings.ContainsAny(line, "\r\x00\x1c\x1d\x1e\u0085\u2028\u2029\v\f"):
			return nil, errors.New("the patch holds a control character")
		case line != "" && !strings.ContainsRune("+- @", rune(line[0])) && line != fileEnds:
			return nil, fmt.Errorf("the patch has a line of no known kind: %.80q", line)
		case len(files) == 0:
			return nil, errors.New("the patch begins without a file")
		}
	}
	switch {
	case len(files) == 0:
		return nil, errors.New("the patch names no file")
	case len(files) > maxFiles:
		return nil, errors.New("the patch changes too many files")
	}
	return files, nil
}

func fileHeader(line string) (header bool, name string) {
	for _, prefix := range fileHeaders {
		if name, ok := strings.CutPrefix(line, prefix); ok {
			return true, name
		}
	}
	return false, ""
}
