package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// call is the part of an envelope this tool needs. Other members of the envelope and of the context
// are ignored: a later Callgate may add some.
type call struct {
	Tool     string         `json:"tool"`
	Input    jsontext.Value `json:"input"`
	Config   jsontext.Value `json:"config"`
	Behavior string         `json:"behavior"`
	Rules    []struct {
		Content string `json:"content"`
	} `json:"rules"`
	Context struct {
		Targets []struct {
			Kind    string `json:"kind"`
			Value   string `json:"value"`
			Inside  string `json:"inside"`
			Claimed bool   `json:"claimed"`
			Error   string `json:"error"`
		} `json:"targets"`
	} `json:"context"`

	operation, target string
	dryRun            bool
	config            *string // nil when left out
	// stage and service are the target's, when isTarget.
	stage, service string
	isTarget       bool
	// wrong is why the input does not have the tool's shape; unknown means it has members besides.
	wrong   string
	unknown bool
}

// maxNesting is how many objects and lists may stand in one another.
const maxNesting = 1000

// read reads an envelope strictly: the package refuses repeated names, invalid UTF-8, lone
// surrogates and anything after the value.
func read(input []byte) (*call, error) {
	if tooDeep(input) { // first: reading takes stack for each level
		return nil, errors.New("envelope: nested too deep")
	}
	c := &call{}
	if err := json.Unmarshal(input, c); err != nil {
		return nil, fmt.Errorf("envelope: %w", err)
	}
	if c.Tool != "Deploy" && c.Tool != "deploy" {
		return nil, fmt.Errorf("the module has no tool %q", c.Tool)
	}
	if err := c.readInput(); err != nil {
		c.wrong = err.Error()
	}
	return c, nil
}

// tooDeep looks at possible JSON.
func tooDeep(data []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch b := data[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case !quoted && (b == '{' || b == '['):
			if depth++; depth > maxNesting {
				return true
			}
		case !quoted && (b == '}' || b == ']'):
			depth--
		}
	}
	return false
}

func (c *call) readInput() error {
	var members map[string]jsontext.Value
	if c.Input.Kind() != '{' {
		return errors.New("want an object")
	}
	if err := json.Unmarshal(c.Input, &members); err != nil {
		return err
	}
	for _, member := range []struct {
		name     string
		into     any
		kinds    string
		required bool
	}{
		{"operation", &c.operation, `"`, true}, {"target", &c.target, `"`, true}, {"dry_run", &c.dryRun, "tf", false}, {"config", &c.config, `"`, false},
	} {
		value, given := members[member.name]
		delete(members, member.name)
		switch {
		case !given || value.Kind() == 'n':
			if member.required {
				return fmt.Errorf("member %q is missing", member.name)
			}
		case !slices.Contains([]byte(member.kinds), byte(value.Kind())):
			return fmt.Errorf("member %q does not fit", member.name)
		default:
			if err := json.Unmarshal(value, member.into); err != nil {
				return fmt.Errorf("member %q: %w", member.name, err)
			}
		}
	}
	c.stage, c.service, c.isTarget = split(c.target, letters)
	c.unknown = len(members) > 0
	return nil
}

// production is the operator's name of production. An unreadable configuration counts as an
// impossible name.
func (c *call) production() (value any, given bool) {
	if len(c.Config) == 0 || c.Config.Kind() == 'n' {
		return nil, false
	}
	var members map[string]any
	if err := json.Unmarshal(c.Config, &members); err != nil {
		return nil, true
	}
	value, given = members["production"]
	return value, given
}
