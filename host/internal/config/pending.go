package config

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/callgate/callgate/host/wire"
)

// Tighten returns the accepted configuration c with the tightening part of a changed file, and the
// rest of the difference until a person accepts the file as a whole. When nothing waits, the file
// itself is in force. RATIONALE.md, "When does a changed configuration take effect?".
func (c *Config) Tighten(file *Config) (inForce *Config, waiting []wire.PendingChange) {
	if c == file {
		return file, nil
	}
	d := newDifference(c, file)
	merged := d.value("", "", reflect.ValueOf(*c), reflect.ValueOf(*file)).Interface().(Config)
	if len(d.waiting) == 0 {
		return file, nil
	}
	merged.tightened = &tightened{accepted: c, file: file}
	merged.byTool = newRuleLists(&merged)
	return &merged, d.waiting
}

// difference walks two configurations at once. Its value is the accepted one with the file's
// tightening changes; its lines are the rest.
type difference struct {
	accepted, file *Config
	agents         []string // of both, after "" for all others
	agent          string   // the agent of the current block; empty outside of agents
	was, will      ruleEnds
	waiting        []wire.PendingChange
}

func newDifference(accepted, file *Config) *difference {
	agents := append([]string{""}, either(accepted.Agents, file.Agents)...)
	return &difference{accepted: accepted, file: file, agents: agents, was: endsOf(accepted), will: endsOf(file)}
}

func (d *difference) wait(where, was, will string) {
	d.waiting = append(d.waiting, wire.PendingChange{Where: where, Line: d.file.places.Of(where).Line, Was: was, Will: will})
}

// value compares the values at a path. pattern is the path with * for each name chosen by the
// operator.
func (d *difference) value(path, pattern string, was, will reflect.Value) reflect.Value {
	switch {
	case was.Type() == reflect.TypeFor[[]Rule]():
		return reflect.ValueOf(d.rules(path, was.Interface().([]Rule), will.Interface().([]Rule)))
	case was.Kind() == reflect.Struct && keyed(was.Type()):
		return d.fields(path, pattern, was, will)
	case was.Kind() == reflect.Map && was.IsNil() == will.IsNil():
		return d.entries(path, pattern, was, will)
	case was.Kind() == reflect.Map && pattern != "permission_grants": // where no map is more than an empty one
		return d.entries(path, pattern, was, will)
	}
	return d.leaf(path, pattern, was, will)
}

// keyed reports whether a struct's fields are keys of the file.
func keyed(t reflect.Type) bool {
	return t.NumField() > 0 && (t.Field(0).Tag.Get("yaml") != "" || t.Field(0).Anonymous)
}

func (d *difference) fields(path, pattern string, was, will reflect.Value) reflect.Value {
	out := reflect.New(was.Type()).Elem()
	out.Set(was)
	for i := range was.NumField() {
		f := was.Type().Field(i)
		switch key := f.Tag.Get("yaml"); {
		case f.Anonymous:
			out.Field(i).Set(d.value(path, pattern, was.Field(i), will.Field(i)))
		case key != "" && key != "-":
			out.Field(i).Set(d.value(below(path, key), below(pattern, key), was.Field(i), will.Field(i)))
		}
	}
	return out
}

