package claudecode

import (
	"path/filepath"
	"slices"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/host/internal/hook/runner"
)

// Plans are the directories of the client's plans. In mode plan the agent must write its plan into
// a file there, for the client's user: then the client's mode does not tighten the operator's, and
// the operator's mode decides as for any other file.
type Plans []string

// plan is the client's mode for writing nothing else.
const plan = "plan"

// written reports whether a call writes a plan: a file NAME.md directly in one of the directories.
// The gate resolves the path.
func (d Plans) written(p payload) bool {
	if p.Mode != plan || p.Tool != "Write" && p.Tool != "Edit" {
		return false
	}
	var in struct {
		Path runner.Text `json:"file_path"`
	}
	if jsonv2.Unmarshal(p.Input, &in) != nil || !filepath.IsAbs(string(in.Path)) {
		return false
	}
	path := filepath.Clean(string(in.Path))
	return filepath.Ext(path) == ".md" && slices.Contains(d, filepath.Dir(path))
}
