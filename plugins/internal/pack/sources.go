package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// guests is the list of the first-party modules: a name and a package on each line.
const guests = "plugins/dist/guests.txt"

// sourceNote is "sources " and a sum over everything the modules are compiled from, except for the
// compiler and its standard library: the files of this module's packages and the versions of the
// others. Other requirements of go.mod do not change it.
func sourceNote() (string, error) {
	text, err := os.ReadFile(guests)
	if err != nil {
		return "", err
	}
	args := []string{"list", "-deps", "-json=ImportPath,Dir,Standard,Module,GoFiles,EmbedFiles"}
	for line := range strings.Lines(string(text)) {
		_, pkg, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found {
			return "", fmt.Errorf("%s: %q: want a name and a package", guests, line)
		}
		args = append(args, pkg)
	}
	list := exec.Command("go", args...)
	list.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := list.Start(); err != nil {
		return "", err
	}
	sum := sha256.New()
	err = sumOf(json.NewDecoder(out), sum)
	if err := errors.Join(err, list.Wait()); err != nil {
		return "", err
	}
	return "sources " + hex.EncodeToString(sum.Sum(nil)), nil
}

func sumOf(packages *json.Decoder, sum io.Writer) error {
	for {
		var p struct {
			ImportPath, Dir     string
			Standard            bool
			GoFiles, EmbedFiles []string
			Module              struct {
				Path, Version string
				Main          bool
			}
		}
		switch err := packages.Decode(&p); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case p.Standard:
			continue
		case !p.Module.Main:
			_, _ = fmt.Fprintf(sum, "%s %s@%s\n", p.ImportPath, p.Module.Path, p.Module.Version)
			continue
		}
		for _, name := range append(p.GoFiles, p.EmbedFiles...) {
			data, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return err
			}
			_, _ = fmt.Fprintf(sum, "%s/%s %d\n%s\n", p.ImportPath, name, len(data), data)
		}
	}
}
