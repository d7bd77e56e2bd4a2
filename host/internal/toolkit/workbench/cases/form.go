package cases

import (
	"encoding/json"
)

// form is a case as it stands in a file. The comments of the members are in the
// guide, docs/write-a-tool.md.
type form struct {
	Name string `yaml:"name"`
	Tool string `yaml:"tool"`

	Input    json.RawMessage `yaml:"input"`
	RawInput *string         `yaml:"raw_input"`
	// RawBase64 is for bytes outside any YAML text.
	RawBase64 *string `yaml:"raw_input_base64"`

	CWD                string            `yaml:"cwd"`
	WorkingDirectories *[]string         `yaml:"working_directories"`
	Home               string            `yaml:"home"`
	Mode               string            `yaml:"mode"`
	Config             json.RawMessage   `yaml:"config"`
	Links              map[string]string `yaml:"links"`
	Targets            json.RawMessage   `yaml:"targets"`
	TargetsUnknown     *bool             `yaml:"targets_unknown"`

	Error       bool            `yaml:"error"`
	Check       json.RawMessage `yaml:"check"`
	ReadOnly    json.RawMessage `yaml:"read_only"`
	Match       []matchForm     `yaml:"match"`
	Suggestions json.RawMessage `yaml:"suggestions"`
	Describe    json.RawMessage `yaml:"describe"`
}

type matchForm struct {
	Behavior string          `yaml:"behavior"`
	Rules    *[]string       `yaml:"rules"`
	Root     string          `yaml:"root"`
	Matched  json.RawMessage `yaml:"matched"`
}
