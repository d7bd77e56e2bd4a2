// Package hostiletest reads the hostile suite, testdata/hostile: modules that attack their
// host, each with the required result. Tests only use it.
//
// A module's source begins with the attack and its effect on a naive host, and then states, one
// line each, the required results:
//
//	;; expect: check_permissions fuel|trap "part of the message"
//	;; expect: load "part of the error"
//	;; expect: any stack
//	;; catalog: check_permissions refused
//	;; limits: memory_pages=1024 fuel=5000000
//
// After "expect:" stands a verb, "load" (it is never run) or "any" (no instance can be made, so
// each verb fails), then the right kinds of failure, or "ok" for the answer of a harmless verb,
// or "text" for any answer. An unnamed verb is harmless. After "catalog:" stands the fate of an
// answer passed on by the sandbox: "refused", or "granted" when the operator's grant alone
// decides.
package hostiletest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The expectations besides the kinds of failure.
const (
	Load    = "load"
	Any     = "any"
	OK      = "ok"
	Text    = "text"
	Refused = "refused"
	Granted = "granted"
)

// Attack is one hostile module.
type Attack struct {
	Name   string
	Wasm   []byte
	Expect map[string]Outcome // by verb, Load or Any
	// Catalog is Refused or Granted by verb.
	Catalog map[string]string
	// Limits are by the suite's names: memory_pages, fuel.
	Limits map[string]int64
}

// Outcome is the required result of a call.
type Outcome struct {
	Kinds []string
	// Text is part of the answer or of the error.
	Text string
}

// Of returns the required result of a verb.
func (a *Attack) Of(verb string) Outcome {
	for _, name := range []string{Any, verb} {
		if o, ok := a.Expect[name]; ok {
			return o
		}
	}
	return Outcome{Kinds: []string{OK}}
}

// Loads tells whether the module gets past the check at load.
func (a *Attack) Loads() bool { _, refused := a.Expect[Load]; return !refused }

// Is tells whether a kind of failure, OK or Text is a right end.
func (o Outcome) Is(kind string) bool { return slices.Contains(o.Kinds, kind) }

// Suite reads the modules in dir, and makes those too large to keep.
func Suite(dir string) ([]*Attack, error) {
	sources, err := filepath.Glob(filepath.Join(dir, "*.wat"))
	if err != nil || len(sources) == 0 {
		return nil, fmt.Errorf("no hostile modules in %s: %v", dir, err)
	}
	var all []*Attack
	for _, path := range sources {
		a, err := read(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, a)
	}
	for _, m := range made {
		a := &Attack{Name: m.name, Wasm: m.wasm()}
		if err := a.line("expect:", m.expect); err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		all = append(all, a)
	}
	return all, nil
}

func read(path string) (*Attack, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a := &Attack{Name: strings.TrimSuffix(filepath.Base(path), ".wat")}
	if a.Wasm, err = os.ReadFile(strings.TrimSuffix(path, "wat") + "wasm"); err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(source)) {
		text, head := strings.CutPrefix(strings.TrimSpace(line), ";; ")
		if !head {
			break
		}
		word, rest, _ := strings.Cut(text, " ")
		if err := a.line(word, rest); err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
	}
	if a.Expect == nil {
		return nil, fmt.Errorf("no line begins with %q", ";; expect:")
	}
	return a, nil
}

// line reads one line of the head; those with another first word are prose.
func (a *Attack) line(word, rest string) error {
	switch word {
	case "expect:":
		return a.expect(rest)
	case "catalog:":
		verb, what, _ := strings.Cut(rest, " ")
		set(&a.Catalog, verb, what)
		if what != Refused && what != Granted {
			return fmt.Errorf("want %s or %s", Refused, Granted)
		}
	case "limits:":
		for _, field := range strings.Fields(rest) {
			name, number, _ := strings.Cut(field, "=")
			n, err := strconv.ParseInt(number, 10, 64)
			if err != nil {
				return err
			}
			set(&a.Limits, name, n)
		}
	}
	return nil
}

func (a *Attack) expect(rest string) error {
	var o Outcome
	if at := strings.IndexByte(rest, '"'); at >= 0 {
		text, err := strconv.Unquote(rest[at:])
		if err != nil {
			return fmt.Errorf("%s: %w", rest[at:], err)
		}
		o.Text, rest = text, rest[:at]
	}
	fields := strings.Fields(rest)
	if len(fields) == 2 {
		o.Kinds = strings.Split(fields[1], "|")
	}
	if len(fields) == 0 || len(fields) > 2 || len(fields) == 1 && fields[0] != Load {
		return fmt.Errorf("want a verb and what becomes of it, got %q", rest)
	}
	set(&a.Expect, fields[0], o)
	return nil
}

func set[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}
