package tool

import (
	"encoding"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// quickEnvelope reads an envelope by a scanner; nil where that is stuck.
func quickEnvelope(data []byte) *envelope {
	s, env := scan(data), &envelope{}
	s.object(func(name string) {
		switch name {
		case "tool":
			env.Tool = s.string()
		case "input":
			env.Input = s.value()
		case "config":
			env.Config = s.value()
		case "context":
			s.context(&env.Context)
		case "behavior":
			env.Behavior = Behavior(s.string())
		case "rules":
			env.Rules = []Rule{}
			s.list(func() { env.Rules = append(env.Rules, s.rule()) })
		case "effects":
			env.Effects = s.bool()
		case "covers":
			env.Covers = s.bool()
		case "rule_words":
			env.RuleWords = s.bool()
		default:
			s.stuck = true
		}
	})
	if !s.ended() || env.Tool == "" {
		return nil
	}
	return env
}

func (s *scanner) context(c *Context) {
	s.object(func(name string) {
		switch name {
		case "agent":
			c.Agent = s.string()
		case "session":
			c.Session = s.string()
		case "user":
			c.User = s.string()
		case "mode":
			c.Mode = Mode(s.string())
		case "cwd":
			c.CWD = s.string()
		case "working_directories":
			c.WorkingDirectories = s.strings()
		case "project_root":
			c.ProjectRoot = s.string()
		case "home":
			c.Home = s.string()
		case "kind":
			c.Kind = s.string()
		case "dialect":
			c.Dialect = s.string()
		case "shell_changed":
			c.ShellChanged = s.strings()
		case "resumed":
			c.Resumed = s.bool()
		case "approver":
			c.Approver = s.string()
		case "active_skills":
			c.ActiveSkills = s.strings()
		case "targets":
			c.Targets = []Target{}
			s.list(func() { c.Targets = append(c.Targets, s.target()) })
		case "targets_unknown":
			c.TargetsUnknown = s.bool()
		default: // annotations: rare, and open
			s.stuck = true
		}
	})
}

func (s *scanner) strings() []string {
	out := []string{}
	s.list(func() { out = append(out, s.string()) })
	return out
}

func (s *scanner) rule() (r Rule) {
	s.object(func(name string) {
		switch name {
		case "content":
			r.Content = s.string()
		case "root":
			r.Root = s.string()
		default:
			s.stuck = true
		}
	})
	return r
}

func (s *scanner) target() (t Target) {
	s.object(func(name string) {
		switch name {
		case "kind":
			t.Kind = s.string()
		case "value":
			t.Value = s.string()
		case "access":
			t.Access = s.string()
		case "resolved":
			t.Resolved = s.string()
		case "lexical":
			t.Lexical = s.string()
		case "exists":
			t.Exists = s.bool()
		case "inside":
			t.Inside = s.string()
		case "claimed":
			t.Claimed = s.bool()
		case "error":
			t.Error = s.string()
		case "repo":
			t.Repo = &Repo{}
			s.repo(t.Repo)
		default:
			s.stuck = true
		}
	})
	return t
}

func (s *scanner) repo(r *Repo) {
	s.object(func(name string) {
		switch name {
		case "root":
			r.Root = s.string()
		case "dirty":
			r.Dirty = s.strings()
		default:
			s.stuck = true
		}
	})
}

// quickInput decodes an object into *in, which points to a zero t, as json.Unmarshal with
// RejectUnknownMembers does. It reports false where a scanner is stuck, a member is unknown or
// null, or does not fit; *in may then hold a part.
func quickInput(t reflect.Type, input jsontext.Value, in any) bool {
	members := quickMembers(t)
	if members == nil {
		return false
	}
	s, into := scan(input), reflect.ValueOf(in).Elem()
	s.object(func(name string) {
		m, ok := members[name]
		if !ok || s.next() == 'n' {
			s.stuck = true
			return
		}
		field := into
		for _, i := range m.index {
			field = field.Field(i)
		}
		switch m.kind {
		case reflect.String:
			field.SetString(s.string())
		case reflect.Bool:
			field.SetBool(s.bool())
		default:
			raw := s.value()
			s.stuck = s.stuck || json.Unmarshal(raw, field.Addr().Interface(), json.RejectUnknownMembers(true)) != nil
		}
	})
	return s.ended()
}

// quickMember is a field of an input: of kind String or Bool when a scanner reads it by itself,
// else of kind Invalid.
type quickMember struct {
	index []int
	kind  reflect.Kind
}

// quick caches quickMembers, by reflect.Type.
var quick sync.Map

// quickMembers are the members of a struct by their names; nil where the names alone do not say
// how json reads it.
func quickMembers(t reflect.Type) map[string]quickMember {
	if found, ok := quick.Load(t); ok {
		return found.(map[string]quickMember)
	}
	members := map[string]quickMember{}
	if !plainStruct(t, members) {
		members = nil
	}
	quick.Store(t, members)
	return members
}

// plainStruct adds the members of a struct, and of those embedded in it. It reports false where
// another rule than "the name of a field" applies.
func plainStruct(t reflect.Type, members map[string]quickMember) bool {
	if t.Kind() != reflect.Struct || decodesItself(t) {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		embedded := f.Anonymous && name == ""
		switch {
		case tag == "-", !f.Anonymous && !f.IsExported():
			continue
		case name == "-", strings.ContainsAny(name, `'"\`), f.Anonymous && !embedded, options != "" && options != "omitzero" && options != "omitempty":
			return false
		case embedded:
			inner := map[string]quickMember{}
			if !plainStruct(f.Type, inner) {
				return false
			}
			for name, m := range inner {
				if _, twice := members[name]; twice {
					return false
				}
				members[name] = quickMember{append([]int{i}, m.index...), m.kind}
			}
			continue
		}
		if name == "" {
			name = f.Name
		}
		if _, twice := members[name]; twice {
			return false
		}
		m := quickMember{index: []int{i}}
		if k := f.Type.Kind(); (k == reflect.String || k == reflect.Bool) && !decodesItself(f.Type) {
			m.kind = k
		}
		members[name] = m
	}
	return true
}

// decodesItself reports whether a type has a method for reading itself.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	for _, u := range unmarshalers {
		if p.Implements(u) {
			return true
		}
	}
	return p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
