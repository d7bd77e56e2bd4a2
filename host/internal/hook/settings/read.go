package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
)

// File is one settings file.
type File struct {
	Scope Scope  `json:"scope"`
	Path  string `json:"path"`
	// Above is the starting directory of sessions with this file in force; empty when it is in
	// force in the requested directory.
	Above string `json:"above,omitempty"`
	// Found reports whether the file exists. Err is why it could not be read: an *Error for a
	// malformed one. The client skips unreadable files.
	Found bool  `json:"found"`
	Err   error `json:"-"`
	// Hooks are all hooks in it, in its order.
	Hooks []Hook `json:"hooks,omitempty"`
	// DisableAllHooks and ManagedOnly are the switches disableAllHooks and
	// allowManagedHooksOnly; nil when the file does not say.
	DisableAllHooks *bool `json:"disable_all_hooks,omitempty"`
	ManagedOnly     *bool `json:"managed_only,omitempty"`
	// Plugins are the enabled plugins of the file. They may bring hooks.
	Plugins []string `json:"plugins,omitempty"`
}

// Settings are the files of one directory and account, the strongest first.
type Settings struct {
	Places Places `json:"-"`
	Files  []File `json:"files"`
}

// Read reads every settings file of p. An unreadable one keeps its place in the list with its
// error; the rest is read.
func Read(p Places) *Settings {
	s := &Settings{Places: p}
	for _, at := range p.list() {
		s.Files = append(s.Files, readFile(at))
	}
	return s
}

func readFile(at place) File {
	f := File{Scope: at.scope, Path: at.path, Above: at.above}
	text, err := load(at.path)
	if errors.Is(err, fs.ErrNotExist) {
		if at.scope == Flag {
			f.Err = err
		}
		return f
	}
	f.Found = true
	if err != nil {
		f.Err = err
		return f
	}
	d, err := parse(at.path, text)
	if err == nil {
		err = f.fill(d)
	}
	if err != nil {
		return File{Scope: at.scope, Path: at.path, Above: at.above, Found: true, Err: err}
	}
	return f
}

func (f *File) fill(d *document) (err error) {
	if f.Hooks, err = d.hooks(); err != nil {
		return err
	}
	for i := range f.Hooks {
		f.Hooks[i].Scope, f.Hooks[i].File = f.Scope, f.Path
	}
	if f.DisableAllHooks, err = d.boolean("disableAllHooks"); err != nil {
		return err
	}
	if f.ManagedOnly, err = d.boolean("allowManagedHooksOnly"); err != nil {
		return err
	}
	plugins := d.root.member("enabledPlugins")
	if plugins == nil || plugins.kind != '{' {
		return nil
	}
	for _, it := range plugins.items {
		if it.value.kind != 'f' {
			f.Plugins = append(f.Plugins, it.name)
		}
	}
	return nil
}

func (d *document) boolean(name string) (*bool, error) {
	n := d.root.member(name)
	if n == nil {
		return nil, nil
	}
	if n.kind != 't' && n.kind != 'f' {
		return nil, d.fault(n.start, name+" is "+kindName(n.kind)+", want true or false")
	}
	on := n.kind == 't'
	return &on, nil
}

// load reads one of the client's files. It does not wait for a pipe.
func load(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	return io.ReadAll(io.LimitReader(f, maxSize+1))
}

// Off says why hooks of a scope do not run at all in a session of the directory
// asked about, as far as its files tell; empty when they do.
type Off struct {
	// File and Text are the file switching them off, and how.
	File string `json:"file"`
	Text string `json:"text"`
}

// Off finds a switch against the hooks of scope. disableAllHooks of the machine's file stops all
// hooks, that of any other file all but the machine's (measured with Claude Code 2.1.329). Any file
// with true counts, although a stronger one may say false.
func (s *Settings) Off(scope Scope) []Off {
	var out []Off
	for _, f := range s.Files {
		switch {
		case f.Above != "":
		case f.DisableAllHooks != nil && *f.DisableAllHooks && (f.Scope == Managed || scope != Managed):
			out = append(out, Off{f.Path, `"disableAllHooks": true`})
		case f.Scope == Managed && f.ManagedOnly != nil && *f.ManagedOnly && scope != Managed:
			out = append(out, Off{f.Path, `"allowManagedHooksOnly": true`})
		}
	}
	return out
}

// Hooks lists the hooks for event in a session in the requested directory: those of files in force
// there and not switched off.
func (s *Settings) Hooks(event string) []Hook {
	var out []Hook
	for _, f := range s.Files {
		if f.Above != "" || len(s.Off(f.Scope)) > 0 {
			continue
		}
		for _, h := range f.Hooks {
			if h.Event == event {
				out = append(out, h)
			}
		}
	}
	return out
}

// Own lists Callgate's hooks for event in the files in force, switched off or not.
func (s *Settings) Own(event string) []Hook {
	var out []Hook
	for _, f := range s.Files {
		for _, h := range f.Hooks {
			if f.Above == "" && h.Event == event && h.Own() {
				out = append(out, h)
			}
		}
	}
	return out
}

// Others lists every other hook in force able to change a call's input after Callgate has judged
// it: those for PreToolUse, and those for PermissionRequest, because its allow may carry another
// input too. Threat T08.
func (s *Settings) Others() []Hook {
	return slices.DeleteFunc(append(s.Hooks(PreToolUse), s.Hooks(PermissionRequest)...), Hook.Own)
}

// Alone reports whether Callgate's hook is the only one that may change a call's input, as
// far as files tell: no other hook stands in any of them, also not in one that counts in a
// session of a directory above, no plugin is enabled, and each file could be read.
func (s *Settings) Alone() bool {
	for _, f := range s.Files {
		foreign := func(h Hook) bool { return (h.Event == PreToolUse || h.Event == PermissionRequest) && !h.Own() }
		if f.Err != nil || len(f.Plugins) > 0 || slices.ContainsFunc(f.Hooks, foreign) {
			return false
		}
	}
	return true
}

// Plugins lists the enabled plugins. Their hooks are not in these files.
func (s *Settings) Plugins() []string {
	var out []string
	for _, f := range s.Files {
		if f.Above == "" {
			out = append(out, f.Plugins...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Faults are the unreadable files.
func (s *Settings) Faults() []error {
	var out []error
	for _, f := range s.Files {
		if f.Err != nil {
			out = append(out, f.Err)
		}
	}
	return out
}
