package service

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/callgate/callgate/host/internal/machine/boundary"
)

// record is the result of an installation, in the order of its steps.
type record struct {
	Version   int            `json:"version"`
	Level     boundary.Level `json:"level"`
	Agent     string         `json:"agent,omitempty"`
	Approvers []string       `json:"approvers,omitempty"`
	Binary    string         `json:"binary"`
	Hook      string         `json:"hook,omitempty"` // of the managed settings; empty is Binary
	BinaryDir string         `json:"binary_dir"`
	Made      []made         `json:"made"`
}

// made is one result of the installation.
type made struct {
	Kind what   `json:"kind"`
	Path string `json:"path"`
	Mode string `json:"mode,omitempty"`
	// Owner is an account's name.
	Owner string `json:"owner,omitempty"`
	// Sum is the SHA-256 of a file's content; empty when its content may change.
	Sum string `json:"sha256,omitempty"`
	// Kept marks data a person may want to keep: only a purge removes it.
	Kept bool `json:"kept,omitempty"`
	// Before is the file's former content, when there was one.
	Before *string `json:"before,omitempty"`
}

// what is the kind of result.
type what string

const (
	madeAccount   what = "account"
	madeDirectory what = "directory"
	madeFile      what = "file"
	madeSettings  what = "settings"
	madeService   what = "service"
)

const recordVersion = 1

// readRecord reads the record; a missing one is nil.
func readRecord(path string) (*record, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("record of the installation: %w", err)
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("record of the installation %s: %w: not written by callgate; move it away", path, err)
	}
	if r.Version != recordVersion {
		return nil, fmt.Errorf("record of the installation %s: version %d was written by another version of callgate; use that version", path, r.Version)
	}
	return &r, nil
}

// installed reports whether it holds more than the data an uninstall keeps.
func (r *record) installed() bool {
	return r != nil && slices.ContainsFunc(r.Made, func(m made) bool { return !m.Kept })
}

// find returns the result at a path.
func (r *record) find(kind what, path string) (made, bool) {
	if r != nil {
		for _, m := range r.Made {
			if m.Kind == kind && m.Path == path {
				return m, true
			}
		}
	}
	return made{}, false
}

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}