func below(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// entries compares maps. An agent, a person or a tool without an entry equals one with an empty
// entry; elsewhere a name by itself has a meaning.
func (d *difference) entries(path, pattern string, was, will reflect.Value) reflect.Value {
	out := reflect.MakeMap(was.Type())
	zero := reflect.Zero(was.Type().Elem())
	named := zero.Kind() == reflect.Struct && !slices.Contains([]string{"agents", "people", "tools", "defaults.tools", "agents.*.tools"}, pattern)
	for _, key := range either(asMap(was), asMap(will)) {
		k := reflect.ValueOf(key)
		a, b := was.MapIndex(k), will.MapIndex(k)
		there, stays := a.IsValid(), b.IsValid()
		if !there {
			a = zero
		}
		if !stays {
			b = zero
		}
		at, one, merged := below(path, key), below(pattern, "*"), a
		if pattern == "agents" {
			d.agent = key
		}
		switch {
		case named && there != stays:
			merged = d.changed(at, one, a, b, map[bool]string{true: text(a)}[there], map[bool]string{true: text(b)}[stays])
		case pattern == "profiles":
			merged = d.leaf(at, one, a, b)
		default:
			merged = d.value(at, one, a, b)
		}
		if !merged.IsZero() || there && (stays || pattern == "people") {
			out.SetMapIndex(k, merged)
		}
	}
	if pattern == "agents" {
		d.agent = ""
	}
	if pattern == "people" && was.Len() > 0 && will.Len() == 0 {
		d.wait(path, strings.Join(sortedKeys(d.accepted.People), ", "), "") // see NamesNobody
	}
	if out.Len()+was.Len() == 0 {
		return was // nil as well
	}
	return out
}

func asMap(v reflect.Value) map[string]bool {
	out := make(map[string]bool, v.Len())
	for _, k := range v.MapKeys() {
		out[k.String()] = true
	}
	return out
}

// leaf compares values without a walk into them.
func (d *difference) leaf(path, pattern string, was, will reflect.Value) reflect.Value {
	if alike(was, will) {
		return was
	}
	return d.changed(path, pattern, was, will, text(was), text(will))
}

// changed takes the tightening part of a value; the rest waits.
func (d *difference) changed(path, pattern string, was, will reflect.Value, before, after string) reflect.Value {
	inForce, holds := d.tighten(path, pattern, was, will)
	if !holds {
		d.wait(path, before, after)
	}
	return inForce
}

// alike compares values, JSON by its meaning.
func alike(was, will reflect.Value) bool {
	if was.Type() == reflect.TypeFor[json.RawMessage]() {
		return text(was) == text(will)
	}
	return reflect.DeepEqual(was.Interface(), will.Interface())
}

// text shows a value of the file in one line, as YAML would; empty for nothing.
func text(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return ""
		}
		if v.Type() != reflect.TypeFor[*ProfileChoice]() {
			return text(v.Elem())
		}
	case reflect.Slice, reflect.Map:
		if v.IsNil() {
			return ""
		}
	}
	switch x := v.Interface().(type) {
	case json.RawMessage:
		var canonical any
		decoder := json.NewDecoder(bytes.NewReader(x))
		decoder.UseNumber()
		if decoder.Decode(&canonical) == nil {
			if out, err := json.Marshal(canonical); err == nil {
				return string(out)
			}
		}
		return string(x)
	case fmt.Stringer:
		return x.String()
	case encoding.TextMarshaler:
		if out, err := x.MarshalText(); err == nil {
			return string(out)
		}
	}
	var parts []string
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			parts = append(parts, within(v.Index(i)))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.Map:
		for _, key := range sortedKeys(asMap(v)) {
			parts = append(parts, key+": "+within(v.MapIndex(reflect.ValueOf(key))))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case reflect.Struct:
		for i := range v.NumField() {
			if key := v.Type().Field(i).Tag.Get("yaml"); key != "" && key != "-" && !v.Field(i).IsZero() {
				parts = append(parts, key+": "+within(v.Field(i)))
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return fmt.Sprint(v.Interface())
}

// within is text inside a list or a mapping: a possibly ambiguous string is quoted.
func within(v reflect.Value) string {
	if v.Kind() == reflect.String && (v.Len() == 0 || strings.ContainsAny(v.String(), ",:[]{}\"'\n ")) {
		return strconv.Quote(v.String())
	}
	return text(v)
}

// either lists the keys of both.
func either[V any](a, b map[string]V) []string {
	names := slices.Concat(sortedKeys(a), sortedKeys(b))
	slices.Sort(names)
	return slices.Compact(names)
}
