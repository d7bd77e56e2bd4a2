package project

import (
	"errors"
	"fmt"
	"strings"

	"github.com/callgate/callgate/engine"
	"github.com/callgate/callgate/host/internal/text/strictyaml"
)

// Name is the file's name in a project root.
const Name = ".callgate.yaml"

// The bounds on a project's file, perhaps written by a stranger.
const (
	MaxSize  = 64 << 10
	MaxRules = 500
)

// maxContent bounds one rule's content.
const maxContent = 4096

// File is a project's request. Its rules and lists only tighten.
type File struct {
	// Paths are where it was read from; empty when the project has none.
	Paths []string
	// Rules are deny and ask rules of scope project, with the root as their
	// key, Source engine.SourceProjectFile, and no words of the file's author.
	Rules []engine.Rule
	// Disallowed joins engine.Lists.Disallowed; respect_denylist must not lift it.
	Disallowed []string
	// Problems are the ignored parts of the file, for the operator.
	Problems []Problem
}

// Problem is something wrong in a project's file. Field and Msg may repeat the
// file, escaped and cut: they are for the operator, never for a model or card.
type Problem struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Field  string `json:"field,omitempty"`
	Msg    string `json:"message"`
}

// String returns "path:line:column: field: message".
func (p Problem) String() string {
	return (&strictyaml.Error{File: p.Path, Position: strictyaml.Position{Line: p.Line, Column: p.Column}, Field: p.Field, Msg: p.Msg}).Error()
}

// shape is the form of the file.
type shape struct {
	Deny            []string `yaml:"deny"`
	Ask             []string `yaml:"ask"`
	DisallowedTools []string `yaml:"disallowed_tools"`
}

// Parse reads the content of a project's file; root is the project's root, path the file's name in
// problems. Keys other than deny, ask and disallowed_tools are reported as Problems and ignored.
// Every other mistake is an error of type *Invalid: an unknown restriction must not be dropped
// silently.
func Parse(root, path string, data []byte) (File, error) {
	if len(data) > MaxSize {
		return File{}, fmt.Errorf("%s: more than %d bytes: make it smaller or remove it", path, MaxSize)
	}
	var s shape
	places, unknown, err := strictyaml.DecodeKnown(path, data, &s)
	if err != nil {
		return File{}, invalid(path, err)
	}
	f := File{Paths: []string{path}, Disallowed: s.DisallowedTools}
	for _, u := range strictyaml.Errors(errors.Join(unknown...)) {
		u.Msg = "ignored: a project's file may hold deny, ask and disallowed_tools only"
		f.Problems = append(f.Problems, problem(path, u))
	}
	p := parser{file: &f, root: root, places: places, errs: strictyaml.List{File: path}}
	p.rules("deny", engine.Deny, s.Deny)
	p.rules("ask", engine.Ask, s.Ask)
	p.names(s.DisallowedTools)
	if n := len(s.Deny) + len(s.Ask) + len(s.DisallowedTools); n > MaxRules {
		return File{}, fmt.Errorf("%s: %d rules, at most %d are read: make it smaller or remove it", path, n, MaxRules)
	}
	if err := p.errs.Err(); err != nil {
		return File{}, invalid(path, err)
	}
	return f, nil
}

func invalid(path string, err error) error {
	e := &Invalid{Path: path}
	for _, each := range strictyaml.Errors(err) {
		e.Problems = append(e.Problems, problem(path, each))
	}
	return e
}

type parser struct {
	file   *File
	root   string
	places strictyaml.Places
	errs   strictyaml.List
}

func (p *parser) rules(key string, behavior engine.Behavior, texts []string) {
	for i, text := range texts {
		field := fmt.Sprintf("%s[%d]", key, i)
		at := p.places.Of(field)
		r, err := engine.ParseRule(text)
		if err == nil {
			err = checkName(r.Tool)
		}
		switch {
		case err != nil:
			p.errs.Add(at, field, "%v", err)
			continue
		case r.Content != nil && len(*r.Content) > maxContent:
			p.errs.Add(at, field, "content of %d bytes, at most %d", len(*r.Content), maxContent)
			continue
		}
		r.ID = fmt.Sprintf("%s:%d", Name, at.Line)
		r.Behavior, r.Source, r.Scope, r.ScopeKey = behavior, engine.SourceProjectFile, engine.Project, p.root
		p.file.Rules = append(p.file.Rules, r)
	}
}

func (p *parser) names(names []string) {
	for i, name := range names {
		if err := checkName(name); err != nil {
			field := fmt.Sprintf("disallowed_tools[%d]", i)
			p.errs.Add(p.places.Of(field), field, "%v", err)
		}
	}
}

// checkName refuses a name without a possible tool. A glob of only stars would deny everything: the
// operator's choice to make, not a repository's.
func checkName(name string) error {
	switch {
	case name == "" || strings.ContainsAny(name, "() \t\n\x00") || len(name) > 256:
		return errors.New("not a tool name: want Tool, a glob over names, or in deny and ask Tool(content)")
	case strings.Trim(name, "*?") == "":
		return engine.ErrBareStar
	}
	return nil
}
