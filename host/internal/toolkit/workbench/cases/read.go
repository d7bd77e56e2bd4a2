package cases

import (
	"encoding/base64"
	"fmt"
	"path"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/modules/trial"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// MaxFile is the largest file of cases, in bytes.
const MaxFile = 16 << 20

// Parse reads the cases of a file; file is its name in errors, all reported at once with line
// and member.
func Parse(file string, data []byte) ([]Case, error) {
	if len(data) > MaxFile {
		return nil, fmt.Errorf("%s: %d bytes: at most %d", file, len(data), MaxFile)
	}
	var forms []form
	places, err := strictyaml.Decode(file, data, &forms)
	if err != nil {
		return nil, err
	}
	r := reader{List: strictyaml.List{File: file}, places: places}
	cases := make([]Case, len(forms))
	seen := map[string]int{}
	for i := range forms {
		r.at = fmt.Sprintf("[%d]", i)
		cases[i] = r.read(&forms[i])
		cases[i].File, cases[i].Line = file, places.Of(r.at).Line
		if first, twice := seen[forms[i].Name]; twice {
			r.wrong("name", "%q is the name of the case on line %d as well: every case needs its own", forms[i].Name, first)
		}
		seen[forms[i].Name] = cases[i].Line
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return cases, nil
}

// reader reads one case after the other and gathers the errors.
type reader struct {
	strictyaml.List
	places strictyaml.Places
	at     string // the case's own place
}

func (r *reader) wrong(field, format string, args ...any) {
	field = r.at + "." + field
	r.Add(r.places.Of(field), field, format, args...)
}

func (r *reader) read(f *form) Case {
	c := Case{Name: f.Name, mustFail: f.Error, Call: trial.Call{
		Tool: f.Tool, CWD: r.absolute("cwd", f.CWD), Home: r.absolute("home", f.Home),
		Mode: f.Mode, Config: f.Config, Links: f.Links, TargetsUnknown: f.TargetsUnknown,
	}}
	if f.Name == "" {
		r.wrong("name", "missing: say in some words what the case shows")
	}
	if f.WorkingDirectories != nil {
		c.Call.WorkingDirectories = []string{}
		for _, dir := range *f.WorkingDirectories {
			c.Call.WorkingDirectories = append(c.Call.WorkingDirectories, r.absolute("working_directories", dir))
		}
	}
	if _, err := engine.ParseMode(f.Mode); err != nil && f.Mode != "" {
		r.wrong("mode", "%v", err)
	}
	for at := range f.Links {
		r.absolute("links", at)
	}
	r.input(f, &c)
	r.targets(f, &c)
	r.wants(f, &c)
	return c
}

func (r *reader) absolute(field, dir string) string {
	if dir != "" && !path.IsAbs(dir) {
		r.wrong(field, "%q is not an absolute path", dir)
	}
	return dir
}

// input reads a case's input, in one of three forms.
func (r *reader) input(f *form, c *Case) {
	given := 0
	if f.Input != nil {
		given++
		if !strings.HasPrefix(string(f.Input), "{") {
			r.wrong("input", "want a mapping: a tool's input is an object (raw_input takes any text)")
		}
		c.Call.Input = f.Input
	}
	if f.RawInput != nil {
		given++
		c.Call.Raw = append([]byte{}, *f.RawInput...)
	}
	if f.RawBase64 != nil {
		given++
		raw, err := base64.StdEncoding.DecodeString(*f.RawBase64)
		if err != nil {
			r.wrong("raw_input_base64", "not base64: %v", err)
		}
		c.Call.Raw = append([]byte{}, raw...)
	}
	if given != 1 {
		r.wrong("input", "want one of input (a mapping), raw_input (text) and raw_input_base64 (bytes), got %d of them", given)
	}
}

func (r *reader) targets(f *form, c *Case) {
	if f.Targets == nil {
		return
	}
	c.Call.Targets = []engine.Target{}
	if err := jsonv2.Unmarshal(f.Targets, &c.Call.Targets, jsonv2.RejectUnknownMembers(true)); err != nil || c.Call.Targets == nil {
		r.wrong("targets", "want a list of targets as in context.targets: %v", err)
	}
}
